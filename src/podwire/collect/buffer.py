"""A big file in memory that is given back piece by piece while it is decoded."""

import mmap

from podwire.ports.hostfs import HostFs, ReadFault, Trouble

SMALL = 64 << 20
_STEP = 16 << 20
_GIVE_BACK = 64 << 20


class Buffer:
    """Bytes that are read once; what lies before a decoded item is not needed any more.

    Anonymous memory, not a mapped file: a file that shrinks would end the program.
    """

    def __init__(self, files: HostFs, path: str, *, size: int) -> None:
        self._map = mmap.mmap(-1, size)
        self._size = 0
        self._freed = 0
        with memoryview(self._map) as view, files.open(path) as source:
            while data := source.read(min(_STEP, size - self._size)):
                view[self._size : self._size + len(data)] = data
                self._size += len(data)
            if source.read(1):
                raise ReadFault(path, Trouble.BROKEN, detail="it grew while it was read")

    @property
    def data(self) -> memoryview:
        """Everything, as long as nothing was given back."""
        return memoryview(self._map)[: self._size]

    def give_back(self, end: int) -> None:
        """Let go of what lies before an offset; it reads as zeros from then on."""
        count = (end - self._freed) // _GIVE_BACK * _GIVE_BACK
        if count > 0:
            self._map.madvise(mmap.MADV_DONTNEED, self._freed, count)
            self._freed += count
