"""The map of GUIDs that were given on a machine: it outlives boots, cards and sources.

What is in it wins over every source, and it is not taken for another machine's.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.model.guids import Guid
from podwire.plan.machine import Identity, Machine

PATH = "var/lib/podwire/guids.json"
VERSION = 1


class Slot(msgspec.Struct, frozen=True):
    """The GUIDs of one PCI slot's VFs, by number, and the PF that was there."""

    pf: str
    guids: tuple[str, ...] = ()


class GuidMap(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file; slots by the PF's PCI address."""

    version: int = VERSION
    machine: Identity = Identity()
    slots: Mapping[str, Slot] = {}

    def given(self) -> Iterator[tuple[Guid, str]]:
        """Walk through every GUID with its place."""
        for address, slot in sorted(self.slots.items()):
            for index, text in enumerate(slot.guids):
                yield Guid.parse(text), f"VF {index} of {address}"


class MapError(ValueError):
    """A map that cannot be used; the text says why."""


def parse(data: bytes, *, name: str) -> GuidMap:
    """Read a map.

    Raises:
        MapError: a newer podwire wrote it, or it is no map.
    """
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version > VERSION:
            raise MapError(f"{name} has version {version}; this podwire reads up to {VERSION}")
        found = msgspec.json.decode(data, type=GuidMap)
    except msgspec.DecodeError as error:
        raise MapError(f"{name} is no map of GUIDs: {error}") from None
    for address, slot in found.slots.items():
        for text in slot.guids:
            guid = Guid.maybe(text)
            if guid is None or not guid.is_set:
                raise MapError(f"{name}: {text!r} of {address} is no GUID that a port can have")
    return found


class _Versioned(msgspec.Struct):
    version: int


def written(guids: GuidMap) -> bytes:
    """Write it so that a person can read it."""
    return msgspec.json.format(msgspec.json.encode(guids), indent=2) + b"\n"


class Fit(enum.Enum):
    """Whose map it is."""

    OURS = enum.auto()
    REPLACED = enum.auto()  # this machine, none of its cards
    FOREIGN = enum.auto()


def fit(guids: GuidMap, machine: Machine) -> Fit:
    """Tell a machine with new cards from a machine that boots another one's disk."""
    here = {str(pf.address): pf.guid for pf in machine.pfs}
    known = {address: Guid.maybe(slot.pf) for address, slot in guids.slots.items()}
    # A card carries its GUID: one that is here was never on another machine with this map.
    if not any(known.values()) or {*filter(None, known.values())} & {*filter(None, here.values())}:
        return Fit.OURS
    if not any(here.values()):
        return Fit.OURS  # No card of this kind is left; nothing will be given.
    same = (guids.machine.id, guids.machine.product) == (
        machine.identity.id,
        machine.identity.product,
    )
    return Fit.REPLACED if same and all((guids.machine.id, guids.machine.product)) else Fit.FOREIGN


def clone_words(guids: GuidMap, machine: Machine) -> str:
    """Say why a map is not this machine's."""
    return (
        f"/{PATH} was made on {_who(guids.machine)}, and no PF that it names is here; "
        f"this is {_who(machine.identity)}"
    )


def _who(identity: Identity) -> str:
    product = f" (product {identity.product})" if identity.product else ""
    return f"machine {identity.id or 'unknown'}{product}"


def collisions(
    given: Iterable[tuple[Guid, str]], others: Iterable[tuple[str, GuidMap]]
) -> Iterator[str]:
    """Find GUIDs that are there twice, here or with another machine, with both places."""
    places: dict[Guid, str] = {}
    for guid, place in given:
        before = places.setdefault(guid, place)
        if before != place:
            yield f"GUID {guid.octets} is that of {before} and of {place}"
    for name, other in others:
        for guid, place in other.given():
            if guid in places:
                yield f"GUID {guid.octets} is that of {places[guid]} here and of {place} in {name}"
