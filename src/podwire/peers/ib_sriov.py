"""The CNI plugins that take a device: ib-sriov, and what it shares with sriov and others.

Which of them fail without a device, in which words, and which configurations they refuse.
Source: ib-sriov-cni cmd/ib-sriov-cni/main.go and pkg/config/config.go (v1.1.1 to v1.3.0),
pkg/types/types.go (000083c), pkg/utils/utils.go (fcb3156); what it says since was seen in a run.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Answer, Known, Path, Unknown
from podwire.model.versions import Table, Version, by_version
from podwire.peers.multus.cni_config import Plugin
from podwire.peers.multus.go_json import kind_of

IB_SRIOV = "ib-sriov"
SRIOV = "sriov"

LinkLayer: TypeAlias = Literal["infiniband", "ether"]

# Plugins that make their interface from something else than a device of kubelet's.
# Source: containernetworking/plugins v1.9.1 plugins/{main,meta}; Mellanox/ipoib-cni cmd/ipoib.
_WITHOUT_DEVICE = frozenset(
    {
        "bridge",
        "dummy",
        "ipoib",
        "ipvlan",
        "loopback",
        "macvlan",
        "ptp",
        "tap",
        "vlan",
    }
)
_CHAINED = frozenset({"bandwidth", "firewall", "portmap", "sbr", "tuning", "vrf"})
# host-device is content with any of these (plugins v1.9.1 main/host-device loadConf).
_FIXED_DEVICE = ("device", "hwaddr", "kernelpath", "pciBusID")

_KNOWN_TYPES = (IB_SRIOV, SRIOV, "host-device", "rdma", *sorted(_WITHOUT_DEVICE | _CHAINED))
# Names of the projects, their images and the operator's kinds: nobody's plugin is called so.
_MISNAMED: Mapping[str, str] = {
    "ib-sriov-cni": IB_SRIOV,
    "ibsriov": IB_SRIOV,
    "sriov-ib": IB_SRIOV,
    "sriovib": IB_SRIOV,
    "sriov-cni": SRIOV,
    "rdma-cni": "rdma",
}

_NO_DEVICE: Table[str] = Table(
    component="ib-sriov-cni",
    newest="v1.3.0",
    rows=(
        ("v1.1.1", "load config: vf pci addr is required"),
        (
            "v1.3.0",
            "failed to get device specific information. load config: vf pci addr is required",
        ),
    ),
)
_NO_DEVICE_SRIOV = "SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required"
_NO_DEVICE_HOST = 'specify either "device", "hwaddr", "kernelpath" or "pciBusID"'

_LINK_STATES = frozenset({"", "auto", "enable", "disable"})
_LOADING = "infiniBand SRI-OV CNI failed to load netconf: "
_KINDS: Mapping[str, str] = {
    "pkey": "string",
    "link_state": "string",
    "rdmaIsolation": "bool",
    "ibKubernetesEnabled": "bool",
    "vfioPciMode": "bool",
}
_GUID = re.compile(r"(?:[0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}")
_ZERO_GUID = "00:00:00:00:00:00:00:00"
_STATUS_KEY = "mellanox.infiniband.app"


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """Why a plugin refuses its configuration, and with it the pod's sandbox.

    `path` leads to the value inside `spec.config`, `text` is that value, `message` is what
    the plugin says.
    """

    path: Path
    text: str
    message: str


def needs_device(plugin: Plugin) -> Answer[bool]:
    """Say whether a plugin fails when Multus passes it no device."""
    if plugin.type in {IB_SRIOV, SRIOV}:
        return Known(value=not plugin.value("deviceID"))
    if plugin.type == "host-device":
        return Known(value=not any(plugin.value(key) for key in _FIXED_DEVICE))
    if plugin.type in _WITHOUT_DEVICE or plugin.type in _CHAINED:
        return Known(value=False)
    return Unknown(reason=f"podwire does not know the CNI plugin {plugin.type!r}")


def device_link(cni_type: str) -> LinkLayer | None:
    """Say which link layer a plugin's device has to have; None where any will do."""
    links: Mapping[str, LinkLayer] = {IB_SRIOV: "infiniband", SRIOV: "ether"}
    return links.get(cni_type)


def near_miss_type(cni_type: str) -> str | None:
    """Say which plugin a misspelt type was meant to be; None for a known one and a far one."""
    if cni_type in _KNOWN_TYPES:
        return None
    folded = cni_type.strip().casefold().replace("_", "-")
    if folded in _KNOWN_TYPES:
        return folded
    if folded in _MISNAMED:
        return _MISNAMED[folded]
    near = difflib.get_close_matches(folded, _KNOWN_TYPES, n=1, cutoff=0.85)
    return near[0] if near else None


