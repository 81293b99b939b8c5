"""Names of devices in a sentence: the part that they share is written once."""

import re
from collections.abc import Iterable


def listed(names: Iterable[str], *, most: int = 12) -> str:
    """Write `mlx5_0, 3, 4 and ibp24s0`, in the order of their numbers."""
    by_stem: dict[str, list[str]] = {}
    for stem, number in sorted({_cut(name) for name in names}, key=lambda n: (n[0], len(n[1]), n)):
        by_stem.setdefault(stem, []).append(number)
    groups = [
        stem
        + ", ".join(numbers[:most])
        + (f" and {more} more" if (more := len(numbers) - most) > 0 else "")
        for stem, numbers in by_stem.items()
    ]
    return ", ".join(groups)


def _cut(name: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)(\d*)", name)
    return (name, "") if match is None else (match[1], match[2])


def alike(message: str, node: str) -> str:
    """Make a group key that findings of all nodes with the same file share."""
    return message.replace(node, "")
