"""Values of a selector that no function can ever match, whatever the node has.

Everything is compared exactly (see `selectors`): what sysfs never holds never matches.
"""

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Path
from podwire.peers.pci_ids import MELLANOX, vf_id_of
from podwire.peers.sriovdp.items import Item, read_item
from podwire.peers.sriovdp.keys import LIST_KEYS, NET_DEVICE
from podwire.peers.sriovdp.records import Entry, Selector
from podwire.peers.sriovdp.start import USERSPACE

_WILD: Final = frozenset("*?[")
_ID: Final = re.compile(r"[0-9a-f]{4}")
_P_KEY: Final = re.compile(r"0x[0-9a-f]{4}")
_NAME_LENGTH: Final = 15  # linux include/uapi/linux/if.h IFNAMSIZ, less the final zero

# Drivers of the auxiliary bus: no PCI function is bound to one of them. The PCI driver beside.
_AUXILIARY: Final[Mapping[str, str]] = {
    "mlx5_ib": "mlx5_core",
    "mlx5_en": "mlx5_core",
    "mlx4_ib": "mlx4_core",
    "mlx4_en": "mlx4_core",
    "ib_ipoib": "mlx5_core",
}
# What people write for netlink's two names of a link type.
_LINKS: Final[Mapping[str, str]] = {
    "ib": "infiniband",
    "infiniband": "infiniband",
    "eth": "ether",
    "ether": "ether",
    "ethernet": "ether",
}


class Flaw(enum.Enum):
    """Why a value matches nothing, as a sentence about it."""

    WILDCARD = "names are compared as a whole, there are no wildcards"
    ID = "an id is four lower-case hex digits without 0x"
    DRIVER = "that is no PCI driver"
    ADDRESS = "an address is written whole and in lower case, as 0000:18:00.2"
    NAME = "no net device can have this name"
    RANGE = "after # come indexes and rising ranges, as #0-3,7"
    REPEATED = "of one PF's items only the first counts"
    LINK = "the link types are infiniband and ether"
    P_KEY = "a P_Key is written as 0x8001"
    PF_ID = "that is the id of the PF, a function of its own"
    NO_RDMA = "a function in user space has no RDMA device"


class Flawed(msgspec.Struct, frozen=True, gc=False):
    """One value that cannot do what it says.

    `is_lost`: nothing at all matches it; else a part of it. `instead` is what to write,
    empty where nobody can say.
    """

    selector: int
    key: str
    value: str
    path: Path
    flaw: Flaw
    is_lost: bool = True
    instead: str = ""


def flaws_of(entry: Entry) -> tuple[Flawed, ...]:
    """List the values of an entry's selectors that match nothing, or not all they say."""
    return tuple(flawed for selector in entry.selectors for flawed in _flaws(selector, entry))


def is_dead(entry: Entry, flaws: tuple[Flawed, ...]) -> bool:
    """Tell whether no selector of an entry can take any function."""
    return bool(entry.selectors) and all(_is_dead(s, flaws) for s in entry.selectors)


def _is_dead(selector: Selector, flaws: tuple[Flawed, ...]) -> bool:
    lost = [f for f in flaws if f.selector == selector.index and f.is_lost]
    for key in {f.key for f in lost}:
        wanted = getattr(selector, LIST_KEYS[key]) if key in LIST_KEYS else ("true",)
        if {f.path for f in lost if f.key == key} >= {
            (*selector.at(key), i) if key in LIST_KEYS else selector.at(key)
            for i, _ in enumerate(wanted)
        }:
            return True
    return False


def _flaws(selector: Selector, entry: Entry) -> Iterator[Flawed]:
    for key, field in LIST_KEYS.items():
        values: tuple[str, ...] = getattr(selector, field)
        before: dict[str, Item] = {}
        for index, value in enumerate(values):
            found = _judged(key, value, selector=selector, entry=entry, before=before)
            if found is not None:
                flaw, is_lost, instead = found
                yield Flawed(
                    selector=selector.index,
                    key=key,
                    value=value,
                    path=(*selector.at(key), index),
                    flaw=flaw,
                    is_lost=is_lost,
                    instead=instead,
                )
    drivers = selector.drivers if entry.device_type == NET_DEVICE else ()
    if selector.is_rdma and drivers and USERSPACE.issuperset(drivers):
        yield Flawed(
            selector=selector.index,
            key="isRdma",
            value=f"true beside drivers {', '.join(drivers)}",
            path=selector.at("isRdma"),
            flaw=Flaw.NO_RDMA,
        )


_Verdict = tuple[Flaw, bool, str] | None


