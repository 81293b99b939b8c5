"""TOML, as container runtimes and toolkits are configured in.

Where a value stands is found by `locate`, which reads the text again (`toml_nodes`).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence

from podwire.documents import collector
from podwire.documents.text import Position, Problem, position_at
from podwire.documents.tree import DEPTH_LIMIT, TOO_DEEP, Loaded, Tree, excess

# What tomllib keeps of a dotted key grows with the square of its parts.
_PART = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+"
# Looked for at the beginning of words alone: within a long one it would take the square, too.
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_PART}){{{DEPTH_LIMIT}}}")
_AT = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)\Z")
_WORDS = {
    "Invalid statement": "expected a key, or a table in brackets, here",
    "Invalid value": "expected a value here",
    "Invalid initial character for a key part": "expected a key here",
    "Unclosed array": "expected a comma or the array's closing bracket here",
    "Unclosed inline table": "expected a comma or the inline table's closing brace here",
    "Unterminated string": "expected the string's closing quote here",
    "Unescaped '\\' in a string": "expected one of the escapes that TOML knows here",
    "Illegal character": "expected an escape in place of a control character here",
    "Expected newline or end of document": "expected the line's end after the value here",
    "Expected '=' after a key": "expected '=' after the key here",
    "Expected ']": "expected the closing bracket of the table's name here",
    "Cannot overwrite a value": "the key stands twice",
    "Cannot mutate immutable namespace": "a table in braces is whole; nothing can be added to it",
    "Duplicate inline table key": "a table in braces has a key twice",
}
_AGAIN = re.compile(r"Cannot declare (?P<key>.*) twice")


def load(text: str) -> Loaded:
    """Read one document; dates and times become text, as written in RFC 3339."""
    long = _LONG_KEY.search(text)
    if long is not None:
        position = position_at(text, offset=long.start())
        return Loaded(problem=Problem(message=TOO_DEEP, position=position))
    with collector.paused():
        try:
            value = _plain(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            return Loaded(problem=_explain(text, str(error)))
        except RecursionError:
            return Loaded(problem=Problem(message=TOO_DEEP))
        except ValueError:
            # A date that no calendar has, or thousands of digits.
            return Loaded(problem=Problem(message="a number or a date is out of bounds"))
        if excess(value, limit=len(text)):
            return Loaded(problem=Problem(message=TOO_DEEP))
        return Loaded(value=value)


def _plain(value: object) -> Tree:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _explain(text: str, message: str) -> Problem:
    """Put the reader's complaint into words, and its place beside it."""
    at = _AT.search(message)
    said = message if at is None else message[: at.start()]
    if at is not None and at["line"]:
        position = Position(line=int(at["line"]), column=int(at["column"]))
    else:
        lines = text.split("\n")
        position = Position(line=len(lines), column=len(lines[-1]) + 1)
    again = _AGAIN.fullmatch(said)
    if again is not None:
        named = ".".join(re.findall(r"'([^']*)'", again["key"]))
        return Problem(message=f"the table {named} stands twice", position=position)
    for theirs, ours in _WORDS.items():
        if said.startswith(theirs):
            return Problem(message=ours, position=position)
    return Problem(message=said[:1].lower() + said[1:], position=position)
