"""Ask one function whether one selector takes it, key by key, in the plugin's order.

Sources: pkg/netdevice/netDeviceProvider.go GetFilteredDevices, v3.11.0, for the order;
pkg/resources/deviceSelectors.go, pKeySelector.go and ddpSelector.go for the comparisons.
All are exact: no wildcards, no ranges but those after a `#`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from podwire.facts.node import Function
from podwire.model.evidence import Answer, Known, Unknown, joined
from podwire.peers.pci_ids import MELLANOX
from podwire.peers.sriovdp.items import Item, read_item
from podwire.peers.sriovdp.keys import LIST_KEYS
from podwire.peers.sriovdp.records import Selector
from podwire.peers.sriovdp.start import (
    Possible,
    Start,
    has_rdma,
    index_of,
    link_types,
    pf_names,
    rdma_device,
)

ORDER: Final = (
    "vendors",
    "devices",
    "drivers",
    "pciAddresses",
    "acpiIndexes",
    "pfNames",
    "rootDevices",
    "linkTypes",
    "ddpProfiles",
    "pKeys",
    "isRdma",
    "vdpaType",
)

_YES: Final[Answer[bool]] = Known(value=True)
_NO: Final[Answer[bool]] = Known(value=False)


class Check(msgspec.Struct, frozen=True):
    """One key of one selector, prepared: what it wants, and the items of a `#` key."""

    key: str
    wanted: tuple[str, ...]
    items: tuple[Item, ...] = ()


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What one key, or a whole selector, says to one function: wanted, had, and the answer.

    One that passes is always `PASSED`.
    """

    answer: Answer[bool]
    key: str = ""
    wanted: tuple[str, ...] = ()
    had: str = ""

    @property
    def is_passed(self) -> bool:
        """It surely takes the function."""
        return self is PASSED

    @property
    def is_dropped(self) -> bool:
        """It surely drops the function."""
        return isinstance(self.answer, Known) and not self.answer.value


PASSED: Final = Outcome(answer=_YES)


def checks_of(selector: Selector) -> tuple[Check, ...]:
    """List the keys that narrow the selector, in the order in which the plugin asks them."""
    return tuple(_checks(selector))


def _checks(selector: Selector) -> Iterator[Check]:
    for key in ORDER:
        if key == "isRdma":
            wanted = ("true",) if selector.is_rdma else ()
        elif key == "vdpaType":
            wanted = (selector.vdpa_type,) if selector.vdpa_type else ()
        else:
            wanted = getattr(selector, LIST_KEYS[key])
        if wanted:
            items = tuple(map(read_item, wanted)) if key in {"pfNames", "rootDevices"} else ()
            yield Check(key=key, wanted=wanted, items=items)


def judge(function: Function, *, checks: Iterable[Check], start: Start) -> Outcome:
    """Ask all keys of a selector."""
    return decided(judge_key(check, function, start) for check in checks)


def decided(outcomes: Iterable[Outcome]) -> Outcome:
    """Decide for a selector: the first key that surely drops, else anything unknown, else yes."""
    unknown: list[Outcome] = []
    for outcome in outcomes:
        if outcome is PASSED:
            continue
        if outcome.is_dropped:
            return outcome
        unknown.append(outcome)
    if not unknown:
        return PASSED
    if len(unknown) == 1:
        return unknown[0]
    why = joined(o.answer for o in unknown if isinstance(o.answer, Unknown))
    return msgspec.structs.replace(unknown[0], answer=why)


def judge_key(check: Check, function: Function, start: Start) -> Outcome:
    """Ask one key."""
    return _JUDGES[check.key](check, function, start)


def _compared(check: Check, had: str) -> Outcome:
    if had in check.wanted:
        return PASSED
    return _dropped(check, had)


def _dropped(check: Check, had: str) -> Outcome:
    return Outcome(answer=_NO, key=check.key, wanted=check.wanted, had=had)


def _unsure(check: Check, why: Unknown) -> Outcome:
    return Outcome(answer=why, key=check.key, wanted=check.wanted)


def _attribute(check: Check, function: Function, name: str) -> Outcome:
    value = function.attributes.values.get(name)
    if value is None:
        read = function.attributes.read(name)
        return _unsure(check, read) if isinstance(read, Unknown) else _compared(check, "")
    return _compared(check, value.strip())


def _id(check: Check, function: Function, name: str) -> Outcome:
    """Compare an id as ghw gives it: four lower-case hex digits, no 0x."""
    value = function.attributes.values.get(name)
    if value is None:
        return _attribute(check, function, name)
    return _compared(check, value.strip().lower().removeprefix("0x"))


