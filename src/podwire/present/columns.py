"""Rows of short texts in columns, as kubectl prints them."""

from collections.abc import Sequence

from podwire.present.lines import plain

_GAP = 2
NOTHING = "-"


def columns(head: Sequence[str], rows: Sequence[Sequence[str | None]]) -> list[str]:
    """Align rows under their heads; what nobody read is a dash. A column of dashes is left out."""
    written = [[plain(cell) if cell else NOTHING for cell in row] for row in rows]
    kept = [i for i in range(len(head)) if any(row[i] != NOTHING for row in written)]
    lines = [[head[i] for i in kept], *([row[i] for i in kept] for row in written)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(kept))]
    return [
        "".join(cell.ljust(width + _GAP) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
