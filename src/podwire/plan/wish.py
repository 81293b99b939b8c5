"""What the spec wants of one machine: which entry is meant, which PFs, and their values."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from podwire.facts.link_layer import ETHERNET, INFINIBAND
from podwire.model.addresses import PciAddress
from podwire.peers.mstconfig import link_type_number
from podwire.peers.pci_ids import MELLANOX
from podwire.plan.machine import Machine, Pf
from podwire.plan.step import Repair
from podwire.spec.boards import BOARDS
from podwire.spec.meant import entries_for, wanted_layer, written_addresses
from podwire.spec.wiring import FabricWish, NodeWish, Wiring

_POLICIES = {
    "follow": "follow",
    "auto": "follow",
    "up": "up",
    "enable": "up",
    "down": "down",
    "disable": "down",
}
_MOST_VFS = 0xFFFF  # TotalVFs has 16 bits (linux v6.12 drivers/pci/iov.c sriov_init)
_LEAST_MTU, _MOST_MTU = 68, 65535  # linux v6.12 include/uapi/linux/if_ether.h ETH_*_MTU


class WishError(ValueError):
    """The spec does not say what is wanted of this machine."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Wish(msgspec.Struct, frozen=True):
    """What is wanted of the chosen PFs; None: left as it is."""

    pfs: tuple[PciAddress, ...] = ()
    count: int | None = None
    policy: str | None = None
    mtu: int | None = None
    fabric: FabricWish = FabricWish()


def entry_of(wiring: Wiring, *, name: str, labels: Mapping[str, str]) -> NodeWish:
    """Find what the spec says of this machine.

    Raises:
        WishError: nothing or more than one thing does.
    """
    found = entries_for(wiring.nodes, name=name, labels=labels)
    if len(found) == 1:
        return found[0][1]
    if found:
        raise WishError(f"{len(found)} entries of nodes[] are for {name}", hint="leave one of them")
    raise WishError(f"no entry of nodes[] is for {name}", hint=_hint(wiring, name))


def _hint(wiring: Wiring, name: str) -> str:
    names = [n for node in wiring.nodes for n in node.names]
    if any(node.selector.match_labels for node in wiring.nodes):
        return "a selector needs the node's labels: --label KEY=VALUE for each"
    near = difflib.get_close_matches(name, names, n=3)
    return f"--node NAME; the spec has {', '.join(near or names[:5]) or 'none'}"


def wish_of(fabric: FabricWish, machine: Machine) -> tuple[Wish, tuple[Repair, ...]]:
    """Choose PFs and read values; what cannot be found on this machine needs repair first.

    Raises:
        WishError: a value is none that podwire knows.
    """
    wanted = _addresses(fabric)
    pfs = wanted or tuple(_of_layer(wanted_layer(fabric.pfs), machine.pfs))
    if fabric.link_policy and fabric.link_policy.lower() not in _POLICIES:
        raise WishError(
            f"linkPolicy is {fabric.link_policy!r}", hint=f"one of {', '.join(_POLICIES)}"
        )
    _bounded("vfsPerPf", fabric.vfs_per_pf, least=0, most=_MOST_VFS)
    _bounded("firmware.vfs", fabric.firmware.vfs, least=0, most=_MOST_VFS)
    _bounded("mtu", fabric.mtu, least=_LEAST_MTU, most=_MOST_MTU)
    kind = fabric.firmware.link_type
    if kind and link_type_number(kind) is None:
        raise WishError(f"firmware.linkType is {kind!r}", hint="InfiniBand or Ethernet")
    wish = Wish(
        pfs=pfs,
        count=fabric.vfs_per_pf,
        policy=_POLICIES.get(fabric.link_policy.lower()),
        mtu=fabric.mtu,
        fabric=fabric,
    )
    return wish, tuple(_missing(pfs, machine, fabric=fabric))


def _bounded(name: str, value: int | None, *, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise WishError(f"{name} is {value}", hint=f"{least} to {most}")


def _addresses(fabric: FabricWish) -> tuple[PciAddress, ...]:
    if fabric.pfs.board and fabric.pfs.board not in BOARDS:
        raise WishError(
            f"pfs.board is {fabric.pfs.board!r}, which podwire does not know",
            hint=f"one of {', '.join(BOARDS)}, or pciAddresses",
        )
    try:
        return tuple(dict.fromkeys(map(PciAddress.parse, written_addresses(fabric.pfs))))
    except ValueError as error:
        raise WishError(f"pfs.pciAddresses: {error}", hint="lspci -D shows them") from None


def _of_layer(layer: str, pfs: Iterable[Pf]) -> Iterable[PciAddress]:
    """Choose by link layer."""
    known = {INFINIBAND.lower(): INFINIBAND, ETHERNET.lower(): ETHERNET}
    wanted = known.get(layer.lower())
    if wanted is None:
        raise WishError(f"pfs.linkLayer is {layer!r}", hint=f"{INFINIBAND} or {ETHERNET}")
    return (
        pf.address
        for pf in pfs
        if pf.link_layer == wanted
        and (pf.total is not None or (wanted == INFINIBAND and pf.vendor == MELLANOX))
    )


def _missing(
    pfs: Sequence[PciAddress], machine: Machine, *, fabric: FabricWish
) -> Iterable[Repair]:
    if not pfs:
        layer = wanted_layer(fabric.pfs)
        here = ", ".join(f"{pf.name} {pf.link_layer or 'no link'}" for pf in machine.pfs)
        yield Repair(
            text=f"the spec wants every {layer} PF, and there is none; here: {here or 'no PF'}",
            fix="load the driver, or name pciAddresses",
        )
    for address in pfs:
        if machine.pf(address) is None:
            text = f"PF {address} of the spec "
            text += "is a VF" if address in machine.others else "is not there"
            yield Repair(
                pf=str(address),
                text=text,
                fix="lspci -D; a card that is gone from the bus comes back with "
                "echo 1 > /sys/bus/pci/rescan, or a cold start",
            )
