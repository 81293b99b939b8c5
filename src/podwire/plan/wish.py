"""What the spec wants of one machine: which entry is meant, which PFs, and their values."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from podwire.model.addresses import PciAddress
from podwire.peers import mstconfig
from podwire.plan.machine import ETHERNET, INFINIBAND, Machine, Pf
from podwire.plan.step import Repair
from podwire.spec.boards import BOARDS
from podwire.spec.wiring import FabricWish, NodeWish, Wiring

_POLICIES = {
    "follow": "follow",
    "auto": "follow",
    "up": "up",
    "enable": "up",
    "down": "down",
    "disable": "down",
}
# mstconfig's LINK_TYPE_Px, by what people write.
LINK_TYPE_NUMBERS = {
    "infiniband": mstconfig.INFINIBAND,
    "ib": mstconfig.INFINIBAND,
    "ethernet": mstconfig.ETHERNET,
    "eth": mstconfig.ETHERNET,
}
_MELLANOX = "15b3"


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
    found = [n for n in wiring.nodes if name in n.names]
    found = found or [n for n in wiring.nodes if not n.names and _selects(n, labels)]
    if len(found) == 1:
        return found[0]
    if found:
        raise WishError(f"{len(found)} entries of nodes[] are for {name}", hint="leave one of them")
    raise WishError(f"no entry of nodes[] is for {name}", hint=_hint(wiring, name))


def _selects(node: NodeWish, labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in node.selector.match_labels.items())


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
    pfs = wanted or tuple(_of_layer(fabric.pfs.link_layer, machine.pfs))
    if fabric.link_policy and fabric.link_policy.lower() not in _POLICIES:
        raise WishError(
            f"linkPolicy is {fabric.link_policy!r}", hint=f"one of {', '.join(_POLICIES)}"
        )
    if fabric.vfs_per_pf is not None and fabric.vfs_per_pf < 0:
        raise WishError(f"vfsPerPf is {fabric.vfs_per_pf}", hint="0 or more")
    kind = fabric.firmware.link_type
    if kind and kind.lower() not in LINK_TYPE_NUMBERS:
        raise WishError(f"firmware.linkType is {kind!r}", hint="InfiniBand or Ethernet")
    wish = Wish(
        pfs=pfs,
        count=fabric.vfs_per_pf,
        policy=_POLICIES.get(fabric.link_policy.lower()),
        mtu=fabric.mtu,
        fabric=fabric,
    )
    return wish, tuple(_missing(pfs, machine, fabric=fabric))


def _addresses(fabric: FabricWish) -> tuple[PciAddress, ...]:
    written: Sequence[str] = fabric.pfs.pci_addresses
    if fabric.pfs.board:
        if fabric.pfs.board not in BOARDS:
            raise WishError(
                f"pfs.board is {fabric.pfs.board!r}, which podwire does not know",
                hint=f"one of {', '.join(BOARDS)}, or pciAddresses",
            )
        written = written or BOARDS[fabric.pfs.board]
    try:
        return tuple(dict.fromkeys(map(PciAddress.parse, written)))
    except ValueError as error:
        raise WishError(f"pfs.pciAddresses: {error}", hint="lspci -D shows them") from None


def _of_layer(layer: str, pfs: Iterable[Pf]) -> Iterable[PciAddress]:
    """Choose by link layer; without a wish every InfiniBand PF."""
    known = {INFINIBAND.lower(): INFINIBAND, ETHERNET.lower(): ETHERNET}
    wanted = known.get((layer or INFINIBAND).lower())
    if wanted is None:
        raise WishError(f"pfs.linkLayer is {layer!r}", hint=f"{INFINIBAND} or {ETHERNET}")
    return (
        pf.address
        for pf in pfs
        if pf.link_layer == wanted
        and (pf.total is not None or (wanted == INFINIBAND and pf.vendor == _MELLANOX))
    )


def _missing(
    pfs: Sequence[PciAddress], machine: Machine, *, fabric: FabricWish
) -> Iterable[Repair]:
    if not pfs:
        layer = fabric.pfs.link_layer or INFINIBAND
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
