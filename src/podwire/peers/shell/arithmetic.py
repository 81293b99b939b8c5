"""`$((...))` as bash computes it: whole numbers, division towards zero."""

import operator
from collections.abc import Callable
from typing import TypeAlias

from podwire.peers.shell.tree import Node

Lookup: TypeAlias = Callable[[str], int | None]
Store: TypeAlias = Callable[[str, int | None], None]
_BIGGEST = 1 << 63


def number(text: str) -> int | None:
    """Read a number as bash does: 0x is hexadecimal, a leading 0 octal, empty is 0."""
    stripped = text.strip()
    sign = -1 if stripped.startswith("-") else 1
    digits = stripped.lstrip("+-")
    if not stripped:
        return 0
    base = 16 if digits[:2].lower() == "0x" else 8 if digits[:1] == "0" else 10
    try:
        return sign * int(digits, base)
    except ValueError:
        return None


def _divided(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) is (right < 0) else -quotient


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": lambda left, right: left - right * _divided(left, right),
    "**": lambda left, right: left**right if 0 <= right < 64 else 0,
    "<<": lambda left, right: left << right if 0 <= right < 64 else 0,
    ">>": lambda left, right: left >> right if 0 <= right < 64 else 0,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    ">": lambda left, right: int(left > right),
    "<=": lambda left, right: int(left <= right),
    ">=": lambda left, right: int(left >= right),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
}
_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": lambda value: int(not value),
    "~": operator.invert,
}


class Arithmetic:
    """Computes the pieces of an expression; None: something in it is unknown."""

    def __init__(self, lookup: Lookup, store: Store, text_of: Callable[[Node], str]) -> None:
        self._lookup = lookup
        self._store = store
        self._text_of = text_of

    def value(self, node: Node) -> int | None:
        """Compute one expression."""
        computed = self._value(node)
        return None if computed is None or abs(computed) >= _BIGGEST else computed

    def _value(self, node: Node) -> int | None:
        named = node.named
        kind = node.kind
        if kind == "number":
            return number(node.text)
        if kind in {"variable_name", "word"}:
            return self._lookup(node.text)
        if kind in {"simple_expansion", "expansion", "command_substitution", "string"}:
            return number(self._text_of(node))
        if kind in {"parenthesized_expression", "arithmetic_expansion"} and len(named) == 1:
            return self.value(named[0])
        if kind == "variable_assignment" and (name := node.field("name")):
            computed = self.value(named[-1])
            self._store(name.text, computed)
            return computed
        return self._operation(node)

    def _operation(self, node: Node) -> int | None:
        sign = next((c.text for c in node.children if not c.is_named), "")
        if node.kind == "binary_expression":
            return self._binary(node, sign)
        if node.kind == "unary_expression" and sign in _UNARY:
            value = self.value(node.named[-1])
            return None if value is None else _UNARY[sign](value)
        return self._stepped(node, sign) if sign in {"++", "--"} else None

    def _stepped(self, node: Node, sign: str) -> int | None:
        """Count up or down: before it the new value is meant, behind it the old one."""
        name = node.named[0].text
        old = self._lookup(name)
        new = None if old is None else old + (1 if sign == "++" else -1)
        self._store(name, new)
        return old if node.kind == "postfix_expression" else new

    def _binary(self, node: Node, sign: str) -> int | None:
        left_node, right_node = node.field("left"), node.field("right")
        if left_node is None or right_node is None:
            return None
        right = self.value(right_node)
        if sign in {"+=", "-=", "="}:
            old = 0 if sign == "=" else self._lookup(left_node.text)
            new = (
                None if old is None or right is None else old + (-right if sign == "-=" else right)
            )
            self._store(left_node.text, new)
            return new
        left = self.value(left_node)
        if left is None or right is None or sign not in _BINARY or (sign in "/%" and not right):
            return None
        return _BINARY[sign](left, right)
