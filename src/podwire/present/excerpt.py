"""A place in a text as a compiler shows it: the line, one before it, carets below."""

from collections.abc import Sequence

from podwire.documents.locate import Located
from podwire.present.lines import WIDTH, plain

_CUT = "..."
_LEAD = 24  # columns left before the carets where a long line is cut


def excerpt(lines: Sequence[str], *, at: Located) -> list[str]:
    """Show where a value stands; nothing where the text has no such line."""
    number = at.position.line
    if number > len(lines):
        return []
    width = len(str(number))
    margin = f" {'':{width}} |"
    room = WIDTH - len(margin) - 1
    start = at.position.column - 1
    shown, before, marked = _window(
        lines[number - 1], start=start, end=at.end_column - 1, room=room
    )
    above = lines[number - 2] if number > 1 else ""
    rows = [f" {number - 1:>{width}} | {_fitted(above, room)}"] if above.strip() else []
    rows.append(f" {number} | {shown}".rstrip())
    return [margin, *rows, f"{margin} {' ' * before}{'^' * marked}"]


def _window(line: str, *, start: int, end: int, room: int) -> tuple[str, int, int]:
    """Cut a line around its carets: what is left, columns before them, how many they are."""
    first = 0
    is_behind = start >= len(line)  # A place right behind the line has a column of its own.
    if len(_shown(line)) + is_behind > room:
        first = start
        while first and len(_shown(line[first - 1 : start])) <= _LEAD:
            first -= 1
    before = len(_CUT if first else "") + len(_shown(line[first:start]))
    left = room - is_behind - (len(_CUT) if first else 0)
    text = (_CUT if first else "") + _fitted(line[first:], left)
    marked = min(len(_shown(line[start:end])), len(text) - before)
    return text, min(before, room - 1), max(marked, 1)


def _fitted(line: str, room: int) -> str:
    """Show the beginning of a line, with dots where more follows."""
    shown = _shown(line[: room + 1])
    return shown if len(shown) <= room else shown[: room - len(_CUT)] + _CUT


def _shown(text: str) -> str:
    """Escape what a terminal would act on; a tab is one blank, so that carets stay right."""
    return plain(text.replace("\t", " ").removesuffix("\r"), limit=len(text) * 10)
