r"""systemd's INI: sections, assignments, lines that go on behind a backslash.

Source: systemd v252 src/shared/conf-parser.c config_parse and parse_line. A comment between
lines that go on is skipped; the backslash and the newline after it become one blank; a key
may stand many times, and what an empty value means is for whoever knows the key.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from podwire.documents.spans import Span
from podwire.documents.text import Position, Problem, printable
from podwire.model.evidence import Path

_SUFFIXES = (".link", ".network", ".netdev", ".service", ".socket", ".target", ".timer", ".mount")
_SPACE = " \t\n\r"
_END = re.compile(r"\r\n\0?|\n\r?\0?|\r\0?|\0")


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A line of the file in a value: where it begins there, and in the file."""

    offset: int
    start: int
    line: int


class Assignment(msgspec.Struct, frozen=True, gc=False):
    """`Key=value`; `index` counts the assignments of this key in sections of this name.

    `line` is the first one; `last` is the one that systemd names in its messages.
    """

    section: str
    key: str
    index: int
    value: str
    line: int
    last: int
    key_span: tuple[int, int]
    pieces: tuple[Piece, ...]

    @property
    def path(self) -> Path:
        """Lead to the value."""
        return (self.section, self.key, self.index)

    def path_at(self, offset: int) -> Path:
        """Lead to the line of the file that holds a character of the value."""
        number = bisect_right(self.pieces, offset, key=lambda piece: piece.offset) - 1
        return (*self.path, number) if len(self.pieces) > 1 else self.path


class Ini(msgspec.Struct, frozen=True, gc=False):
    """The assignments of one text in their order, and the lines that systemd skips."""

    assignments: tuple[Assignment, ...]
    problems: tuple[Problem, ...] = ()


def is_ini(name: str) -> bool:
    """Tell systemd's files by their names: units, links, and drop-ins of either."""
    folder, _, last = name.rpartition("/")
    is_drop_in = last.endswith(".conf") and folder.removesuffix(".d").endswith(_SUFFIXES)
    return last.endswith(_SUFFIXES) or (is_drop_in and folder.endswith(".d"))


def parse(text: str) -> Ini:
    """Read a whole file; a line that systemd skips is a problem and costs only itself."""
    reader = _Reader()
    for logical in _logical_lines(text):
        reader.take(logical)
    return Ini(assignments=tuple(reader.assignments), problems=tuple(reader.problems))


def span_in(text: str, *, path: Path) -> Span | None:
    """Find an assignment's value, or the nearest that there is: the key, the section's first."""
    section, key, index, line = (*path, None, None, None, None)[:4]
    of_section = [a for a in parse(text).assignments if a.section == section]
    found = next((a for a in of_section if a.key == key and a.index == (index or 0)), None)
    if found is None:
        first = next(iter(of_section), None)
        return None if first is None else _value_span(first, exact=False)
    if isinstance(line, int) and 0 <= line < len(found.pieces):
        return _piece_span(found, found.pieces[line], text)
    return _value_span(found)


def _value_span(found: Assignment, *, exact: bool = True) -> Span:
    """Span what stands on the first line; a value of several lines is shown by that."""
    first = found.pieces[0]
    until = found.pieces[1].offset if len(found.pieces) > 1 else len(found.value)
    width = len(found.value[:until].rstrip(_SPACE))
    return Span(start=first.start, end=first.start + width, key=found.key_span, exact=exact)


def _piece_span(found: Assignment, piece: Piece, text: str) -> Span:
    until = min((p.offset for p in found.pieces if p.offset > piece.offset), default=None)
    own = found.value[piece.offset : until]
    indent = len(own) - len(own.lstrip(_SPACE))
    start = piece.start + indent
    end = start + len(own.strip(_SPACE))
    return Span(start=min(start, len(text)), end=min(end, len(text)))


class _Logical(msgspec.Struct):
    """A line as systemd reads it: lines of the file put together."""

    parts: list[str]
    pieces: list[Piece]
    last: int
    length: int = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, part: str, piece: Piece) -> None:
        self.parts.append(part)
        self.pieces.append(piece)
        self.length += len(part)
        self.last = piece.line


def _logical_lines(text: str) -> "list[_Logical]":
    found: list[_Logical] = []
    pending: _Logical | None = None
    for number, (here, line) in enumerate(_lines(text), start=1):
        if line.lstrip(_SPACE)[:1] in {"#", ";"}:
            continue
        pending = pending or _Logical(parts=[], pieces=[], last=number)
        piece = Piece(offset=pending.length, start=here, line=number)
        if _goes_on(line):
            pending.add(line[:-1] + " ", piece)
            continue
        pending.add(line, piece)
        found.append(pending)
        pending = None
    return found if pending is None else [*found, pending]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Cut where systemd does (src/basic/fileio.c read_line_full): CR and NUL end lines too."""
    start = 1 if text.startswith("\ufeff") else 0
    for end in _END.finditer(text, start):
        yield start, text[start : end.start()]
        start = end.end()
    yield start, text[start:]


def _goes_on(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


class _Reader:
    def __init__(self) -> None:
        self.assignments: list[Assignment] = []
        self.problems: list[Problem] = []
        self._section: str | None = None
        self._counts: dict[tuple[str, str], int] = {}

    def take(self, logical: _Logical) -> None:
        text = logical.text
        stripped = text.strip(_SPACE)
        if not stripped:
            return
        if stripped.startswith("["):
            self._open(stripped, logical)
            return
        key, equals, _ = text.partition("=")
        if self._section is None:
            self._skip("Assignment outside of section. Ignoring.", logical)
        elif not equals:
            self._skip("Missing '=', ignoring line.", logical)
        elif not key.strip(_SPACE):
            self._skip("Missing key name before '=', ignoring line.", logical)
        else:
            self._assign(self._section, key, logical)

    def _open(self, header: str, logical: _Logical) -> None:
        if header.endswith("]"):
            self._section = header[1:-1]
        else:
            self._skip(f"Invalid section header '{printable(header, 60)}'", logical)

    def _assign(self, section: str, key: str, logical: _Logical) -> None:
        text = logical.text
        begin = len(key) + 1
        while begin < len(text) and text[begin] in _SPACE:
            begin += 1
        name = key.strip(_SPACE)
        count = self._counts.get((section, name), 0)
        self._counts[section, name] = count + 1
        key_start = logical.pieces[0].start + len(key) - len(key.lstrip(_SPACE))
        self.assignments.append(
            Assignment(
                section=section,
                key=name,
                index=count,
                value=text[begin:].rstrip(_SPACE),
                line=logical.pieces[0].line,
                last=logical.last,
                key_span=(key_start, key_start + len(name)),
                pieces=_pieces_from(logical.pieces, begin),
            )
        )

    def _skip(self, message: str, logical: _Logical) -> None:
        position = Position(line=logical.pieces[0].line, column=1)
        self.problems.append(Problem(message=message, position=position))


def _pieces_from(pieces: list[Piece], begin: int) -> tuple[Piece, ...]:
    """Count from where the value begins; lines that lie before it are left out."""
    moved = []
    for index, piece in enumerate(pieces):
        following = pieces[index + 1].offset if index + 1 < len(pieces) else None
        if following is not None and following <= begin:
            continue
        within = max(begin - piece.offset, 0)
        moved.append(
            Piece(
                offset=max(piece.offset - begin, 0),
                start=piece.start + within,
                line=piece.line,
            )
        )
    return tuple(moved)
