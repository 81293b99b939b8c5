"""Files below one root: a directory, one file, an archive, or standard input.

Paths are relative to the root, with forward slashes; the root itself is the empty path, and
where the root is a single file that path reads it. Nothing outside the root is ever read:
links are followed as if the root were `/`.
"""

import enum
from typing import BinaryIO, Protocol

import msgspec


class EntryKind(enum.Enum):
    """What a name in a folder leads to, links followed."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"  # a pipe, a socket, a device, or a link that leads to nothing


class Entry(msgspec.Struct, frozen=True, gc=False, order=True):
    """One name in a folder."""

    name: str
    kind: EntryKind
    is_link: bool = False


class Trouble(enum.Enum):
    """Why something could not be read; the value is the rest of the sentence."""

    ABSENT = "is not there"
    DENIED = "may not be read by this user"
    LOOP = "is a link that leads back to itself"
    OUTSIDE = "leads out of the folder or archive it belongs to"
    FOLDER = "is a folder, where a file was expected"
    SPECIAL = "is a pipe, socket or device"
    TOO_BIG = "is bigger than podwire reads"
    BROKEN = "could not be read to its end"


class ReadFault(Exception):  # noqa: N818 - the input's fault, no error of podwire
    """A file or folder could not be read; the text is a whole sentence about it."""

    def __init__(self, path: str, trouble: Trouble, *, detail: str = "") -> None:
        super().__init__(f"{path or 'it'} {trouble.value}" + (f": {detail}" if detail else ""))
        self.path = path
        self.trouble = trouble
        self.detail = detail


class HostFs(Protocol):
    """What podwire asks of files. Every method but `exists` and `is_dir` raises `ReadFault`."""

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        """List a folder, sorted by name."""

    def is_dir(self, path: str = "") -> bool:
        """Say whether the path leads to a folder."""

    def exists(self, path: str = "") -> bool:
        """Say whether the path leads to anything."""

    def readlink(self, path: str) -> str:
        """Give the target of a link as it is written, also one that leads out."""

    def size(self, path: str = "") -> int:
        """Give the size of a file; files of the kernel say 0, or more than they hold."""

    def open(self, path: str = "") -> BinaryIO:
        """Open a regular file for reading; never blocks on a pipe.

        What goes wrong while it is read is an `OSError`.
        """

    def read(self, path: str = "", *, limit: int) -> bytes:
        """Read a whole file of at most `limit` bytes."""

    def troubles(self) -> tuple[ReadFault, ...]:
        """Say what was refused or lost when the root itself was opened."""