def no_device_sentence(cni_type: str, version: Answer[Version]) -> Answer[str]:
    """Give the words in which a plugin says that it was passed no device."""
    if cni_type == SRIOV:  # each version found of sriov-cni pkg/config/config.go, up to v2.10.0
        return Known(value=_NO_DEVICE_SRIOV)
    if cni_type == "host-device":
        return Known(value=_NO_DEVICE_HOST)
    if cni_type != IB_SRIOV:
        return Unknown(reason=f"podwire does not know the words of the CNI plugin {cni_type!r}")
    if isinstance(version, Known) and _is_built_after(version.value):
        return Unknown(
            reason=f"{_NO_DEVICE.component} {version.value} was built after v1.3.0, "
            "and its words changed between two releases",
        )
    return by_version(version, _NO_DEVICE)


def no_device_any(cni_type: str) -> str:
    """Say what all versions share, for a sentence of prose."""
    if cni_type == IB_SRIOV:
        # Upstream after 2026-02-26: deviceID is required. OpenShift's fork of 2026-07:
        # device ID is required for VFIO PCI detection.
        return (
            "a sandbox error of ib-sriov that no device was passed (deviceID is required, "
            "device ID is required for VFIO PCI detection, or: vf pci addr is required)"
        )
    return f"a sandbox error of {cni_type} that no device was passed"


def _is_built_after(version: Version) -> bool:
    """`v1.3.0-80-g543060d` is no v1.3.0."""
    plain = re.fullmatch(r"v?\d+(\.\d+){1,2}", version.text or str(version))
    return version.numbers == (1, 3, 0) and plain is None


def refusals(plugin: Plugin) -> tuple[Refusal, ...]:
    """List what a plugin refuses in its configuration; a plugin unknown here refuses nothing.

    Keys that it does not read (a vlan on InfiniBand) are no refusals.
    """
    if plugin.type == IB_SRIOV:
        return tuple(_of_ib_sriov(plugin))
    if plugin.type == SRIOV:
        loading = "SRIOV-CNI failed to load netconf: LoadConf(): "
        return tuple(_of_link_state(plugin, loading=loading))
    return ()


def _of_ib_sriov(plugin: Plugin) -> Iterator[Refusal]:
    for key, wanted in _KINDS.items():
        value = plugin.value(key)
        if value is not None and kind_of(value) != wanted:
            says = f"failed to load netconf: json: cannot unmarshal {kind_of(value)} into {key}"
            yield _refusal(plugin, (key,), f"{_LOADING}{says} of type {wanted}")
    yield from _of_link_state(plugin, loading=_LOADING)
    if plugin.ipam_type == "dhcp":
        yield _refusal(plugin, ("ipam", "type"), "ipam type dhcp is not supported")


def _of_link_state(plugin: Plugin, *, loading: str) -> Iterator[Refusal]:
    state = plugin.value("link_state")
    if isinstance(state, str) and state not in _LINK_STATES:
        yield _refusal(plugin, ("link_state",), f"{loading}invalid link_state value: {state}")


def _refusal(plugin: Plugin, keys: tuple[str, ...], message: str) -> Refusal:
    value: object = plugin.raw
    path = plugin.path
    for key in keys:
        tree = value if isinstance(value, dict) else {}
        written = next((k for k in tree if k.casefold() == key.casefold()), key)
        value, path = tree.get(written), (*path, written)
    return Refusal(path=path, text=str(value), message=message)


def ib_kubernetes_refusal(plugin: Plugin, *, cni_args: Mapping[str, object] | None) -> str | None:
    """Say what ib-sriov refuses while ib-kubernetes has not worked on the annotation.

    `cni_args` are the attachment's. The daemon fills them in after the pod was made, so this
    is no fault of a template.
    """
    if plugin.type != IB_SRIOV or plugin.value("ibKubernetesEnabled") is not True:
        return None
    if (cni_args or {}).get(_STATUS_KEY) == "configured":
        return None
    return (
        f'infiniBand SRIOV-CNI failed, InfiniBand status "{_STATUS_KEY}" is not "configured" '
        "please check mellanox ib-kubernetes"
    )


def guid_refusal(guid: str) -> str | None:
    """Say what ib-sriov refuses about a GUID that was asked for; all ones it takes."""
    if _GUID.fullmatch(guid) and guid != _ZERO_GUID:
        return None
    return f"invalid guid {guid}"