def _judged(
    key: str, value: str, *, selector: Selector, entry: Entry, before: dict[str, Item]
) -> _Verdict:
    if not value:
        return None
    if key in {"pfNames", "rootDevices"}:
        return _judged_item(key, value, before=before)
    if _WILD.intersection(value):
        return Flaw.WILDCARD, True, ""
    if key == "devices" and _ID.fullmatch(value):
        return _judged_pf_id(value, selector) if entry.device_type == NET_DEVICE else None
    if key == "drivers" and entry.device_type != NET_DEVICE:
        return None  # An auxiliary device is bound to such a driver.
    judge = _BY_FORM.get(key)
    return judge(value) if judge else None


def _judged_id(value: str) -> _Verdict:
    if _ID.fullmatch(value):
        return None
    plain = value.strip().lower().removeprefix("0x")
    return Flaw.ID, True, plain if _ID.fullmatch(plain) else ""


def _judged_pf_id(value: str, selector: Selector) -> _Verdict:
    """A PF's id beside keys that ask for the PF's name or address fits nothing: see `start`.

    An auxiliary device has the id of the function below it, which is the PF.
    """
    vf = vf_id_of(value)
    is_other = bool(selector.vendors) and MELLANOX not in selector.vendors
    if vf is None or vf in selector.devices or is_other:
        return None
    return Flaw.PF_ID, bool(selector.pf_names or selector.root_devices), vf


def _judged_driver(value: str) -> _Verdict:
    driver = _AUXILIARY.get(value)
    return (Flaw.DRIVER, True, driver) if driver else None


def _judged_address(value: str) -> _Verdict:
    return None if PciAddress.is_one(value) else (Flaw.ADDRESS, True, _address(value))


def _address(value: str) -> str:
    lower = value.strip().lower()
    for text in (lower, f"0000:{lower}"):
        if PciAddress.is_one(text):
            return text
    return ""


def _judged_link(value: str) -> _Verdict:
    meant = _LINKS.get(value.strip().lower())
    return None if meant in {None, value} else (Flaw.LINK, True, meant or "")


def _judged_p_key(value: str) -> _Verdict:
    return None if _P_KEY.fullmatch(value) else (Flaw.P_KEY, True, "")


_BY_FORM: Final[Mapping[str, Callable[[str], _Verdict]]] = {
    "vendors": _judged_id,
    "devices": _judged_id,
    "drivers": _judged_driver,
    "pciAddresses": _judged_address,
    "linkTypes": _judged_link,
    "pKeys": _judged_p_key,
}


def _judged_item(key: str, value: str, *, before: dict[str, Item]) -> _Verdict:
    item = read_item(value)
    name, _, indexes = value.partition("#")
    first = before.setdefault(item.name, item)
    if _WILD.intersection(name):
        return Flaw.WILDCARD, True, ""
    if key == "rootDevices" and not PciAddress.is_one(item.name):
        whole = _address(name)
        return Flaw.ADDRESS, True, value.replace(name, whole, 1) if whole else ""
    if key == "pfNames" and not _can_be_name(name):
        return Flaw.NAME, True, ""
    if first is not item:
        return _judged_twin(item, first=first, name=name)
    return _judged_range(item, indexes)


def _can_be_name(name: str) -> bool:
    return len(name) <= _NAME_LENGTH and "/" not in name and not any(map(str.isspace, name))


def _judged_twin(item: Item, *, first: Item, name: str) -> _Verdict:
    """A second item of a PF adds nothing; it does no harm where the first covers it."""
    if first.spans is None or (item.spans is not None and _covers(first, item)):
        return None
    if item.spans is None:
        return Flaw.REPEATED, True, name
    spans = ",".join(_written(span) for span in (*first.spans, *item.spans))
    return Flaw.REPEATED, True, f"{name}#{spans}"


def _covers(first: Item, item: Item) -> bool:
    return all(
        any(low <= start and end <= high for low, high in first.spans or ())
        for start, end in item.spans or ()
    )


def _written(span: tuple[int, int]) -> str:
    return str(span[0]) if span[0] == span[1] else f"{span[0]}-{span[1]}"


def _judged_range(item: Item, indexes: str) -> _Verdict:
    spans = item.spans
    if spans is None:
        return None
    is_falling = any(low > high for low, high in spans)
    if not (item.is_malformed or is_falling):
        return None
    is_lost = all(low > high for low, high in spans)
    rising = ",".join(_written((min(span), max(span))) for span in spans)
    instead = "" if item.is_malformed or not indexes else f"{item.text.partition('#')[0]}#{rising}"
    return Flaw.RANGE, is_lost, instead
