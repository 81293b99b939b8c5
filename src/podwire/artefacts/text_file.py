"""A file that podwire writes: where, what, and that it is podwire's."""

import msgspec

MARK = "# Written by podwire; podwire node install --uninstall removes it.\n"


class TextFile(msgspec.Struct, frozen=True):
    """One file, its path below the root without a leading slash."""

    path: str
    text: str

    @property
    def is_marked(self) -> bool:
        """Whether a reader of it can tell who wrote it."""
        return self.text.startswith(MARK)
