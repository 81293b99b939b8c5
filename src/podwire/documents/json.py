"""JSON, with the place of what is wrong in it."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

import msgspec

from podwire.documents import collector
from podwire.documents.text import Problem, position_at
from podwire.documents.tree import DEPTH_LIMIT, TOO_DEEP, Loaded, Tree, excess, twice
from podwire.model.evidence import Path, Step

# Beyond this many characters nobody wrote the text by hand: keys are not checked for twins.
_HANDWRITTEN_LIMIT = 1_000_000
_REPEATED_LIMIT = 100

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(rf"{_STRING}|[][{{}}:,]|[^][{{}}:,\"\s]++", re.DOTALL)
_NO_NUMBER = re.compile(rf"{_STRING}|(?P<word>-?\bInfinity\b|\bNaN\b)", re.DOTALL)
_EXPECTED = {
    "Expecting value": "expected a value",
    "Expecting property name enclosed in double quotes": "expected a key in double quotes",
    "Expecting ':' delimiter": "expected ':' after the key",
    "Expecting ',' delimiter": "expected ',' or the closing bracket",
    "Extra data": "expected nothing more after the value",
    "Unterminated string starting at": "expected a closing quote for the string that starts",
    "Invalid control character at": "expected an escape in place of a control character",
    "Invalid \\escape": "expected one of the escapes that JSON knows",
    "Invalid \\uXXXX escape": "expected four hexadecimal digits after \\u",
}


def load(text: str) -> Loaded:
    """Read one value; keys that stand twice are looked for in texts below a million characters."""
    with collector.paused():
        try:
            value: Tree = msgspec.json.decode(text)
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
            return Loaded(problem=_explain(text, str(error)))
        if excess(value, limit=len(text)):
            return Loaded(problem=_too_deep(text))
        return Loaded(value=value, duplicates=_duplicates(text))


def _explain(text: str, message: str) -> Problem:
    """Find the place and the words with the slower reader, which has both."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        expected = next(
            (ours for theirs, ours in _EXPECTED.items() if error.msg.startswith(theirs)), error.msg
        )
        return Problem(message=f"{expected} here", position=position_at(text, offset=error.pos))
    except _ConstantError as error:
        return _no_number(text, str(error))
    except RecursionError:
        return _too_deep(text)
    except ValueError:
        return Problem(message="a number has thousands of digits")
    if "\\u" in text and "truncated" in message:
        message = "a \\u escape is half of a pair"
    return Problem(message=message)


class _ConstantError(Exception):
    """NaN or Infinity, which Python reads and JSON does not know."""


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


def _no_number(text: str, name: str) -> Problem:
    found = (m.start() for m in _NO_NUMBER.finditer(text) if m["word"])
    return Problem(
        message=f"expected a number here: JSON has no {name}",
        position=position_at(text, offset=next(found, 0)),
    )


def _too_deep(text: str) -> Problem:
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > DEPTH_LIMIT:
            return Problem(message=TOO_DEEP, position=position_at(text, offset=match.start()))
    return Problem(message=TOO_DEEP)


def _duplicates(text: str) -> tuple[Problem, ...]:
    """Look for twins with the C reader's hook first; it tells that there are some, not where."""
    if len(text) > _HANDWRITTEN_LIMIT:
        return ()
    has_twins = False

    def note(pairs: list[tuple[str, object]]) -> None:
        nonlocal has_twins
        has_twins = has_twins or len(dict(pairs)) < len(pairs)

    json.loads(text, object_pairs_hook=note)
    if not has_twins:
        return ()
    found = []
    for path, offset in _repeated(text):
        position = position_at(text, offset=offset)
        found.append(Problem(message=twice(str(path[-1])), position=position, path=path))
        if len(found) == _REPEATED_LIMIT:
            break
    return tuple(found)


def _repeated(text: str) -> Iterator[tuple[Path, int]]:
    """Walk a text that is known to be JSON, token by token, for keys seen before."""
    path: list[Step] = []
    keys: list[set[str] | None] = []
    previous = ""
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word in "[{":
            keys.append(set() if word == "{" else None)
            path.append(0 if word == "[" else "")
        elif word in "]}":
            keys.pop()
            path.pop()
        elif word == ",":
            step = path[-1]
            path[-1] = step + 1 if isinstance(step, int) else ""
        elif word[0] == '"' and previous in "{,":
            known = keys[-1] if keys else None
            if known is not None:
                key: str = json.loads(word)
                path[-1] = key
                if key in known:
                    yield tuple(path), match.start()
                known.add(key)
        previous = word
