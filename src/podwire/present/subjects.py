"""Many subjects in few words: by kind, the first five, how many more."""

import re
from collections.abc import Iterable, Mapping

from podwire.model.names import Ref
from podwire.present.lines import wrapped

_MOST = 5


def listed(refs: Iterable[Ref], *, indent: str) -> list[str]:
    """Write one paragraph a kind; kinds stand in the order in which they first occur."""
    lines: list[str] = []
    for kind, names in _by_kind(refs).items():
        first = sorted(names, key=natural)[:_MOST]
        more = len(names) - len(first)
        text = f"{kind} {', '.join(first)}" + (f" and {more} more" if more else "")
        lines += wrapped(text, first=indent, rest=indent + "  ")
    return lines


def _by_kind(refs: Iterable[Ref]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for ref in dict.fromkeys(ref.whole for ref in refs):
        found.setdefault(ref.kind, []).append(ref.full_name)
    return found


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Order names as people do: worker-2 before worker-10."""
    return tuple(
        (int(part), "") if part.isdecimal() and part.isascii() else (-1, part)
        for part in re.split(r"(\d+)", text)
    )
