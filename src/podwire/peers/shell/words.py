"""Words of a script into the words that a command gets: expansion, splitting, braces."""

import itertools
import re
from collections.abc import Callable, Sequence

from podwire.peers.shell.arithmetic import Arithmetic, number
from podwire.peers.shell.output import unescaped
from podwire.peers.shell.records import HOLE
from podwire.peers.shell.state import State
from podwire.peers.shell.tree import Node

_BRACES = re.compile(r"\{([^{},]*+,[^{}]*+|(-?\d+|[a-zA-Z])\.\.(-?\d+|[a-zA-Z])(?:\.\.(-?\d+))?)\}")
_GLOB = re.compile(r"[*?]|\[[^][]+\]")
_QUOTED = {"string", "raw_string", "ansi_c_string", "translated_string"}
_SPLIT = {"simple_expansion", "expansion", "command_substitution"}
_MOST_WORDS = 5_000


class Words:
    """Expands words in one state; `capture` runs what stands in `$(...)`."""

    def __init__(self, state: State, capture: Callable[[Node], str]) -> None:
        self._state = state
        self._capture = capture
        self._arithmetic = Arithmetic(self._number, self._store, self.text)

    def compute(self, node: Node) -> int | None:
        """Compute an arithmetic expression; None: something in it is unknown."""
        return self._arithmetic.value(node)

    def fields(self, nodes: Sequence[Node]) -> tuple[str, ...]:
        """Expand to what a command gets as arguments."""
        found = itertools.chain.from_iterable(self._fields(node) for node in nodes)
        return tuple(itertools.islice(found, _MOST_WORDS))

    def _fields(self, node: Node) -> Sequence[str]:
        every = self._array_in(node)
        if every is not None:
            return every
        text = self.text(node)
        if node.kind in _QUOTED:
            return (text,)
        if node.kind in _SPLIT:
            return [_unglobbed(word) for word in text.split()]
        if node.kind == "concatenation":
            return self._joined(node)
        return [_unglobbed(word) for word in _braces(text)]

    def _array_in(self, node: Node) -> tuple[str, ...] | None:
        """Expand `"${NAME[@]}"` and `"$@"`, which are many words, quoted or not."""
        inner = node.named[0] if node.kind == "string" and len(node.named) == 1 else node
        if inner.text in {"$@", "${@}", "$*"}:
            return self._state.arguments
        if inner.kind == "expansion" and re.fullmatch(r"\$\{\w+\[[@*]\]\}", inner.text):
            value = self._state.get(inner.text[2 : inner.text.index("[")])
            every = value if isinstance(value, tuple) else (value,)
            is_quoted = node.kind == "string"
            return every if is_quoted else tuple(w for word in every for w in word.split())
        return None

    def _joined(self, node: Node) -> Sequence[str]:
        """Put the parts of a word together; only what is not quoted has braces and globs."""
        parts = [_braced(child) or self.text(child) for child in node.named]
        if any(child.kind in _QUOTED for child in node.named) and "{" not in node.text:
            return ("".join(parts),)
        return [_unglobbed(word) for word in _braces("".join(parts))]

    # --- one text -----------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """Expand to one text, as in an assignment or in quotes."""
        plain = _PLAIN.get(node.kind)
        if plain is not None:
            return plain(node.text)
        made = {
            "string": self._within,
            "translated_string": self._within,
            "concatenation": lambda node: "".join(map(self.text, node.named)),
            "simple_expansion": lambda node: self._variable(node.text[1:]),
            "expansion": self._expansion,
            "arithmetic_expansion": self._computed,
            "command_substitution": self._capture,
        }.get(node.kind)
        return HOLE if made is None else made(node)

    def _computed(self, node: Node) -> str:
        value = self.compute(node)
        return HOLE if value is None else str(value)

    def _within(self, node: Node) -> str:
        """Expand a string; blanks between its parts belong to no part."""
        text, at = [], node.start + 1
        for child in node.named:
            text.append(node.text[at - node.start : child.start - node.start])
            content = child.kind in {"string_content", "\n"}
            text.append(_in_quotes(child.text) if content else self.text(child))
            at = child.end
        text.append(node.text[at - node.start : node.end - node.start - 1])
        return "".join(text)

    def _variable(self, name: str) -> str:
        if name.isdigit():
            index = int(name)
            arguments = self._state.arguments
            if index == 0:
                return HOLE
            return arguments[index - 1] if index <= len(arguments) else ""
        if name in {"@", "*"}:
            return " ".join(self._state.arguments)
        if name == "#":
            return str(len(self._state.arguments))
        value = self._state.get(name) if name.isidentifier() else HOLE
        return value if isinstance(value, str) else next(iter(value), "")

    def _expansion(self, node: Node) -> str:
        inside = node.text[2:-1]
        if re.fullmatch(r"\w+", inside, re.ASCII):
            return self._variable(inside)
        if match := re.fullmatch(r"#(\w+)\[[@*]\]", inside):
            value = self._state.get(match[1])
            return str(len(value)) if isinstance(value, tuple) else HOLE
        if match := re.fullmatch(r"(\w+)\[(.+)\]", inside):
            return self._item(match[1], match[2])
        if match := re.fullmatch(r"(\w+):?[-=]([^${}]*)", inside):
            value = self._variable(match[1])
            return HOLE if HOLE in value else value or match[2].strip("\"'")
        if match := re.fullmatch(r"(\w+):?\?[^${}]*", inside):
            return self._variable(match[1])
        return HOLE

    def _item(self, name: str, index: str) -> str:
        value = self._state.get(name)
        position = self._number(index.removeprefix("$")) if index[:1] != "-" else None
        if not isinstance(value, tuple) or position is None:
            return HOLE
        return value[position] if 0 <= position < len(value) else ""

    def _number(self, name: str) -> int | None:
        if name.lstrip("-")[:1].isdigit():
            return number(name)
        value = self._state.get(name)
        return number(value) if isinstance(value, str) and HOLE not in value else None

    def _store(self, name: str, value: int | None) -> None:
        self._state.set(name, HOLE if value is None else str(value))


