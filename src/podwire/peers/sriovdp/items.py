"""One item of pfNames or rootDevices: `ibp24s0`, or `ibp24s0#0-3,7`.

Source: pkg/resources/deviceSelectors.go getItem and isSelected, at 9b10368: the name is compared
as a whole and without regard to case; the indexes are read from left to right until one holds
this function's, and an index that is no number ends the reading.
"""

import re
from typing import Final

import msgspec

_INDEX: Final = re.compile(r"[+]?[0-9]{1,18}")  # Atoi refuses what no int64 holds


class Item(msgspec.Struct, frozen=True, gc=False):
    """An item, read: the spans before the first malformed one, both ends included.

    `name` is case-folded. `spans` is None where the item has no `#`: it covers every function
    of that PF.
    """

    text: str
    name: str
    spans: tuple[tuple[int, int], ...] | None
    is_malformed: bool = False

    def covers(self, index: int) -> bool:
        """The item takes the function with this index; a PF's own is -1."""
        return self.spans is None or any(low <= index <= high for low, high in self.spans)


def read_item(text: str) -> Item:
    """Read one item as far as the plugin can."""
    name, *rest = text.split("#")
    if not rest:
        return Item(text=text, name=name.casefold(), spans=None)
    if len(rest) > 1:
        return Item(text=text, name=name.casefold(), spans=(), is_malformed=True)
    spans: list[tuple[int, int]] = []
    for written in rest[0].split(","):
        span = _span(written)
        if span is None:
            return Item(text=text, name=name.casefold(), spans=tuple(spans), is_malformed=True)
        spans.append(span)
    return Item(text=text, name=name.casefold(), spans=tuple(spans))


def _span(text: str) -> tuple[int, int] | None:
    ends = text.split("-")
    if len(ends) > 2 or not all(_INDEX.fullmatch(end) for end in ends):
        return None
    return int(ends[0]), int(ends[-1])
