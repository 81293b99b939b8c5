"""Plain trees: what every format is read into, and how far a tree may go."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from podwire.documents.text import Problem, printable

Scalar: TypeAlias = str | int | float | bool | None
Tree: TypeAlias = Scalar | list["Tree"] | dict[str, "Tree"]

# Kubernetes stops at 10,000; the deepest schemas in the field have about 60.
DEPTH_LIMIT = 200
# What aliases may add to one document.
EXPANSION_LIMIT = 1_000_000
TOO_DEEP = f"it is nested deeper than {DEPTH_LIMIT} levels"


class Loaded(msgspec.Struct, frozen=True):
    """One document: its value, or the problem that kept it from being read.

    `part` counts the documents of the text from 0. `duplicates` are keys that stand twice
    in one mapping; the last one counts. Of a Helm template `problem` gives the first
    action; `value` is there when the text happens to be YAML all the same.
    """

    part: int = 0
    value: Tree = None
    problem: Problem | None = None
    duplicates: tuple[Problem, ...] = ()
    is_template: bool = False


def twice(key: str) -> str:
    """Say that a mapping has a key twice."""
    return f'the key "{printable(key, 60)}" stands twice; the last one counts'


def excess(value: Tree, *, limit: int) -> str | None:
    """Say in which way a tree is too much, or None; shared branches count each time.

    It goes level by level, so that neither depth nor sharing costs more than `limit`.
    """
    level: Sequence[list[Tree] | dict[str, Tree]]
    level = [value] if isinstance(value, list | dict) else []
    size = 0
    for _ in range(DEPTH_LIMIT):
        if not level:
            return None
        size += sum(map(len, level))
        if size > limit:
            return f"its aliases stand for more than {EXPANSION_LIMIT:,} values"
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, list | dict)
        ]
    return TOO_DEEP if level else None
