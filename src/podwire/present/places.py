"""Places as people write them: file, line and column, or the object and the path in it.

Line and column need the text again. Each text is read once, each place located once, and
only in files that people edit: of a cluster's dump the object and the path say more.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

import msgspec

from podwire.documents.ini import is_ini
from podwire.documents.locate import Form, Located, locate
from podwire.documents.parts import Part, split
from podwire.documents.text import Position
from podwire.findings.model import Finding
from podwire.model.evidence import Document, Origin, Path, Place

# Every place costs reading its document again: characters of YAML that one report may cost.
# Where that is spent, what is left (the least severe findings) has object and path only.
_PATIENCE = 4_000_000
_JSON_SHARE = 50  # characters of JSON that cost as much as one of YAML
STDIN = "-"  # what a document is called that was piped in
_EDITED = {Origin.MANIFEST, Origin.SPEC}
_TOML = re.compile(r"\.toml\Z|/etc/crio/crio\.conf(?:\.d/[^/]+)?\Z")
_CDI_SPEC = re.compile(r"/cdi/[^/]+\.(?:yaml|json)\Z")


class Sources(Protocol):
    """Whoever read the documents and can read one again."""

    def text(self, document: Document) -> str | None:
        """Give the whole text of the document's file; None where that is too big, or gone."""


class _Text(msgspec.Struct, frozen=True):
    """One file, cut into documents and lines."""

    text: str
    lines: Sequence[str]
    parts: dict[int, Part]
    form: Form


class Places:
    """Writes places down; one for each report."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._texts: dict[str, _Text | None] = {}
        self._found: dict[tuple[Document, Path, Path | None], Located | None] = {}
        self._left = _PATIENCE

    def located(self, place: Place) -> Located | None:
        """Find the value in its file; None where that is no file with lines and columns."""
        if place.line:
            position = Position(line=place.line, column=place.column)
            return Located(position=position, end_column=place.column + 1)
        key = (place.document, place.steps, place.inner)
        if key not in self._found:
            self._found[key] = self._locate(place)
        return self._found[key]

    def position(self, place: Place) -> Position | None:
        """Give line and column, where there are any."""
        found = self.located(place)
        return None if found is None else found.position

    def lines(self, document: Document) -> Sequence[str]:
        """Give the lines of the document's file."""
        text = self._text(document)
        return () if text is None else text.lines

    def written(self, place: Place) -> str:
        """Write `file:line:column`, `Kind namespace/name .path`, or `Node name /path`."""
        name = place.document.name
        position = self.position(place)
        if position is not None:
            return f"{name}:{position.line}:{position.column}"
        if (line := _line_of(place)) is not None:
            return f"{name}:{line}"
        if place.document.origin in _EDITED:
            return f"{name} {place}" if place.object else str(place)
        return str(place)

    def to_change(self, finding: Finding) -> int | None:
        """Say which evidence is the place to change, of those that have line and column.

        It is the one in the object that a fix patches, nearest to the patched value; without
        a patch, the first.
        """
        located = [i for i, s in enumerate(finding.evidence) if self.position(s.at) is not None]
        patch = next((fix.patch for fix in finding.fix if fix.patch is not None), None)
        if patch is not None:
            pointer = str(patch.operations[0].get("path", "")) if patch.operations else ""
            own = [i for i in located if finding.evidence[i].at.object == str(patch.of)]
            located = sorted(own, key=lambda i: -_shared(finding.evidence[i].at, pointer)) or (
                located
            )
        return next(iter(located), None)

    def _locate(self, place: Place) -> Located | None:
        document = place.document
        text = self._text(document) if _has_lines(place) else None
        if text is None:
            return None
        if text.form in {Form.TOML, Form.INI}:
            return locate(text.text, form=text.form, path=place.steps)
        if text.form is Form.JSON and document.part == 0:
            found = self._within(len(text.text) // _JSON_SHARE) and locate(
                text.text, form=Form.JSON, path=place.steps, inner=place.inner
            )
            if found:
                return found
        part = text.parts.get(document.part)
        if part is None or not self._within(len(part.text)):
            return None
        return _in_part(part, text=text.text, place=place)

    def _within(self, cost: int) -> bool:
        """Take the cost from what is left; the first place is always worth its cost."""
        is_first = self._left == _PATIENCE
        self._left -= cost
        return is_first or self._left >= 0

    def _text(self, document: Document) -> _Text | None:
        if document.name not in self._texts:
            text = self._sources.text(document)
            self._texts[document.name] = None if text is None else _cut(text, document.name)
        return self._texts[document.name]


def _shared(place: Place, pointer: str) -> int:
    """Count the steps that a place has in common with a JSON pointer (RFC 6901)."""
    steps = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
    pairs = zip(map(str, place.path), steps, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _has_lines(place: Place) -> bool:
    """Of a node's files those have lines that are trees, and that people read."""
    document = place.document
    if document.origin is not Origin.NODE:
        return document.origin in _EDITED
    name = f"/{document.name}"
    return bool(place.path) and bool(_TOML.search(name) or _CDI_SPEC.search(name) or is_ini(name))


def _cut(text: str, name: str) -> _Text:
    form = Form.JSON if text.lstrip()[:1] in {"{", "["} else Form.YAML
    if _TOML.search(f"/{name}"):
        return _Text(text=text, lines=text.split("\n"), parts={}, form=Form.TOML)
    if is_ini(name):
        return _Text(text=text, lines=text.split("\n"), parts={}, form=Form.INI)
    parts = {part.number: part for part in split(text)}
    return _Text(text=text, lines=text.split("\n"), parts=parts, form=form)


def _in_part(part: Part, *, text: str, place: Place) -> Located | None:
    """Locate in one document of many, without reading the others."""
    found = locate(part.text, form=Form.YAML, path=place.steps, inner=place.inner)
    if found is None:
        return None
    above = text.count("\n", 0, part.start)
    position = Position(line=found.position.line + above, column=found.position.column)
    return msgspec.structs.replace(found, position=position)


def _line_of(place: Place) -> int | None:
    """Give the line where the path is one: logs, output of commands."""
    (step,) = place.path if len(place.path) == 1 and not place.base else ("",)
    return step if isinstance(step, int) else None
