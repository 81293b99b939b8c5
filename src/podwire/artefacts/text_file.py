"""A file that podwire writes: where, what, and that it is podwire's."""

import msgspec

MARK = "# Written by podwire; podwire node install --uninstall removes it.\n"
COPIED = "# Copied here by podwire node install; it stays when podwire is taken away.\n"


class TextFile(msgspec.Struct, frozen=True):
    """One file, its path below the root without a leading slash."""

    path: str
    text: str


def is_ours(text: str) -> bool:
    """Say whether podwire wrote a file, or copied it."""
    return text.startswith((MARK, COPIED))
