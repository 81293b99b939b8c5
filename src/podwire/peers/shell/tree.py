"""A script into a tree, by tree-sitter-bash; imported when the first script is read."""

import functools
import re
from collections.abc import Iterator

import msgspec

_LONGEST = 50_000  # characters; nobody writes more by hand, and bad ones take minutes
_VARIABLE = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_BEGINS_WITH_NAME = re.compile(r"[A-Za-z_]\w*|\d", re.ASCII)


class Node(msgspec.Struct):
    """A piece of a script: its kind, its text, the named and other pieces in it."""

    kind: str
    text: str
    start: int
    end: int
    children: "tuple[Node, ...]" = ()
    fields: dict[str, "Node"] = {}
    is_named: bool = True

    @property
    def named(self) -> "tuple[Node, ...]":
        """The pieces that are no mere punctuation."""
        return tuple(child for child in self.children if child.is_named)

    def field(self, name: str) -> "Node | None":
        """Give a piece by its role."""
        return self.fields.get(name)

    def every(self) -> "Iterator[Node]":
        """Give the piece itself and all in it."""
        ahead = [self]
        while ahead:
            node = ahead.pop()
            yield node
            ahead.extend(reversed(node.children))


class NoGrammarError(Exception):
    """The grammar is not installed."""


@functools.lru_cache(maxsize=1)
def _parser() -> object:
    try:
        import tree_sitter  # noqa: PLC0415 - 5 ms, and only where a script is in sight
        import tree_sitter_bash  # noqa: PLC0415 - the same
    except ImportError as error:
        raise NoGrammarError(str(error)) from error
    language = tree_sitter.Language(tree_sitter_bash.language())
    return tree_sitter.Parser(language)


def parse(script: str) -> Node:
    """Read a script; what the grammar does not know is a piece of kind ERROR.

    Raises:
        NoGrammarError: tree-sitter or tree-sitter-bash is not installed.
    """
    if len(script) > _LONGEST:
        whole = Node(kind="ERROR", text=script, start=0, end=len(script))
        return Node(kind="program", text=script, start=0, end=len(script), children=(whole,))
    return _tree(script)


@functools.lru_cache(maxsize=64)
def _tree(script: str) -> Node:
    data = script.encode()
    parsed = _parser().parse(data)  # type: ignore[attr-defined]  # typed where it is imported
    if script.isascii():
        return _copied(parsed.root_node, script, None)
    offsets = [i for i, character in enumerate(script) for _ in character.encode()]
    return _copied(parsed.root_node, script, [*offsets, len(script)])


def _copied(node: object, script: str, offsets: list[int] | None) -> Node:
    """Copy out of the library's tree, in characters; deep nesting costs a gap, not a crash."""
    return _Copier(script, offsets).copy(node, 0)


class _Copier:
    def __init__(self, script: str, offsets: list[int] | None) -> None:
        self._script = script
        self._offsets = offsets

    def _at(self, byte: int) -> int:
        return byte if self._offsets is None else self._offsets[byte]

    def copy(self, node: object, depth: int) -> Node:
        start, end = self._at(node.start_byte), self._at(node.end_byte)  # type: ignore[attr-defined]  # tree_sitter.Node
        kind, is_named = str(node.type), bool(node.is_named)  # type: ignore[attr-defined]  # tree_sitter.Node
        if kind in _EXPANSIONS:  # In a string the grammar counts the blanks before one to it.
            while start < end and self._script[start].isspace():
                start += 1
        made = Node(kind=kind, text=self._script[start:end], start=start, end=end)
        made.is_named = is_named
        if depth > _DEEPEST:
            made.kind = "ERROR"
            return made
        children: list[Node] = []
        names: list[str | None] = []
        for index, child in enumerate(node.children):  # type: ignore[attr-defined]  # tree_sitter.Node
            copied = self.copy(child, depth + 1)
            if children and (whole := _rejoined(children[-1], copied)) is not None:
                children[-1] = whole
                continue
            children.append(copied)
            names.append(node.field_name_for_child(index))  # type: ignore[attr-defined]  # tree_sitter.Node
        made.children = tuple(children)
        for name, copied in zip(names, children, strict=True):
            if name:
                made.fields.setdefault(name, copied)
        return made


def _rejoined(left: Node, right: Node) -> Node | None:
    """Put `$d/$` and `i/n` together again, as which the grammar reads `$d/$i/n`.

    Source: tree-sitter-bash issue 315, seen with 0.25.1.
    """
    if left.end != right.start:
        return None
    if left.kind == "variable_assignment" and (value := left.field("value")) is not None:
        return _assigned(left, _rejoined(value, right.named[0] if right.named else right))
    if left.kind != "concatenation" or not left.children:
        return None
    first, *others = right.children if right.kind == "concatenation" else (right,)
    name = _BEGINS_WITH_NAME.match(first.text)
    if left.children[-1].text != "$" or first.kind not in {"word", "number"} or name is None:
        return None
    middle = first.start + name.end()
    text = f"${name[0]}"
    expansion = Node(kind="simple_expansion", text=text, start=first.start - 1, end=middle)
    rest = Node(kind="word", text=first.text[name.end() :], start=middle, end=first.end)
    parts = (*left.children[:-1], expansion, *((rest,) if rest.text else ()), *others)
    return Node(
        kind="concatenation",
        text=left.text + right.text,
        start=left.start,
        end=right.end,
        children=parts,
    )


def _assigned(node: Node, value: Node | None) -> Node | None:
    if value is None:
        return None
    front = node.text[: value.start - node.start]
    return Node(
        kind=node.kind,
        text=front + value.text,
        start=node.start,
        end=value.end,
        children=(*node.children[:-1], value),
        fields={**node.fields, "value": value},
    )


_DEEPEST = 150
_EXPANSIONS = frozenset(
    {"simple_expansion", "expansion", "arithmetic_expansion", "command_substitution"}
)


def variables_of(root: Node) -> frozenset[str]:
    """Give the names that a script sets: by assignment, in a loop, by read or getopts."""
    found = set()
    for node in root.every():
        if node.kind in {"variable_assignment", "for_statement"}:
            name = node.field("name") or node.field("variable")
            found.add("" if name is None else name.text.partition("[")[0])
        elif node.kind == "command" and (words := node.text.split())[:1] in (["read"], ["mapfile"]):
            found.update(words[1:])
        elif node.kind == "declaration_command":
            found.update(child.text for child in node.named if child.kind == "variable_name")
    return frozenset(name for name in found if _VARIABLE.match(name))
