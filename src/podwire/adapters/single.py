"""One file without a name as a root: what came through standard input."""

import io
import weakref
from tempfile import TemporaryFile
from typing import BinaryIO

from podwire.adapters.reading import read_whole, too_big
from podwire.ports.hostfs import Entry, ReadFault, Trouble

_STEP = 1 << 20
_KEPT_IN_MEMORY = 16 << 20


class SingleFile:
    """The bytes of a stream that can be read once only, kept to be read again."""

    def __init__(self, kept: BinaryIO) -> None:
        self._kept = kept
        weakref.finalize(self, kept.close)
        self._size = kept.seek(0, io.SEEK_END)

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        """It is no folder."""
        raise ReadFault(path, Trouble.ABSENT)

    def is_dir(self, path: str = "") -> bool:  # noqa: ARG002 - the port's signature
        """It is no folder."""
        return False

    def exists(self, path: str = "") -> bool:
        """Only the root is there."""
        return not path

    def readlink(self, path: str) -> str:
        """Nothing in it is a link."""
        raise ReadFault(path, Trouble.ABSENT)

    def size(self, path: str = "") -> int:
        """Say how much came."""
        self._refuse(path)
        return self._size

    def open(self, path: str = "") -> BinaryIO:
        """Start reading from its beginning; one reader at a time."""
        self._refuse(path)
        self._kept.seek(0)
        return io.BufferedReader(_Window(self._kept))

    def read(self, path: str = "", *, limit: int) -> bytes:
        """Read it whole."""
        with self.open(path) as source:
            return read_whole(source, path=path, size=self._size, limit=limit)

    def troubles(self) -> tuple[ReadFault, ...]:
        """Nothing is lost."""
        return ()

    def _refuse(self, path: str) -> None:
        if path:
            raise ReadFault(path, Trouble.ABSENT)


class _Window(io.RawIOBase):
    """A file whose closing leaves what it shows open."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, target: "memoryview | bytearray", /) -> int:  # type: ignore[override]  # typeshed asks for any buffer
        data = self._source.read(len(target))
        target[: len(data)] = data
        return len(data)


def kept(stream: BinaryIO, *, limit: int) -> BinaryIO:
    """Read a stream to its end; what is big goes to a temporary file that has no name.

    Raises:
        ReadFault: there is more than `limit`.
    """
    target: BinaryIO = io.BytesIO()
    total = 0
    while data := stream.read(_STEP):
        total += len(data)
        if total > limit:
            raise too_big("", size=total, limit=limit)
        if total > _KEPT_IN_MEMORY and isinstance(target, io.BytesIO):
            memory, target = target, TemporaryFile()  # noqa: SIM115 - lives as long as the root
            target.write(memory.getbuffer())
        target.write(data)
    target.seek(0)
    return target
