"""Every way in which a tree differs from the record it should become, each with its path.

msgspec stops at the first difference and names no keys; this is what a person needs.
"""

import difflib
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from podwire.documents.text import printable
from podwire.model.evidence import Path

_OURS = "podwire.io/"  # fields that the reader fills in; no file has them
_SHOWN = 40


class Mismatch(msgspec.Struct, frozen=True, gc=False):
    """One value that is not what its place asks for."""

    path: Path
    message: str


def without_nulls(tree: object) -> object:
    """Drop keys whose value is null: they are not given."""
    if isinstance(tree, dict):
        return {key: without_nulls(value) for key, value in tree.items() if value is not None}
    if isinstance(tree, list):
        return [without_nulls(value) for value in tree]
    return tree


def mismatches(tree: object, record: type) -> Iterator[Mismatch]:
    """Compare a tree of YAML or JSON with a record's fields, down to the leaves."""
    return _compare(tree, _wanted(record), ())


@cache
def _wanted(record: type) -> inspect.Type:
    return inspect.type_info(record)


def _compare(tree: object, wanted: inspect.Type, path: Path) -> Iterator[Mismatch]:
    fitting = [kind for kind in _alternatives(wanted) if _fits(tree, kind)]
    if not fitting:
        message = f"expected {_words(wanted)}, found {_found(tree)}"
        yield Mismatch(path=path, message=message)
        return
    kind = fitting[0]
    if isinstance(kind, inspect.StructType) and isinstance(tree, dict):
        yield from _fields(tree, kind, path)
    elif isinstance(kind, inspect.DictType) and isinstance(tree, dict):
        for key, value in tree.items():
            yield from _compare(value, kind.value_type, (*path, key))
    elif isinstance(kind, inspect.VarTupleType) and isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _compare(value, kind.item_type, (*path, index))


def _fields(tree: dict[str, Any], kind: inspect.StructType, path: Path) -> Iterator[Mismatch]:
    known = {f.encode_name: f for f in kind.fields if not f.encode_name.startswith(_OURS)}
    for key, value in tree.items():
        if key in known:
            yield from _compare(value, known[key].type, (*path, key))
        elif kind.forbid_unknown_fields:
            yield Mismatch(path=(*path, key), message=_unknown(key, [*known]))
    for name, field in known.items():
        if field.required and name not in tree:
            yield Mismatch(path=path, message=f"{name} is missing")


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(sorted(known))}"
    return f"{printable(key, _SHOWN)} is not known; {hint}"


def _alternatives(wanted: inspect.Type) -> tuple[inspect.Type, ...]:
    return wanted.types if isinstance(wanted, inspect.UnionType) else (wanted,)


_PLAIN: tuple[tuple[type[inspect.Type], type, str], ...] = (
    (inspect.BoolType, bool, "true or false"),
    (inspect.IntType, int, "a whole number"),
    (inspect.StrType, str, "a string"),
    (inspect.NoneType, type(None), "null"),
    (inspect.VarTupleType, list, "a list"),
    (inspect.DictType, dict, "a mapping"),
    (inspect.StructType, dict, "a mapping"),
)


def _fits(tree: object, kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.LiteralType):
        return tree in kind.values
    if isinstance(kind, inspect.FloatType):
        return isinstance(tree, int | float) and not isinstance(tree, bool)
    for described, plain, _ in _PLAIN:
        if isinstance(kind, described):
            return isinstance(tree, plain) and not (plain is int and isinstance(tree, bool))
    return True


def _words(wanted: inspect.Type) -> str:
    words = (_word(kind) for kind in _alternatives(wanted))
    return " or ".join(dict.fromkeys(w for w in words if w != "null"))


def _word(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(f'"{value}"' for value in kind.values)
    return next((word for described, _, word in _PLAIN if isinstance(kind, described)), "a number")


def _found(tree: object) -> str:
    if isinstance(tree, str):
        return f'the string "{printable(tree, _SHOWN)}"'
    if tree is None:
        return "null"
    if isinstance(tree, bool):
        return str(tree).lower()
    if isinstance(tree, int | float):
        return f"the number {tree}"
    return "a list" if isinstance(tree, list) else "a mapping"
