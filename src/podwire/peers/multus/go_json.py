"""JSON as Go's encoding/json takes it: which texts it refuses, and in what words.

Multus and the CNI plugins are Go programs: keys match whatever their case, unknown keys are
dropped without a word, null means "not given". Wording: encoding/json of Go 1.26.8, run.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

T = TypeVar("T")

_BYTE = re.compile(r"\(byte (\d+)\)")

# What msgspec says of a fault, and what Go says of the same one.
_IN_GO = (
    ("expected ',' or ']'", "after array element"),
    ("expected ',' or '}'", "after object key:value pair"),
    ("expected ':'", "after object key"),
    ("object keys must be strings", "looking for beginning of object key string"),
    ("trailing comma in object", "looking for beginning of object key string"),
    ("trailing characters", "after top-level value"),
    ("escape", "in string escape code"),
    ("invalid number", "in numeric literal"),
    ("", "looking for beginning of value"),
)


class NotJson(ValueError):  # noqa: N818 - the name says what the text is
    """A text is no JSON; `at` counts characters from its start."""

    def __init__(self, message: str, *, at: int) -> None:
        super().__init__(message)
        self.at = at


def decode(text: str) -> object:
    """Decode a whole text.

    Raises:
        NotJson: with Go's words for the usual faults.
    """
    return _decode(text, object)


def decode_list(text: str) -> list[str]:
    """Decode a list only as far as its elements, each as it is written.

    Raises:
        NotJson: the text is no JSON at all, or no list.
    """
    raw = _decode(text, list[msgspec.Raw])
    return [bytes(item).decode(errors="replace") for item in raw]


def _decode(text: str, kind: type[T]) -> T:
    data = text.encode(errors="replace")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise _fault(str(error), data) from error
    except RecursionError as error:
        raise NotJson("exceeded max depth", at=0) from error


def _fault(message: str, data: bytes) -> NotJson:
    found = _BYTE.search(message)
    if found is None:
        return NotJson("unexpected end of JSON input", at=len(data.decode(errors="replace")))
    at = min(int(found[1]), len(data) - 1)
    before = data[:at].decode(errors="replace")
    after = data[at:].decode(errors="replace")
    where = next(go for ours, go in _IN_GO if ours in message)
    return NotJson(f"invalid character {_quoted(after[:1])} {where}", at=len(before))


def _quoted(character: str) -> str:
    return "'\\''" if character == "'" else f"'{character}'"


def kind_of(value: object) -> str:
    """Name a value's kind as Go does in its errors."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def value_of(mapping: Mapping[str, object], key: str) -> object:
    """Look a key up as Go fills a struct: whatever its case, the last one wins."""
    found: object = None
    for have, value in mapping.items():
        if have == key or have.casefold() == key.casefold():
            found = value if value is not None else found
    return found
