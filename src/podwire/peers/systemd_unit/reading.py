"""A unit's file and drop-ins into one unit."""

from collections.abc import Sequence

from podwire.documents import ini
from podwire.model.evidence import Document
from podwire.peers.systemd_unit.records import Line, Unit


def read_unit(name: str, texts: Sequence[tuple[Document, str]]) -> Unit:
    """Read the file first and then its drop-ins, in the order given (by their file names)."""
    lines = tuple(
        Line(document=document, found=assignment)
        for document, text in texts
        for assignment in ini.parse(text).assignments
    )
    return Unit(name=name, lines=lines, document=texts[0][0])
