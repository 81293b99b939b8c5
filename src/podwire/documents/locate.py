"""A path in a tree back into line and column, from the text alone.

Nothing keeps positions while trees are read; the one document that a place speaks of is
read again when the place is printed.
"""

import enum

import msgspec

from podwire.documents import collector, ini
from podwire.documents.inner import find_json, find_yaml
from podwire.documents.nodes import nodes_of, walk
from podwire.documents.parts import split
from podwire.documents.spans import Span, span_of
from podwire.documents.text import Position, position_at
from podwire.documents.toml_nodes import nodes_of as toml_nodes_of
from podwire.model.evidence import Path


class Form(enum.Enum):
    """How a text is to be read."""

    YAML = "yaml"
    JSON = "json"
    INI = "ini"
    TOML = "toml"


class Located(msgspec.Struct, frozen=True, gc=False):
    """Where a value stands, and the column after its last character on that line.

    A value that does not stand beside its key (a block, an empty one, a collection of
    several lines) is shown by its key. `exact` is False where only something around the
    value was found: the deepest ancestor there is, or the scalar that holds an inner text.
    """

    position: Position
    end_column: int
    exact: bool = True


def locate(
    text: str, *, form: Form, path: Path, part: int = 0, inner: Path | None = None
) -> Located | None:
    """Find the value at a path of the n-th document; None where that has no value at all.

    With `inner` the value is itself a text, JSON or else YAML, and the path goes on in it.
    What is in it has a place of its own in a `|` block; JSON also in single quotes, in `>`
    and without quotes, as it stands in the file like that.
    """
    with collector.paused():
        if form is Form.YAML:
            span = _in_yaml(text, path, part, inner)
        elif form is Form.INI:
            span = ini.span_in(text, path=path)
        elif part:
            span = None
        elif form is Form.JSON:
            span = _in_json(text, path, inner)
        else:
            span = walk(toml_nodes_of(text), path=path)[1]
    return None if span is None else _shown(text, span)


def _in_json(text: str, path: Path, inner: Path | None) -> Span | None:
    span = span_of(text, path=path)
    return span if span is None or not inner else msgspec.structs.replace(span, exact=False)


def _in_yaml(text: str, path: Path, number: int, inner: Path | None) -> Span | None:
    part = next((part for part in split(text) if part.number == number), None)
    root = None if part is None else nodes_of(part.text)
    if part is None or root is None:
        return None
    node, span = walk(root, path=path)
    if inner and span.exact:
        span = (
            find_json(part.text, node=node, path=inner)
            or find_yaml(part.text, node=node, path=inner)
            or msgspec.structs.replace(span, exact=False)
        )
    return span.moved(part.start)


def _shown(text: str, span: Span) -> Located:
    start, end = span.start, span.end
    if span.key is not None:
        last = end if span.spills else start
        if start == end or text.find("\n", span.key[0], last) >= 0:
            start, end = span.key
    newline = text.find("\n", start)
    line = text[start : len(text) if newline < 0 else newline]
    width = max(min(end - start, len(line.rstrip())), 1)
    position = position_at(text, offset=start)
    return Located(position=position, end_column=position.column + width, exact=span.exact)
