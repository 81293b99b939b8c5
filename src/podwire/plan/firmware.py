"""What a PF's firmware has to be set to, and whether the next boot brings it already.

podwire says which parameters; it never sets them here and never resets a card.
"""

from collections.abc import Iterator, Mapping

from podwire.peers.mstconfig import (
    LINK_TYPE,
    LINK_TYPES,
    NUM_OF_VFS,
    SRIOV_EN,
    Settings,
    link_type_number,
)
from podwire.peers.pci_ids import MELLANOX
from podwire.plan.guids import MOST_VFS
from podwire.plan.machine import Pf
from podwire.plan.wish import Wish

_RESTART = "restart the machine (a cold start where the card shares its slot)"


def refusals(pf: Pf, count: int, wish: Wish, settings: Settings | None) -> Iterator[str]:
    """Say what the firmware keeps a PF from; only a restart changes it."""
    kind = link_type_number(wish.fabric.firmware.link_type)
    if kind is not None and pf.link_layer not in {"", LINK_TYPES[kind]}:
        yield (
            f"it is {pf.link_layer}, and {LINK_TYPES[kind]} is wanted; "
            f"{_remedy(pf, _wanted(pf, count, wish, settings), settings)}"
        )
    if count in {0, pf.count} or (pf.total or 0) >= count:
        return
    if pf.vendor == MELLANOX and count > MOST_VFS:
        yield f"{count} VFs are wanted, and a port of this vendor has at most {MOST_VFS}"
        return
    remedy = _remedy(pf, _wanted(pf, count, wish, settings), settings)
    if not pf.total:
        yield f"sriov_totalvfs is 0: SR-IOV is off in the firmware, or in the BIOS; {remedy}"
    else:
        yield f"{count} VFs are wanted and its firmware allows {pf.total}; {remedy}"


def notes(pf: Pf, count: int, wish: Wish, settings: Settings | None) -> Iterator[str]:
    """Say what else the spec wants of the firmware, where it was asked."""
    if settings is None:
        return
    wanted = _wanted(pf, count, wish, settings)
    missing = [name for name in wanted if settings.get(name) is None]
    for name in missing:
        yield f"firmware: this card has no {name}; what it stands for cannot be changed"
    if _open(wanted, settings):
        yield f"firmware: {_remedy(pf, wanted, settings)}"
    pending = [name for name, setting in settings.parameters.items() if setting.is_pending]
    ours = [name for name in pending if name in wanted]
    if ours:
        yield f"firmware: {', '.join(ours)} changes at the next boot"


def _wanted(pf: Pf, count: int, wish: Wish, settings: Settings | None) -> Mapping[str, str]:
    """Give the parameters that the spec asks for, by name; a single-port card has one port."""
    firmware = wish.fabric.firmware
    vfs = max(count, firmware.vfs or 0)
    found: dict[str, str] = {}
    if vfs > (pf.total or 0) or firmware.vfs is not None:
        found = {SRIOV_EN: "1", NUM_OF_VFS: str(vfs)}
    kind = link_type_number(firmware.link_type)
    if kind is not None:
        # A card that was not asked is taken to have one port.
        name = settings.link_type_name(pf.address) if settings else LINK_TYPE.format(1)
        found[name] = kind
    return found


def _open(wanted: Mapping[str, str], settings: Settings) -> Mapping[str, str]:
    """Leave what the next boot does not bring; more VFs than wanted are enough."""
    found = {}
    for name, value in wanted.items():
        setting = settings.get(name)
        if setting is None:
            continue
        then = setting.next_boot or setting.current or ""
        is_enough = name == NUM_OF_VFS and then.isdecimal() and int(then) >= int(value)
        if then != value and not is_enough:
            found[name] = value
    return found


def _remedy(pf: Pf, wanted: Mapping[str, str], settings: Settings | None) -> str:
    if pf.vendor not in {"", MELLANOX}:  # mstconfig knows no other vendor
        return "the BIOS or the vendor's tool sets it, if anything does"
    todo = wanted if settings is None else _open(wanted, settings)
    if not todo:
        return f"the settings are made already: {_RESTART}"
    words = " ".join(f"{name}={value}" for name, value in todo.items())
    return f"mstconfig -d {pf.address} -y set {words}, then {_RESTART}"
