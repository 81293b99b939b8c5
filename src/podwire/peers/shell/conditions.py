"""`[ ... ]` and `[[ ... ]]`: comparisons of words; what asks the machine is unknown."""

from collections.abc import Callable

from podwire.peers.shell.arithmetic import number
from podwire.peers.shell.records import HOLE
from podwire.peers.shell.tree import Node

_NUMERIC: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}


def truth(node: Node, text_of: Callable[[Node], str]) -> bool | None:
    """Decide a test; None: nobody can tell here."""
    named = node.named
    if node.kind in {"test_command", "parenthesized_expression"}:
        return truth(named[0], text_of) if len(named) == 1 else None
    if node.kind == "binary_expression":
        return _binary(node, text_of)
    if node.kind == "negation_expression" or (
        node.kind == "unary_expression" and node.children[0].text == "!"
    ):
        inner = truth(named[-1], text_of)
        return None if inner is None else not inner
    if node.kind == "unary_expression":
        return _unary(node, text_of)
    text = text_of(node)
    return None if HOLE in text else bool(text)


def _unary(node: Node, text_of: Callable[[Node], str]) -> bool | None:
    sign, value = node.named[0].text, text_of(node.named[-1])
    if sign not in {"-n", "-z"} or HOLE in value:
        return None
    return bool(value) is (sign == "-n")


def _binary(node: Node, text_of: Callable[[Node], str]) -> bool | None:
    left_node, right_node, sign = (node.field(n) for n in ("left", "right", "operator"))
    if left_node is None or right_node is None or sign is None:
        return None
    if sign.text in {"&&", "||"}:
        sides = (truth(left_node, text_of), truth(right_node, text_of))
        deciding = sign.text == "||"
        return deciding if deciding in sides else None if None in sides else not deciding
    is_negated = left_node.kind == "unary_expression" and left_node.children[0].text == "!"
    left = left_node.named[-1] if is_negated else left_node  # The grammar reads (! a) = b.
    found = _compared(sign.text, text_of(left), text_of(right_node))
    return None if found is None else found is not is_negated


def _compared(sign: str, left: str, right: str) -> bool | None:
    if HOLE in left or HOLE in right:
        return None
    if sign in _NUMERIC:
        one, other = number(left), number(right)
        return None if one is None or other is None else _NUMERIC[sign](one, other)
    if sign in {"=", "==", "!="} and not any(c in right for c in "*?["):
        return (left == right) is (sign != "!=")
    return None
