"""What a Go struct takes from an object.

Seen with Go 1.26.8 (a program that unmarshals each of these into a struct): a key matches its
field whatever its case, and members are stored one after the other, so the last wins. null
leaves a string, a bool and a nested struct as they were, and empties a list, a map and a
pointer. A map, a struct and a list are stored into: members of a second one come on top, null
in a list keeps what stood there before. A member of a wrong kind is an error even where a
later one would do.
"""

import enum
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from podwire.model.evidence import Path
from podwire.peers.go_json.values import Object, Value, kind_of


class Kind(enum.Enum):
    """What a field takes, as far as reading differs."""

    STRING = "string"
    BOOL = "bool"
    STRINGS = "[]string"
    STRUCT = "struct"
    MAP = "map"
    OBJECTS = "[]*struct"
    TEXT_MAPS = "map[string]map[string]string"
    RAW = "*json.RawMessage"  # or interface{}: anything, and null for nothing


# What JSON has to have there.
_TAKES: Final[Mapping[Kind, str]] = {
    Kind.STRING: "string",
    Kind.BOOL: "bool",
    Kind.STRINGS: "array",
    Kind.STRUCT: "object",
    Kind.MAP: "object",
    Kind.OBJECTS: "array",
    Kind.TEXT_MAPS: "object",
}
_ELEMENTS: Final[Mapping[Kind, str]] = {
    Kind.STRINGS: "string",
    Kind.OBJECTS: "object",
    Kind.TEXT_MAPS: "object",
}
_KEEPS: Final = frozenset({Kind.STRING, Kind.BOOL, Kind.STRUCT})


class Member(msgspec.Struct, frozen=True):
    """What a field holds in the end, and the key that gave it, as written."""

    written: str
    value: Value


class Misfit(msgspec.Struct, frozen=True):
    """A value that does not fit its field: `key` as written, `path` from the object to it.

    `name` is the field's; `is_element`: the value stands in a list or a map that fits.
    """

    name: str
    key: str
    path: Path
    value: Value
    is_element: bool = False


class Fields(msgspec.Struct, frozen=True):
    """What a struct takes from an object, by the field's own spelling, and what it ignores."""

    known: Mapping[str, Member] = {}
    ignored: tuple[str, ...] = ()
    misfits: tuple[Misfit, ...] = ()

    def value(self, name: str) -> Value:
        """Give what a field holds; None where it holds nothing."""
        member = self.known.get(name)
        return None if member is None else member.value

    def written(self, name: str) -> str:
        """Give the key as written, or the field's own spelling."""
        member = self.known.get(name)
        return name if member is None else member.written

    def text(self, name: str) -> str:
        """Give a string; empty where there is none."""
        value = self.value(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        """Give a bool; false where there is none."""
        return self.value(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        """Give a list of strings; empty where there is none."""
        value = self.value(name)
        listed = value if isinstance(value, list) else []
        return tuple(item if isinstance(item, str) else "" for item in listed)

    def object(self, name: str) -> Object:
        """Give an object; empty where there is none."""
        value = self.value(name)
        return value if isinstance(value, Object) else Object()


def fields_of(value: Object, kinds: Mapping[str, Kind]) -> Fields:
    """Store the members of an object into the fields of a struct."""
    by_fold = {name.casefold(): name for name in kinds}
    known: dict[str, Member] = {}
    ignored: dict[str, None] = {}
    misfits: list[Misfit] = []
    for key, member in value.members:
        name = by_fold.get(key.casefold())
        if name is None:
            ignored[key] = None
            continue
        kind = kinds[name]
        wrong = tuple(_misfits(member, name=name, key=key, kind=kind))
        misfits += wrong
        had = known.get(name)
        if member is None and had is not None and kind in _KEEPS:
            continue
        known[name] = Member(written=key, value=_stored(member, had, kind=kind))
    return Fields(known=known, ignored=tuple(ignored), misfits=tuple(misfits))


def _stored(value: Value, had: Member | None, *, kind: Kind) -> Value:
    before = had.value if had is not None else None
    if isinstance(value, Object) and isinstance(before, Object) and kind is not Kind.RAW:
        return Object(members=(*before.members, *value.members))
    if isinstance(value, list) and isinstance(before, list) and kind is Kind.STRINGS:
        return [
            before[index] if item is None and index < len(before) else item
            for index, item in enumerate(value)
        ]
    return value


def _misfits(value: Value, *, name: str, key: str, kind: Kind) -> Iterator[Misfit]:
    if value is None or kind is Kind.RAW:
        return
    if kind_of(value) != _TAKES[kind]:
        yield Misfit(name=name, key=key, path=(key,), value=value)
        return
    for step, element in _elements(value) if kind in _ELEMENTS else ():
        fits = element is None or kind_of(element) == _ELEMENTS[kind]
        if not fits or (kind is Kind.TEXT_MAPS and not _is_text_map(element)):
            yield Misfit(name=name, key=key, path=(key, step), value=element, is_element=True)


def _elements(value: Value) -> Iterator[tuple[str | int, Value]]:
    if isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, Object):
        yield from value.members


def _is_text_map(value: Value) -> bool:
    members = value.members if isinstance(value, Object) else ()
    return all(inner is None or isinstance(inner, str) for _, inner in members)
