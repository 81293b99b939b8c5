"""The CNI plugins that take a device: ib-sriov, and what it shares with sriov and others.

Which of them fail without a device, in which words, and which configurations they refuse.
Source: ib-sriov-cni cmd/ib-sriov-cni/main.go and pkg/config/config.go (v1.1.1 to v1.3.0),
pkg/types/types.go (000083c), pkg/utils/utils.go (fcb3156); what it says since was seen in a run.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Answer, Known, Path, Unknown
from podwire.model.versions import Table, Version, by_version
from podwire.peers.go_json import Fields, Kind, fields_of, kind_of, written
from podwire.peers.multus.cni_config import Plugin

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
_KINDS: Mapping[str, Kind] = {
    "pkey": Kind.STRING,
    "link_state": Kind.STRING,
    "rdmaIsolation": Kind.BOOL,
    "ibKubernetesEnabled": Kind.BOOL,
    "vfioPciMode": Kind.BOOL,
}
_IPAM: Mapping[str, Kind] = {"ipam": Kind.STRUCT, "type": Kind.STRING}


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


_SHORT = 5  # letters; below, another plugin's name is as near as a slip


def near_miss_type(cni_type: str) -> str | None:
    """Say which plugin a misspelt type was meant to be; None for a known one and a far one."""
    if cni_type in _KNOWN_TYPES:
        return None
    folded = cni_type.strip().casefold().replace("_", "-")
    if folded in _KNOWN_TYPES:
        return folded
    if folded in _MISNAMED:
        return _MISNAMED[folded]
    return next((name for name in sorted(_KNOWN_TYPES) if _is_slip(folded, name)), None)


def _is_slip(written: str, name: str) -> bool:
    """Tell a slip of the hand from another plugin's name: `vxlan` is none of `vlan`.

    A dash, a letter lost, written twice, or changed for its neighbour.
    """
    mine, known = written.replace("-", ""), name.replace("-", "")
    if mine == known:
        return True
    if len(known) < _SHORT or len(known) - len(mine) not in {0, 1, -1}:
        return False
    lost = {known[:i] + known[i + 1 :] for i in range(len(known))}
    twice = {known[:i] + letter + known[i:] for i, letter in enumerate(known)}
    swapped = {known[:i] + known[i + 1] + known[i] + known[i + 2 :] for i in range(len(known) - 1)}
    return mine in lost | twice | swapped


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
        fields = fields_of(plugin.raw, _KINDS)
        return tuple(_of_link_state(plugin, fields, loading=loading))
    return ()


def _of_ib_sriov(plugin: Plugin) -> Iterator[Refusal]:
    fields = fields_of(plugin.raw, _KINDS)
    for wrong in fields.misfits:
        says = f"json: cannot unmarshal {kind_of(wrong.value)} into {wrong.name} of type "
        yield Refusal(
            path=(*plugin.path, *wrong.path),
            text=written(wrong.value),
            message=f"{_LOADING}failed to load netconf: {says}{_KINDS[wrong.name].value}",
        )
    yield from _of_link_state(plugin, fields, loading=_LOADING)
    if plugin.ipam_type == "dhcp":
        ipam = fields_of(plugin.raw, _IPAM).written("ipam")
        key = fields_of(plugin.ipam, _IPAM).written("type")
        path = (*plugin.path, ipam, key)
        yield Refusal(path=path, text="dhcp", message="ipam type dhcp is not supported")


def _of_link_state(plugin: Plugin, fields: Fields, *, loading: str) -> Iterator[Refusal]:
    state = fields.text("link_state")
    if state not in _LINK_STATES:
        path = (*plugin.path, fields.written("link_state"))
        yield Refusal(path=path, text=state, message=f"{loading}invalid link_state value: {state}")
