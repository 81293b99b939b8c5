"""A compressed stream that can be moved in, and that ends where its limit is."""

import io
import zlib
from bisect import bisect_right
from typing import BinaryIO, NamedTuple, Protocol

_STEP = 1 << 20
_PACKED = 1 << 16
_APART = 16 << 20  # a mark is 50 KB
_GZIP = 31  # of zlib's wbits: a gzip header, and its checksum at the end
_DAMAGED = "the compressed data ends early or is damaged"


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


class _Unzip(Protocol):
    """What `zlib.decompressobj` gives."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...
    def copy(self) -> "_Unzip": ...


class _Mark(NamedTuple):
    """Where inflating can go on: both offsets, and what was read of the packed bytes before."""

    at: int
    packed_at: int
    unzip: _Unzip
    rest: bytes


class Inflated:
    """What a gzip stream holds; going back starts at the nearest of the marks it leaves."""

    def __init__(self, packed: BinaryIO, *, limit: int) -> None:
        self._packed = packed
        self._limit = limit
        self._marks: list[_Mark] = []
        self._at = packed.seek(0)
        self._unzip: _Unzip = zlib.decompressobj(_GZIP)
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; what is broken reads as an OSError."""
        parts = []
        while size > 0 and (data := self._next(size)):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def seek(self, offset: int) -> int:
        """Go forward by reading on, or back to a mark and on; stops at the end."""
        if offset < self._at:
            self._go(self._marks[bisect_right(self._marks, offset, key=lambda m: m.at) - 1])
        while self._at < offset:
            if not self.read(min(_STEP, offset - self._at)):
                break
        return self._at

    def tell(self) -> int:
        """Say how much was read."""
        return self._at

    def _next(self, size: int) -> bytes:
        """Inflate some bytes; none are left at the end."""
        if not self._marks or self._at >= self._marks[-1].at + _APART:
            self._marks.append(self._mark())
        data = b""
        while not data and self._is_more():
            try:
                data = self._unzip.decompress(self._rest, size)
            except zlib.error as error:
                raise OSError(f"{_DAMAGED} ({error})") from None
            self._rest = self._unzip.unconsumed_tail
        self._at += len(data)
        if self._at > self._limit:
            raise BombError(f"it holds more than {self._limit >> 30} GiB")
        return data

    def _is_more(self) -> bool:
        """Have packed bytes at hand, if only of the next stream in the file; zeros may follow."""
        if self._unzip.eof:
            self._rest = self._unzip.unused_data.lstrip(b"\0")
            while not self._rest and (packed := self._packed.read(_PACKED)):
                self._rest = packed.lstrip(b"\0")
            if self._rest:
                self._unzip = zlib.decompressobj(_GZIP)
            return bool(self._rest)
        self._rest = self._rest or self._packed.read(_PACKED)
        if not self._rest:
            raise OSError(f"{_DAMAGED} (it is cut off)")
        return True

    def _mark(self) -> _Mark:
        packed_at = self._packed.tell()
        return _Mark(at=self._at, packed_at=packed_at, unzip=self._unzip.copy(), rest=self._rest)

    def _go(self, mark: _Mark) -> None:
        self._packed.seek(mark.packed_at)
        self._at, self._unzip, self._rest = mark.at, mark.unzip.copy(), mark.rest


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
