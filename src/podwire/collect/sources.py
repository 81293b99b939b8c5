"""Reading a document again, for whoever shows a line of it."""

from collections.abc import Sequence

from podwire.collect.given import Input, mounts_of
from podwire.documents.text import decode_text
from podwire.model.evidence import Document
from podwire.ports.hostfs import ReadFault

_LIMIT = 10_000_000  # bigger files are named by object and path only


class FileSources:
    """The inputs of one call, to be asked for texts of documents."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        # The longest name in front fits best: the others may hold a file of the same name.
        self._mounts = sorted(mounts_of(inputs), key=lambda mount: -len(mount.shown))

    def text(self, document: Document) -> str | None:
        """Give the whole text of the document's file; None where that is big, or gone."""
        for mount in self._mounts:
            path = mount.path(document.name)
            if path is None:
                continue
            try:
                text, _ = decode_text(mount.files.read(path, limit=_LIMIT))
            except ReadFault:
                return None
            return text
        return None
