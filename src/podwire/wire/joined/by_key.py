"""An index over pairs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def by_key(pairs: Iterable[tuple[K, V]]) -> Mapping[K, tuple[V, ...]]:
    """Gather the values of each key, in their order."""
    found: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(value) for key, value in found.items()}