def _in_quotes(text: str) -> str:
    return re.sub(r"\\([\\$`\"\n])", lambda m: "" if m[1] == "\n" else m[1], text)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


_PLAIN: dict[str, Callable[[str], str]] = {
    "word": _unquoted,
    "number": str,
    "test_operator": str,
    "extglob_pattern": str,
    "brace_expression": str,
    "variable_name": str,
    "regex": str,
    "raw_string": lambda text: text[1:-1],
    "ansi_c_string": lambda text: unescaped(text[2:-1]),
    "string_content": _in_quotes,
}


def _braced(node: Node) -> str:
    return node.text if node.kind == "brace_expression" else ""


def _braces(text: str) -> list[str]:
    """Expand `{a,b}` and `{1..3}`, the first pair first."""
    found = [text]
    for _ in range(_MOST_WORDS):
        index = next((i for i, word in enumerate(found) if _BRACES.search(word)), None)
        if index is None or len(found) > _MOST_WORDS:
            break
        word = found[index]
        match = _BRACES.search(word)
        if match is None:
            break
        front, behind = word[: match.start()], word[match.end() :]
        found[index : index + 1] = [f"{front}{part}{behind}" for part in _alternatives(match)]
    return found


def _alternatives(match: re.Match[str]) -> list[str]:
    if match[2] is None:
        return match[1].split(",")
    if match[2].isalpha() or match[3].isalpha():
        if not (match[2].isalpha() and match[3].isalpha()):
            return [HOLE]
        first, last = ord(match[2]), ord(match[3])
        return [chr(code) for code in _range(first, last, 1)]
    is_padded = any(re.match(r"-?0\d", end) for end in (match[2], match[3]))
    width = max(len(match[2]), len(match[3])) if is_padded else 0
    step = int(match[4] or 1) or 1
    return [str(n).zfill(width) for n in _range(int(match[2]), int(match[3]), step)]


def _range(first: int, last: int, step: int) -> Sequence[int]:
    step = abs(step) if first <= last else -abs(step)
    return range(first, last + (1 if step > 0 else -1), step)[:_MOST_WORDS]


def _unglobbed(word: str) -> str:
    """Leave a hole where a glob stands: only the machine knows what fits."""
    return _GLOB.sub(HOLE, word)
