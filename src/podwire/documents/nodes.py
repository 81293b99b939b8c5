"""The nodes of one YAML document with their places: what `locate` walks."""

import functools
from typing import TypeAlias

import yaml

from podwire.documents import scalars
from podwire.documents.events import RefusedError, end_of, events_of, is_merge, scalar_of, start_of
from podwire.documents.spans import Span
from podwire.documents.tree import DEPTH_LIMIT, Scalar
from podwire.model.evidence import Path, Step

Pair: TypeAlias = tuple["Node", "Node"]

BLOCKS = frozenset("|>")


class Node:
    """A scalar, a sequence or a mapping: where it stands, in characters, and what is in it.

    `style` is the scalar's: empty for a plain one, else a quote, `|` or `>`.
    """

    __slots__ = ("end", "is_merge", "items", "key", "pairs", "start", "style", "text")

    def __init__(self, start: int, *, end: int) -> None:
        self.start = start
        self.end = end
        self.text: str | None = None
        self.style = ""
        self.key: str | None = None
        self.is_merge = False
        self.items: list[Node] | None = None
        self.pairs: list[Pair] | None = None


@functools.lru_cache(maxsize=8)  # Places of one report lie in few documents.
def nodes_of(text: str) -> Node | None:
    """Read one document as far as it can be read; None where nothing can."""
    nodes = _Nodes(len(text))
    try:
        for event in events_of(text):
            if isinstance(event, yaml.NodeEvent):
                nodes.put(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                nodes.close(event)
    except (RefusedError, yaml.YAMLError):
        pass  # `load` has said what is wrong; the places before it are good.
    return nodes.root


def walk(root: Node, *, path: Path) -> tuple[Node, Span]:
    """Go down as far as the path leads; the span is that of the node reached."""
    node = root
    key = None
    exact = True
    for step in path:
        below = _child(node, step)
        if below is None:
            exact = False
            break
        key, node = below
    return node, Span(
        start=node.start,
        end=node.end,
        key=None if key is None else (key.start, key.end),
        spills=node.text is None or node.style in BLOCKS,
        exact=exact,
    )


def _child(node: Node, step: Step) -> tuple[Node | None, Node] | None:
    """Go one step down: the key that leads there, if any, and the value."""
    if isinstance(step, str):
        return _field(node, step)
    if node.items is None or not 0 <= step < len(node.items):
        return None
    return None, node.items[step]


def _field(node: Node, key: str) -> Pair | None:
    """Find a key: the last one counts, and what is merged counts where its `<<` stands."""
    todo: list[Pair | Node] = [node]
    seen: set[int] = set()
    while todo:
        entry = todo.pop()
        if isinstance(entry, Node):
            if entry.pairs is not None and id(entry.pairs) not in seen:
                seen.add(id(entry.pairs))
                todo.extend(entry.pairs)
        elif entry[0].is_merge:
            value = entry[1]
            todo.extend((value,) if value.items is None else reversed(value.items))
        elif entry[0].key == key:
            return entry
    return None


class _Nodes:
    """The nodes that are open, and keys that wait for their values."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.root: Node | None = None
        self.open: list[tuple[Node, list[Node]]] = []
        self.anchors: dict[str, Node] = {}

    def put(self, event: yaml.NodeEvent) -> None:
        node = Node(start_of(event), end=end_of(event))
        if isinstance(event, yaml.AliasEvent):
            self._point(node, event)
        elif isinstance(event, yaml.ScalarEvent):
            _fill(node, event)
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self.anchors[event.anchor] = node
        self._attach(node)
        if isinstance(event, yaml.CollectionStartEvent):
            node.end = self.length  # Until its end is read, if that ever happens.
            if len(self.open) >= DEPTH_LIMIT:
                raise RefusedError("", offset=node.start)
            if isinstance(event, yaml.SequenceStartEvent):
                node.items = []
            else:
                node.pairs = []
            self.open.append((node, []))

    def close(self, event: yaml.CollectionEndEvent) -> None:
        node, _ = self.open.pop()
        node.end = end_of(event)

    def _attach(self, node: Node) -> None:
        if not self.open:
            self.root = self.root or node
            return
        outer, waiting = self.open[-1]
        if outer.items is not None:
            outer.items.append(node)
        elif waiting and outer.pairs is not None:
            outer.pairs.append((waiting.pop(), node))
        else:
            waiting.append(node)

    def _point(self, node: Node, event: yaml.AliasEvent) -> None:
        """Let an alias stand at its own place and hold what its anchor holds."""
        target = self.anchors.get(event.anchor or "")
        if target is None:
            raise RefusedError("", offset=node.start)
        node.key = target.key
        node.items = target.items
        node.pairs = target.pairs


def _fill(node: Node, event: yaml.ScalarEvent) -> None:
    node.text = event.value
    node.style = event.style or ""
    node.is_merge = is_merge(event)
    try:
        value: Scalar = scalar_of(event)
        node.key = scalars.key_text(value)
    except (RefusedError, ValueError):
        node.key = None  # Nothing that could be a key; as a value it has a place all the same.