def _vendors(check: Check, function: Function, _: Start) -> Outcome:
    return _id(check, function, "vendor")


def _devices(check: Check, function: Function, _: Start) -> Outcome:
    return _id(check, function, "device")


def _drivers(check: Check, function: Function, _: Start) -> Outcome:
    return _compared(check, function.driver or "")


def _pci_addresses(check: Check, function: Function, _: Start) -> Outcome:
    return _compared(check, str(function.address))


def _acpi_indexes(check: Check, function: Function, _: Start) -> Outcome:
    return _attribute(check, function, "acpi_index")


def _pf_names(check: Check, function: Function, start: Start) -> Outcome:
    names = pf_names(function, start)
    if names.why is None:
        return _item_of(check, names.values[0], function, start)
    outcomes = [_item_of(check, name, function, start) for name in names.values]
    return _agreed(check, outcomes, names)


def _root_devices(check: Check, function: Function, start: Start) -> Outcome:
    return _item_of(check, str(function.physfn or ""), function, start)


def _item_of(check: Check, name: str, function: Function, start: Start) -> Outcome:
    """Only the first item with the PF's name counts; one without index takes all its VFs."""
    folded = name.casefold()
    for item in check.items:
        if name and item.name == folded:
            break
    else:
        return _dropped(check, name)
    if item.spans is None:
        return PASSED
    index = index_of(function, start)
    if isinstance(index, Unknown):
        return _unsure(check, index)
    if item.covers(index.value):
        return PASSED
    had = f"{name}#{index.value}"
    return Outcome(answer=_NO, key=check.key, wanted=(item.text,), had=had)


def _link_types(check: Check, function: Function, start: Start) -> Outcome:
    types = link_types(function, start)
    return _agreed(check, [_compared(check, value) for value in types.values], types)


def _agreed(check: Check, outcomes: list[Outcome], possible: Possible) -> Outcome:
    """Take what every possible value says; where they differ nobody knows."""
    first = outcomes[0] if outcomes else None
    if possible.why is None and first is not None:
        return first
    agree = first is not None and all(o.answer == first.answer for o in outcomes)
    if first is not None and agree and not possible.is_open:
        return first
    return _unsure(check, possible.why or Unknown(reason="no value is known"))


def _ddp_profiles(check: Check, function: Function, _: Start) -> Outcome:
    """Only Intel's cards have profiles, which devlink or ddptool show, not sysfs."""
    vendor = function.attributes.values.get("vendor", "").strip()
    if vendor == f"0x{MELLANOX}":
        return _dropped(check, "")
    why = Unknown(
        reason=f"the DDP profile of {function.address} of node {function.node} was not collected",
        give=f"devlink dev info pci/{function.address}",
    )
    return _unsure(check, why)


def _p_keys(check: Check, function: Function, start: Start) -> Outcome:
    """Compare P_Key 0 of port 1; it is asked only where the link is InfiniBand.

    Source: pkg/netdevice/pciNetDevice.go, utils.go GetPKey (devlink does not count here).
    """
    types = link_types(function, start)
    if "infiniband" not in types.values and not types.is_open:
        return _dropped(check, "")
    rdma = rdma_device(function, start)
    if isinstance(rdma, Known) and not rdma.value:
        return _dropped(check, "")
    if types.why is not None:
        return _unsure(check, types.why)
    if isinstance(rdma, Unknown):
        return _unsure(check, rdma)
    read = function.rdma[0].attributes.read("ports/1/pkeys/0")
    if isinstance(read, Unknown):
        return _unsure(check, read)
    key = (read.value or "").strip()
    return _compared(check, key) if key else _dropped(check, "")


def _is_rdma(check: Check, function: Function, start: Start) -> Outcome:
    rdma = has_rdma(function, start)
    if isinstance(rdma, Unknown):
        return _unsure(check, rdma)
    if rdma.value:
        return PASSED
    return _dropped(check, "no RDMA device")


def _vdpa_type(check: Check, function: Function, _: Start) -> Outcome:
    why = Unknown(
        reason=f"vDPA devices of {function.address} of node {function.node} were not collected",
        give="vdpa dev show",
    )
    return _unsure(check, why)


_JUDGES: Final[Mapping[str, Callable[[Check, Function, Start], Outcome]]] = {
    "vendors": _vendors,
    "devices": _devices,
    "drivers": _drivers,
    "pciAddresses": _pci_addresses,
    "acpiIndexes": _acpi_indexes,
    "pfNames": _pf_names,
    "rootDevices": _root_devices,
    "linkTypes": _link_types,
    "ddpProfiles": _ddp_profiles,
    "pKeys": _p_keys,
    "isRdma": _is_rdma,
    "vdpaType": _vdpa_type,
}
