"""Lines of at most 80 columns in plain ASCII, whatever the text was."""

import textwrap
from collections.abc import Iterable

from podwire.documents.text import printable

WIDTH = 80
LONGEST = 2000  # characters of one text; a report that repeats its input explains nothing


def plain(text: str, *, limit: int = LONGEST) -> str:
    """Write untrusted text as one line of printable ASCII; escapes stand for the rest."""
    return printable(text, limit).encode("ascii", "backslashreplace").decode("ascii")


def wrapped(text: str, *, first: str = "", rest: str | None = None) -> list[str]:
    """Wrap one paragraph; `first` begins its first line, `rest` (or blanks) the others."""
    indent = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        plain(text),
        width=WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return lines or [first.rstrip()]


def flowed(pieces: Iterable[str], *, rest: str) -> list[str]:
    """Fill lines with short pieces and break between them only; `rest` indents later lines."""
    lines: list[str] = []
    for piece in map(plain, pieces):
        if lines and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"{rest if lines else ''}{piece}")
    return lines


def counted(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 error`, `2 errors`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
