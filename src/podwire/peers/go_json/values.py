"""The values of JSON as records: objects keep every member in order, twins too."""

import json
from typing import TypeAlias

import msgspec

from podwire.model.evidence import Path


class Number(msgspec.Struct, frozen=True, gc=False):
    """A number, as written."""

    text: str


class Object(msgspec.Struct, frozen=True):
    """An object with its members in order, each with its key as written."""

    members: tuple[tuple[str, "Value"], ...] = ()

    def get(self, key: str) -> "Value":
        """Give what stands under exactly this key, the last where it stands twice."""
        return next((value for have, value in reversed(self.members) if have == key), None)


Value: TypeAlias = str | bool | Number | list["Value"] | Object | None


def kind_of(value: Value) -> str:
    """Name a value's kind as Go does in its errors."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case Number():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def at(value: Value, path: Path) -> Value:
    """Follow a path.

    Raises:
        LookupError: there is nothing at it.
    """
    for step in path:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step]
        elif isinstance(value, Object) and any(key == step for key, _ in value.members):
            value = value.get(str(step))
        else:
            raise LookupError(step)
    return value


def written(value: Value) -> str:
    """Write a value on one line."""
    match value:
        case Number():
            return value.text
        case list():
            return f"[{', '.join(map(written, value))}]"
        case Object():
            members = (f"{written(key)}: {written(member)}" for key, member in value.members)
            return f"{{{', '.join(members)}}}"
        case _:
            return json.dumps(value, ensure_ascii=False)
