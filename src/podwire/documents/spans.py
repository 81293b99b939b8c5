"""Where a value of a JSON text begins and ends, found by walking down to it and nowhere else.

Siblings are skipped by the C reader, so a text of many megabytes costs about as much as
reading it once for every level of the path.
"""

import json
import re
from collections.abc import Iterator

import msgspec

from podwire.model.evidence import Path, Step

_SPACE = re.compile(r"[ \t\n\r]*+")
_DECODER = json.JSONDecoder()


class Span(msgspec.Struct, frozen=True, gc=False):
    """A value's first character and the one after its last; likewise of the key before it.

    `spills` is True where the value may go on over lines that are not its own: collections
    and block scalars. `exact` is False where the path went on, but the text did not.
    """

    start: int
    end: int
    key: tuple[int, int] | None = None
    spills: bool = False
    exact: bool = True

    def moved(self, by: int) -> "Span":
        """Give the same span in a text that has so many characters more before it."""
        key = None if self.key is None else (self.key[0] + by, self.key[1] + by)
        return msgspec.structs.replace(self, start=self.start + by, end=self.end + by, key=key)


def span_of(text: str, *, path: Path, start: int = 0) -> Span | None:
    """Find the value at a path, or the deepest one on the way; None where no value begins.

    What stands before `start` and after the value does not matter.
    """
    at = _skip(text, start)
    key = None
    exact = True
    for step in path:
        below = _step(text, at, step)
        if below is None:
            exact = False
            break
        at, key = below
    end = _read(text, at)[1]
    spills = text[at : at + 1] in {"[", "{"}
    if end == at and not spills:
        return None
    return Span(start=at, end=max(end, at + 1), key=key, spills=spills, exact=exact)


def _step(text: str, at: int, step: Step) -> tuple[int, tuple[int, int] | None] | None:
    """Go one step down; of members with the same name the last one counts."""
    found = None
    if isinstance(step, str) and text[at : at + 1] == "{":
        for name, key, value in _members(text, at):
            if name == step:
                found = (value, key)
    elif isinstance(step, int) and text[at : at + 1] == "[":
        for index, item in enumerate(_items(text, at)):
            if index == step:
                return item, None
    return found


def _members(text: str, at: int) -> Iterator[tuple[object, tuple[int, int], int]]:
    """Give name, place of the key and start of the value, as far as the object is JSON."""
    following: int | None = _skip(text, at + 1)
    while following is not None and text[following : following + 1] == '"':
        name, end = _read(text, following)
        colon = _skip(text, end)
        if end == following or text[colon : colon + 1] != ":":
            return
        value = _skip(text, colon + 1)
        yield name, (following, end), value
        following = _following(text, value)


def _items(text: str, at: int) -> Iterator[int]:
    """Give the starts of an array's items, as far as the array is JSON."""
    following: int | None = _skip(text, at + 1)
    while following is not None and text[following : following + 1] not in {"]", ""}:
        yield following
        following = _following(text, following)


def _following(text: str, at: int) -> int | None:
    """Skip a value and the comma after it."""
    end = _read(text, at)[1]
    comma = _skip(text, end)
    if end == at or text[comma : comma + 1] != ",":
        return None
    return _skip(text, comma + 1)


def _read(text: str, at: int) -> tuple[object, int]:
    """Read a value and say where it ends: at its own start where it is broken or too deep."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()
