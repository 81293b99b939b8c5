"""The tables and keys of one TOML document with their places: what `locate` walks.

Values are read by `toml`; here only what is needed to find them is: keys, brackets, strings.
"""

import contextlib
import functools
import re

from podwire.documents.nodes import Node
from podwire.documents.tree import DEPTH_LIMIT

_STRING = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
)
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*+")
_KEY = re.compile(rf"{_STRING}|[A-Za-z0-9_-]++", re.DOTALL)
_SCALAR = re.compile(rf"{_STRING}|[^\s,\[\]{{}}#][^,\[\]{{}}#\n]*+", re.DOTALL)


@functools.lru_cache(maxsize=8)  # Places of one report lie in few documents.
def nodes_of(text: str) -> Node:
    """Read a document as far as it can be read."""
    reader = _Reader(text)
    # `load` says what is wrong; the places before it are good.
    with contextlib.suppress(_StoppedError):
        reader.document()
    return reader.root


class _StoppedError(Exception):
    """Here the text is no TOML, or nested too deep."""


class _Reader:
    """Where reading is, and the children of each table by name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.root = _table(0, len(text))
        self._below: dict[int, dict[str, Node]] = {}

    def document(self) -> None:
        table = self.root
        while self._skip(_BLANK) < len(self.text):
            if self._take("[["):
                table = self._header("]]", is_array=True)
            elif self._take("["):
                table = self._header("]", is_array=False)
            else:
                self._pair(table)

    def _header(self, closing: str, *, is_array: bool) -> Node:
        keys = self._keys()
        if not self._take(closing):
            raise _StoppedError
        outer = self._descend(self.root, keys[:-1])
        last = keys[-1]
        known = self._children(outer).get(_name(last))
        if is_array:
            array = known or Node(last.start, end=last.end)
            array.items = [] if array.items is None else array.items
            array.items.append(_table(last.start, last.end))
            self._put(outer, last, value=array)
            return array.items[-1]
        table = known or _table(last.start, last.end)
        self._put(outer, last, value=table)  # Its own header says more than one below it.
        return table

    def _pair(self, table: Node) -> None:
        keys = self._keys()
        if not self._take("="):
            raise _StoppedError
        self._skip(_SPACE)
        outer = self._descend(table, keys[:-1])
        self._put(outer, keys[-1], value=self._value())

    def _descend(self, table: Node, keys: list[Node]) -> Node:
        for key in keys:
            below = self._children(table).get(_name(key))
            if below is None:
                below = _table(key.start, key.end)
                self._put(table, key, value=below)
            table = below.items[-1] if below.items else below
        return table

    def _put(self, table: Node, key: Node, *, value: Node) -> None:
        if table.pairs is None:
            raise _StoppedError
        table.pairs.append((key, value))
        self._children(table)[_name(key)] = value

    def _children(self, table: Node) -> dict[str, Node]:
        return self._below.setdefault(id(table), {})

    def _value(self) -> Node:
        start = self.at
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise _StoppedError
        if self._take("["):
            node = Node(start, end=len(self.text))
            node.items = []
            self._items(node.items)
        elif self._take("{"):
            node = _table(start, len(self.text))
            self._members(node)
        else:
            node = self._scalar()
        node.end = self.at
        self.depth -= 1
        return node

    def _scalar(self) -> Node:
        found = _SCALAR.match(self.text, self.at)
        if found is None:
            raise _StoppedError
        word = found[0].rstrip()
        node = Node(self.at, end=self.at + len(word))
        node.text = word
        self.at = node.end
        return node

    def _items(self, items: list[Node]) -> None:
        while True:
            self._skip(_BLANK)
            if self._take("]"):
                return
            items.append(self._value())
            self._skip(_BLANK)
            if not self._take(",") and not self.text.startswith("]", self.at):
                raise _StoppedError

    def _members(self, table: Node) -> None:
        while True:
            self._skip(_BLANK)
            if self._take("}"):
                return
            self._pair(table)
            self._skip(_BLANK)
            if not self._take(",") and not self.text.startswith("}", self.at):
                raise _StoppedError

    def _keys(self) -> list[Node]:
        keys = []
        while True:
            self._skip(_SPACE)
            found = _KEY.match(self.text, self.at)
            if found is None:
                raise _StoppedError
            key = Node(found.start(), end=found.end())
            key.key = _unquoted(found[0])
            keys.append(key)
            self.at = found.end()
            self._skip(_SPACE)
            if not self._take("."):
                return keys
            if len(keys) > DEPTH_LIMIT:
                raise _StoppedError

    def _skip(self, what: re.Pattern[str]) -> int:
        found = what.match(self.text, self.at)
        self.at = self.at if found is None else found.end()
        return self.at

    def _take(self, word: str) -> bool:
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True


def _table(start: int, end: int) -> Node:
    node = Node(start, end=end)
    node.pairs = []
    return node


def _name(key: Node) -> str:
    return key.key or ""


def _unquoted(word: str) -> str:
    if word[0] == '"' and "\\" in word:
        import tomllib  # noqa: PLC0415 - escapes in keys are rare, and it costs every start 3 ms

        try:
            return str(tomllib.loads(f"key = {word}")["key"])
        except tomllib.TOMLDecodeError:
            return word
    return word[1:-1] if word[0] in "\"'" else word
