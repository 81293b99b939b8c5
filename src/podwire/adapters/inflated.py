"""A compressed stream that can be moved in, and that ends where its limit is."""

import io
import zlib
from gzip import GzipFile
from typing import BinaryIO, Protocol

_STEP = 1 << 20


class Source(Protocol):
    """What `tarfile` asks of a file."""

    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes."""

    def seek(self, offset: int, /) -> int:
        """Go to an offset from the start."""

    def tell(self) -> int:
        """Say where it is."""


class BombError(OSError):
    """More comes out, or is asked for at once, than any honest archive holds."""


class Bounded:
    """Passes reads on, up to a number of bytes at once.

    `tarfile` reads a header of any size into memory that the archive claims.
    """

    def __init__(self, source: Source, *, at_once: int) -> None:
        self._source = source
        self._at_once = at_once

    def read(self, size: int) -> bytes:
        """Read; refuse to read too much in one piece."""
        if size > self._at_once:
            raise BombError(f"a header of {size} bytes")
        return self._source.read(size)

    def seek(self, offset: int) -> int:
        """Go to an offset."""
        return self._source.seek(offset)

    def tell(self) -> int:
        """Say where it is."""
        return self._source.tell()


class Inflated:
    """What a gzip stream holds; going back starts again from its beginning."""

    def __init__(self, packed: BinaryIO, *, limit: int) -> None:
        self._packed = packed
        self._limit = limit
        self._start()

    def _start(self) -> None:
        self._packed.seek(0)
        self._stream = GzipFile(fileobj=self._packed, mode="rb")
        self._at = 0

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; what is broken reads as an OSError."""
        try:
            data = self._stream.read(size)
        except (EOFError, zlib.error) as error:
            raise OSError(f"the compressed data ends early or is damaged ({error})") from None
        self._at += len(data)
        if self._at > self._limit:
            raise BombError(f"it holds more than {self._limit >> 30} GiB")
        return data

    def seek(self, offset: int) -> int:
        """Go forward by reading on, or back by starting again; stops at the end."""
        if offset < self._at:
            self._start()
        while self._at < offset:
            if not self.read(min(_STEP, offset - self._at)):
                break
        return self._at

    def tell(self) -> int:
        """Say how much was read."""
        return self._at


def opened(packed: BinaryIO, *, limit: int) -> Source:
    """Give the plain bytes of a file, compressed or not."""
    packed.seek(0)
    is_packed = packed.read(2) == b"\x1f\x8b"
    packed.seek(0)
    if is_packed:
        return Inflated(packed, limit=limit)
    return _Plain(packed)


class _Plain:
    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def read(self, size: int) -> bytes:
        return self._source.read(size)

    def seek(self, offset: int) -> int:
        return self._source.seek(offset, io.SEEK_SET)

    def tell(self) -> int:
        return self._source.tell()
