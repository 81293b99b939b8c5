"""Texts inside YAML scalars: JSON in an annotation, YAML in a ConfigMap's key.

A scalar stands in the file in another form than its value: indented, folded, quoted. JSON
does not mind white space, so it is read where it stands; YAML does, so only the lines of a
`|` block, which are the value's lines but for the indentation, lead back.
"""

from itertools import accumulate

import msgspec

from podwire.documents.nodes import BLOCKS, Node, nodes_of, walk
from podwire.documents.parts import split
from podwire.documents.spans import Span, span_of
from podwire.model.evidence import Path


def find_json(text: str, *, node: Node, path: Path) -> Span | None:
    """Find a value in the JSON that a scalar holds; None where escapes or folding hide it."""
    value = (node.text or "").lstrip()
    if node.style == '"' or not _is_json(value):
        return None
    start = text.find("\n", node.start) if node.style in BLOCKS else node.start
    start = text.find(value[0], start, node.end)
    span = None if start < 0 else span_of(text, path=path, start=start)
    return None if span is None or span.end > node.end else span


def find_yaml(text: str, *, node: Node, path: Path) -> Span | None:
    """Find a value in the YAML that a `|` block holds; None for other scalars."""
    if node.text is None or node.style != "|" or _is_json(node.text):
        return None
    part = next(iter(split(node.text)), None)
    root = None if part is None else nodes_of(part.text)
    if part is None or root is None:
        return None
    _, span = walk(root, path=path)
    span = span.moved(part.start)
    block = _Block(text, node, value=node.text)
    key = None if span.key is None else (block.offset(span.key[0]), block.offset(span.key[1]))
    start, end = block.offset(span.start), block.offset(span.end)
    return msgspec.structs.replace(span, start=start, end=end, key=key)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


class _Block:
    """The lines of a block scalar, in its value and in the file behind their indentation."""

    def __init__(self, text: str, node: Node, *, value: str) -> None:
        self.value = value
        self.end = node.end
        begin = text.find("\n", node.start) + 1
        raw = text[begin : node.end].split("\n")
        starts = accumulate((len(line) + 1 for line in raw), initial=begin)
        self.starts = [
            start + len(line.removesuffix("\r")) - len(plain)
            for start, line, plain in zip(starts, raw, value.split("\n"), strict=False)
        ]

    def offset(self, at: int) -> int:
        """Lead from a character of the value to the one of the file."""
        line = self.value.count("\n", 0, at)
        column = at - (self.value.rfind("\n", 0, at) + 1)
        return self.starts[line] + column if line < len(self.starts) else self.end
