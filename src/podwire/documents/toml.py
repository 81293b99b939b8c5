"""TOML: containerd's configuration and the NVIDIA toolkit's."""

import re
import tomllib

import msgspec

from podwire.documents.text import Position, Problem
from podwire.documents.tree import TOO_DEEP, Loaded, excess

_PLACE = re.compile(
    r"(?P<message>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)", re.DOTALL
)


def load(text: str) -> Loaded:
    """Read one document; dates and times become the strings of RFC 3339."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Loaded(problem=_problem(str(error), text))
    except RecursionError:
        return Loaded(problem=Problem(message=TOO_DEEP))
    except ValueError:
        return Loaded(problem=Problem(message="a number has thousands of digits"))
    if excess(read, limit=len(text)):
        return Loaded(problem=Problem(message=TOO_DEEP))
    return Loaded(value=msgspec.to_builtins(read))


def _problem(words: str, text: str) -> Problem:
    match = _PLACE.fullmatch(words)
    if match is None:
        return Problem(message=words)
    if match["line"] is None:  # "at end of document"
        position = Position(line=text.count("\n") + 1, column=1)
    else:
        position = Position(line=int(match["line"]), column=int(match["column"]))
    return Problem(message=match["message"], position=position)
