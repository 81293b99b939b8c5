"""The documents of a YAML text, cut apart before any of them is read.

A line that begins with `---` separates documents wherever it stands: inside a block scalar
it would be indented, and quoted scalars may not hold one. So a broken document costs only
itself.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from podwire.documents.text import Position, position_at

MOST = 100_000  # documents of one text
_CUT = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BLANK = re.compile(r"(?:---)?(?:[ \t]*+(?:#[^\n]*+)?+\r?\n)*+[ \t]*+(?:#[^\n]*+)?+\r?")
_DIRECTIVES = re.compile(r"(?:(?:%[^\n]*+|[ \t]*+(?:#[^\n]*+)?+)\n)++")


class Part(msgspec.Struct, frozen=True, gc=False):
    """A document's own text, from its `---` on, and where in the whole text that begins.

    `line` is the number of lines before it.
    """

    number: int
    start: int
    line: int
    text: str

    def position(self, offset: int) -> Position:
        """Lead from a character of the document to a place in the whole text."""
        within = position_at(self.text, offset=offset)
        return Position(line=self.line + within.line, column=within.column)


def split(text: str) -> tuple[Part, ...]:
    """Give the documents that hold something, counted from 0; comments alone do not.

    Of more than `MOST` there is one more, so that whoever reads them can say so.
    """
    parts: list[Part] = []
    line = 0
    counted = 0
    for start, end in islice(_filled(text), MOST + 1):
        line += text.count("\n", counted, start)
        counted = start
        parts.append(Part(number=len(parts), start=start, line=line, text=text[start:end]))
    return tuple(parts)


def _filled(text: str) -> Iterator[tuple[int, int]]:
    """Leave blank pieces out, and give directives to the document that they are for."""
    directives = None
    for start, end in _pieces(text):
        if _BLANK.fullmatch(text, start, end):
            continue
        if _DIRECTIVES.fullmatch(text, start, end):
            directives = start
            continue
        yield (start if directives is None else directives, end)
        directives = None
    if directives is not None:
        yield (directives, len(text))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 1 if text.startswith("\ufeff") else 0
    for cut in _CUT.finditer(text, start):
        yield (start, cut.start())
        start = cut.start() if cut[0] == "---" else cut.end()
    yield (start, len(text))
