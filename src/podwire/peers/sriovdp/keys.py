"""The keys that the plugin knows at each level, and what a key that it ignores may have meant.

Source: pkg/types/types.go (ResourceConfList, ResourceConfig, NetDeviceSelectors,
AccelDeviceSelectors, AuxNetDeviceSelectors), v3.11.0.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

from podwire.model.evidence import Path
from podwire.peers.sriovdp.records import UnknownKey

NET_DEVICE: Final = "netDevice"
ACCELERATOR: Final = "accelerator"
AUX_NET_DEVICE: Final = "auxNetDevice"

TOP_KEYS: Final = ("resourceList",)
ENTRY_KEYS: Final = (
    "resourceName",
    "resourcePrefix",
    "deviceType",
    "excludeTopology",
    "selectors",
    "additionalInfo",
)

# By key, the field of `Selector` that holds it.
LIST_KEYS: Final[Mapping[str, str]] = {
    "vendors": "vendors",
    "devices": "devices",
    "drivers": "drivers",
    "pciAddresses": "pci_addresses",
    "acpiIndexes": "acpi_indexes",
    "pfNames": "pf_names",
    "rootDevices": "root_devices",
    "linkTypes": "link_types",
    "ddpProfiles": "ddp_profiles",
    "pKeys": "p_keys",
    "auxTypes": "aux_types",
}
FLAG_KEYS: Final[Mapping[str, str]] = {"isRdma": "is_rdma", "needVhostNet": "need_vhost_net"}
TEXT_KEYS: Final[Mapping[str, str]] = {"vdpaType": "vdpa_type"}

_COMMON: Final = ("vendors", "devices", "drivers")
_NET: Final = ("pfNames", "rootDevices", "linkTypes", "isRdma", "needVhostNet", "acpiIndexes")

SELECTOR_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    NET_DEVICE: (*_COMMON, "pciAddresses", *_NET, "ddpProfiles", "pKeys", "vdpaType"),
    ACCELERATOR: (*_COMMON, "pciAddresses"),
    AUX_NET_DEVICE: (*_COMMON, *_NET, "auxTypes"),
}


def unknown_keys(
    ignored: Iterable[str], *, path: Path, keys: tuple[str, ...]
) -> tuple[UnknownKey, ...]:
    """Say of each ignored key what it resembles and which selectors would know it."""
    return tuple(_unknown_key(key, path=path, keys=keys) for key in ignored)


def _unknown_key(key: str, *, path: Path, keys: tuple[str, ...]) -> UnknownKey:
    folded = {known.casefold(): known for known in keys}
    near = difflib.get_close_matches(key.casefold(), folded, n=1)
    return UnknownKey(
        path=(*path, key),
        key=key,
        nearest=folded[near[0]] if near else None,
        device_types=tuple(kind for kind, known in SELECTOR_KEYS.items() if _has(known, key)),
    )


def _has(keys: Iterable[str], key: str) -> bool:
    return key.casefold() in {known.casefold() for known in keys}
