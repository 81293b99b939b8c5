"""Why a pool has no function on a node, in words: what was wanted beside what is there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from podwire.facts.node import Function
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Place
from podwire.peers import pci_ids
from podwire.peers.sriovdp.fates import Exclusion, Filled, Step
from podwire.peers.sriovdp.items import read_item
from podwire.peers.sriovdp.places import place_of
from podwire.peers.sriovdp.reasons import Reason, why_empty
from podwire.peers.sriovdp.records import Selector
from podwire.peers.sriovdp.selectors import ORDER
from podwire.wire.pools.on_nodes import Found

# Keys that a function without driver cannot fit, for it has no devices of any kind.
_NEEDS_DRIVER = frozenset({"drivers", "linkTypes", "pKeys", "isRdma"})
_SHOWN = 3


class Why(msgspec.Struct, frozen=True):
    """One reason: the words, what makes it alike on other nodes, what helps, and where.

    `selector` and `key` lead to what was wanted in the pool; `key` is empty where no key is
    the reason. `is_state`: the functions are those that the pool names, and lack something;
    else they may be another pool's. `is_here`: the node has what the pool is for, without
    VFs or a driver, left out or in another pool; else it may be meant for other nodes.
    """

    text: str
    kind: str
    fix: str
    place: Place
    saw: str
    selector: int = 0
    key: str = ""
    is_state: bool = False
    is_here: bool = False


def why(found: Found) -> tuple[Why, ...]:
    """Give the reasons that come nearest to fitting first."""
    if missing := _no_vfs(found):
        return (missing,)
    reasons = sorted(_merged(why_empty(found.filled, found.pool)), key=_distance)
    near = [r for r in reasons if r.key != "vendors"] or reasons
    return (*_driverless(found), *(_worded(r, found.filled) for r in near))


def _merged(reasons: Iterable[Reason]) -> Iterator[Reason]:
    """Put the functions of one PF together that differ by their index alone."""
    groups: dict[Reason, list[Reason]] = defaultdict(list)
    for reason in reasons:
        name, sign, _ = reason.had.partition("#")
        alike = msgspec.structs.replace(reason, had=name + sign, addresses=(), unknown=None)
        groups[alike].append(reason)
    for alike, members in groups.items():
        indexes = ", ".join(m.had.partition("#")[2] for m in members[:_SHOWN])
        yield msgspec.structs.replace(
            alike,
            had=alike.had + indexes if alike.had.endswith("#") else members[0].had,
            addresses=tuple(a for m in members for a in m.addresses),
        )


def _distance(reason: Reason) -> tuple[int, int]:
    """The later a key stands in the plugin's order, the nearer the function came."""
    if reason.step is Step.DROPPED:
        return len(ORDER) - ORDER.index(reason.key), -reason.count
    return 0, -reason.count


def _no_vfs(found: Found) -> Why | None:
    """Say that a PF which the pool names has no VF, or that there is no VF at all."""
    functions = [fate.function for fate in found.filled.fates.values()]
    cards = [f for f in functions if pci_ids.can_have_vfs(f) and not f.virtfns]
    selectors = found.pool.entry.selectors
    cards = [f for f in cards if any(_admits(selector, f) for selector in selectors)]
    named = [f for f in cards if _is_named(f, found)]
    if not named and (not cards or any(f.is_vf for f in functions)):
        return None
    first, *rest = named or cards
    more = f" and {len(rest)} more" if rest else ""
    name = f" ({first.netdevs[0].name})" if first.netdevs else ""
    return Why(
        text=f"there is no VF: sriov_numvfs is 0 on {first.address}{name}{more}",
        kind="no VF",
        fix="create VFs (sriov_numvfs) before the plugin starts, then restart its pod there",
        place=first.place("sriov_numvfs"),
        saw=first.attributes.values.get("sriov_numvfs", "no virtfn*"),
        is_state=bool(named),
        is_here=True,
    )


def _admits(selector: Selector, card: Function) -> bool:
    """Tell whether VFs of a card would have the vendor and the id that a selector asks for.

    Where nobody knows the id of its VFs, any will do, but not those of another vendor alone.
    """
    vendor = card.attributes.values.get("vendor", "").strip().removeprefix("0x")
    if selector.vendors and vendor not in selector.vendors:
        return False
    vf = card.attributes.values.get("sriov_vf_device", "").strip() or pci_ids.vf_id_of(
        card.device_id
    )
    if not selector.devices or vf is not None:
        return not selector.devices or vf in selector.devices
    return vendor == pci_ids.MELLANOX or not set(pci_ids.VF_IDS).issuperset(selector.devices)


def _is_named(function: Function, found: Found) -> bool:
    names = {str(function.address), *(device.name.casefold() for device in function.netdevs)}
    return any(
        read_item(item).name in names
        for selector in found.pool.entry.selectors
        for item in (*selector.pf_names, *selector.root_devices)
    )


