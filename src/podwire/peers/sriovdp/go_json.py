"""JSON as Go's encoding/json takes it into structs: keys of any case, null anywhere.

Objects keep every member in order, with its key as written, so that places can be named.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NoReturn, TypeAlias

import msgspec


class Number(msgspec.Struct, frozen=True, gc=False):
    """A number, as written: no key of the plugin takes one."""

    text: str


class Object(msgspec.Struct, frozen=True):
    """An object with its members in order, repeated keys too."""

    members: list[tuple[str, "Value"]]


Value: TypeAlias = str | bool | Number | list["Value"] | Object | None


class Member(msgspec.Struct, frozen=True):
    """One member that a struct has a field for: the key as written, and the value."""

    written: str
    value: Value


class Fields(msgspec.Struct, frozen=True):
    """What a struct takes from an object, by the field's own spelling, and what it ignores."""

    known: Mapping[str, Member]
    ignored: tuple[str, ...]

    def value(self, key: str) -> Value:
        """Give the value of a field; absent is null, for Go leaves both at zero."""
        member = self.known.get(key)
        return None if member is None else member.value

    def written(self, key: str) -> str:
        """Give the key as written, or the field's own spelling."""
        member = self.known.get(key)
        return key if member is None else member.written


def parse(text: str) -> Value:
    """Parse one JSON value.

    Raises:
        ValueError: it is no JSON, or nested deeper than can be read.
    """
    try:
        value: Value = json.loads(
            text,
            object_pairs_hook=lambda pairs: Object(members=pairs),
            parse_int=lambda digits: Number(text=digits),
            parse_float=lambda digits: Number(text=digits),
            parse_constant=_refuse,
        )
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def fields_of(value: Object, keys: tuple[str, ...]) -> Fields:
    """Match members with a struct's fields: case does not matter, the last of equal keys wins.

    Source: Go encoding/json, Unmarshal: matches "ignoring case", ignores other keys.
    """
    by_fold = {key.casefold(): key for key in keys}
    known: dict[str, Member] = {}
    ignored: list[str] = []
    for written, member in value.members:
        key = by_fold.get(written.casefold())
        if key is None:
            ignored.append(written)
        else:
            known[key] = Member(written=written, value=member)
    return Fields(known=known, ignored=tuple(dict.fromkeys(ignored)))


def is_text(value: Value) -> bool:
    """A string field takes a string, or null."""
    return value is None or isinstance(value, str)


def is_flag(value: Value) -> bool:
    """A bool field takes a bool, or null."""
    return value is None or isinstance(value, bool)


def is_texts(value: Value) -> bool:
    """A []string field takes a list of strings, or null; null may stand in the list too."""
    return value is None or (isinstance(value, list) and all(map(is_text, value)))


def is_text_maps(value: Value) -> bool:
    """A map[string]map[string]string field takes objects two deep, or null."""
    return value is None or (
        isinstance(value, Object) and all(_is_text_map(inner) for _, inner in value.members)
    )


def _is_text_map(value: Value) -> bool:
    return value is None or (
        isinstance(value, Object) and all(is_text(inner) for _, inner in value.members)
    )


def text_of(value: Value) -> str:
    """Take a string; null is the empty one."""
    return value if isinstance(value, str) else ""


def texts_of(value: Value) -> tuple[str, ...]:
    """Take a list of strings; null is the empty one."""
    return tuple(_each(value))


def _each(value: Value) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(text_of, value)
