"""Functions and GPUs of one machine, and who holds them, into what is shown."""

from collections.abc import Mapping, Sequence

import msgspec

from podwire.facts.hardware import Shown, ShownGpu, ShownPf, ShownVf
from podwire.facts.nearness import ORDER, bridges, nearness
from podwire.facts.node import Function, NetDevice, RdmaDevice
from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.peers.pci_ids import can_have_vfs, card_name


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """What is known beside sysfs, by PCI address.

    `paths` are functions' places in the tree of devices, GPUs' too; `policies` link policies
    of VFs, `next_layers` what the firmware makes of a port at the next boot.
    """

    paths: Mapping[str, str] = {}
    holders: Mapping[str, str] = {}
    policies: Mapping[str, str] = {}
    next_layers: Mapping[str, str] = {}
    owners: Mapping[str, tuple[str, ...]] = {}


def shown_machine(
    node: str,
    functions: Sequence[Function],
    *,
    gpus: tuple[ShownGpu, ...] = (),
    beside: Beside,
    kernel: str | None = None,
) -> Shown:
    """Put a machine's PFs with their VFs beside its GPUs, sorted by address."""
    by_address = {f.address: f for f in functions}
    pfs = tuple(
        _pf(f, by_address, gpus=gpus, beside=beside)
        for f in functions
        if not f.is_vf and can_have_vfs(f)
    )
    return Shown(node=node, kernel=kernel, pfs=pfs, gpus=gpus)


def _pf(
    function: Function,
    functions: Mapping[PciAddress, Function],
    *,
    gpus: tuple[ShownGpu, ...],
    beside: Beside,
) -> ShownPf:
    values = function.attributes.values
    device, netdev = _first(function)
    address = str(function.address)
    near, way = _nearest(function, gpus, beside)
    return ShownPf(
        address=address,
        card=card_name(function.device_id),
        netdev=netdev.name if netdev else None,
        rdma=device.name if device else None,
        driver=function.driver,
        guid=_guid(device),
        firmware=_of(device, "fw_ver"),
        board=_of(device, "board_id"),
        link_layer=_of(device, "ports/1/link_layer"),
        link_layer_next_boot=beside.next_layers.get(address),
        state=_word(_of(device, "ports/1/state")),
        phys_state=_word(_of(device, "ports/1/phys_state")),
        rate=_of(device, "ports/1/rate"),
        pcie=_pcie(values, "current"),
        pcie_most=_pcie(values, "max"),
        numa_node=values.get("numa_node"),
        nearest_gpus=near,
        nearest_way=way,
        total_vfs=values.get("sriov_totalvfs"),
        owners=beside.owners.get(address, ()),
        vfs=tuple(
            _vf(index, functions[vf], beside=beside)
            for index, vf in function.virtfns
            if vf in functions
        ),
    )


def _vf(index: int, function: Function, *, beside: Beside) -> ShownVf:
    device, netdev = _first(function)
    address = str(function.address)
    gid = Guid.of_gid(_of(device, "ports/1/gids/0") or "")
    return ShownVf(
        index=index,
        address=address,
        netdev=netdev.name if netdev else None,
        rdma=device.name if device else None,
        driver=function.driver,
        node_guid=_guid(device),
        port_guid=gid.octets if gid else None,
        link_policy=beside.policies.get(address),
        state=_word(_of(device, "ports/1/state")),
        mtu=netdev.attributes.values.get("mtu") if netdev else None,
        holder=beside.holders.get(address),
    )


def _first(function: Function) -> tuple[RdmaDevice | None, NetDevice | None]:
    return next(iter(function.rdma), None), next(iter(function.netdevs), None)


def _of(device: RdmaDevice | None, name: str) -> str | None:
    value = device.attributes.values.get(name) if device else None
    return value.strip() if value else None


def _guid(device: RdmaDevice | None) -> str | None:
    guid = Guid.maybe(_of(device, "node_guid") or "")
    return guid.octets if guid else None


def _word(text: str | None) -> str | None:
    return text.rpartition(":")[2].strip() if text else None


def _pcie(values: Mapping[str, str], which: str) -> str | None:
    speed, width = values.get(f"{which}_link_speed"), values.get(f"{which}_link_width")
    return f"{speed.removesuffix(' PCIe')} x{width}" if speed and width else None


def _nearest(
    function: Function, gpus: tuple[ShownGpu, ...], beside: Beside
) -> tuple[tuple[int, ...], str | None]:
    """Give the GPUs that are nearest to a PF; none where the tree was not read."""
    mine = bridges(beside.paths.get(str(function.address), ""))
    if not mine:
        return (), None
    numa = function.attributes.values.get("numa_node")
    ways: dict[str, list[int]] = {}
    for gpu in gpus:
        its = bridges(beside.paths.get(gpu.address or "", ""))
        if its:
            ways.setdefault(nearness(mine, its, numa=(numa, gpu.numa_node)), []).append(gpu.index)
    best = min(ways, key=ORDER.index, default=None)
    return (tuple(ways[best]), best) if best else ((), None)