def _driverless(found: Found) -> Iterator[Why]:
    bare = [
        fate.function
        for fate in found.filled.fates.values()
        if fate.excluded is Exclusion.NO_DRIVER
        and fate.function.is_vf
        and any(t.outcome.key in _NEEDS_DRIVER for t in fate.trials_of(found.pool.entry))
    ]
    if bare:
        yield Why(
            text=f"{_many(len(bare), 'VF')} {'have' if len(bare) > 1 else 'has'} no driver "
            f"({bare[0].address})",
            kind="no driver",
            fix="bind the VFs to their driver (sriov_drivers_autoprobe), then restart the plugin",
            place=bare[0].place("driver"),
            saw="no driver",
            is_state=True,
            is_here=True,
        )


def _worded(reason: Reason, filled: Filled) -> Why:
    fate = filled.fates[reason.addresses[0]]
    text, fix = _words(reason, filled)
    return Why(
        text=text,
        kind=f"{reason.step.value} {reason.key} {reason.wanted} {reason.had} {reason.holder}",
        fix=fix,
        place=place_of(reason.key, fate.function, filled.start),
        saw=reason.had or reason.excluded or reason.holder or "none",
        selector=reason.selector,
        key=reason.key,
        is_state=reason.key == "isRdma",
        is_here=reason.key == "isRdma" or reason.step in {Step.BUSY, Step.EXCLUDED},
    )


def _words(reason: Reason, filled: Filled) -> tuple[str, str]:
    if reason.step is Step.BUSY:
        fix = f"narrow {reason.holder}, or write this pool before it"
        return f"{reason.holder} has the {_who(reason, filled)} that fit already", fix
    if reason.step is Step.DROPPED and reason.key == "devices":
        return _of_devices(reason, filled)
    if reason.step is Step.DROPPED and reason.key in {"pfNames", "rootDevices"}:
        return _of_ports(reason, filled)
    if reason.step is Step.DROPPED:
        return _of_others(reason, filled)
    return str(reason), _EXCLUDED.get(reason.excluded, "")


_EXCLUDED = {
    Exclusion.DEFAULT_ROUTE.value: "move the default route to another device",
    Exclusion.NO_DRIVER.value: "bind the functions to a driver",
}


def _of_devices(reason: Reason, filled: Filled) -> tuple[str, str]:
    names = ", ".join(f"{i}{_in_brackets(pci_ids.card_name(i))}" for i in reason.wanted[:_SHOWN])
    cards = sorted({card for a in reason.addresses if (card := _card(a, filled))})
    of = f", of {', '.join(cards)}" if cards else ""
    fix = f'set devices to ["{reason.had}"], or leave devices out and select by pfNames'
    pfs = [i for i in reason.wanted if pci_ids.vf_id_of(i) == reason.had]
    note = f"; {pfs[0]} is the id of the PF" if pfs else ""
    return (
        f"devices wants {names}, the {_who(reason, filled)} there are {reason.had}{of}{note}",
        fix,
    )


def _card(address: PciAddress, filled: Filled) -> str:
    """Name the card of a VF by its PF, with the PF's id."""
    physfn = filled.fates[address].function.physfn
    pf = filled.start.functions.get(physfn) if physfn else None
    name = pci_ids.card_name(pf.device_id) if pf else None
    return f"{name} (PF id {pf.device_id})" if pf and name else ""


def _of_ports(reason: Reason, filled: Filled) -> tuple[str, str]:
    wanted = ", ".join(reason.wanted[:_SHOWN])
    who = _who(reason, filled)
    if not reason.had and reason.key == "pfNames":
        fix = "select by rootDevices, or load IPoIB so that the PF has a net device"
        return f"pfNames wants {wanted}, the PF of the {who} there has no net device", fix
    name = reason.had.partition("#")[0]
    if "#" in reason.had:
        is_one = "is" if reason.count == 1 else "are"
        return f"{reason.key} wants {wanted}, the {who} there {is_one} {reason.had}", (
            f"widen the indexes after # for {name}"
        )
    fix = f'name the PFs of this node in {reason.key}, such as "{name or "0000:18:00.0"}"'
    return f"{reason.key} wants {wanted}, the PF of the {who} there is {name or 'none'}", fix


def _of_others(reason: Reason, filled: Filled) -> tuple[str, str]:
    wanted, who = ", ".join(reason.wanted[:_SHOWN]), _who(reason, filled)
    had = reason.had or "none"
    if reason.key == "isRdma":
        return f"the {who} there have no RDMA device, which isRdma asks for", (
            "load the RDMA driver (mlx5_ib), or take isRdma out"
        )
    if reason.key in {"pciAddresses", "acpiIndexes"}:
        return f"{reason.key} wants {wanted}, which no function there has", (
            f"name functions of this node in {reason.key}"
        )
    if reason.key == "linkTypes" and not reason.had:
        return f"linkTypes wants {wanted}, the {who} had no net device on the host", (
            "select by pfNames or devices in place of linkTypes"
        )
    fix = "" if reason.key == "vendors" else f'set {reason.key} to ["{had}"]'
    return f"{reason.key} wants {wanted}, the {who} there have {had}", fix


def _who(reason: Reason, filled: Filled) -> str:
    functions = [filled.fates[a].function for a in reason.addresses]
    kind = "VF" if all(f.is_vf for f in functions) else "function"
    return _many(len(functions), kind)


def _many(count: int, kind: str) -> str:
    return f"{count} {kind}{'' if count == 1 else 's'}"


def _in_brackets(text: str | None) -> str:
    return f" ({text})" if text else ""
