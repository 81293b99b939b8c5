"""A directory of this machine, or one file of it, as a root."""

import errno
import os
import stat
from typing import BinaryIO

from podwire.adapters.links import follow
from podwire.adapters.reading import read_whole
from podwire.ports.hostfs import Entry, EntryKind, ReadFault, Trouble

_TROUBLES = {
    errno.ENOENT: Trouble.ABSENT,
    errno.ENOTDIR: Trouble.ABSENT,
    errno.ENAMETOOLONG: Trouble.ABSENT,
    errno.EACCES: Trouble.DENIED,
    errno.EPERM: Trouble.DENIED,
    errno.ELOOP: Trouble.LOOP,
    errno.ENXIO: Trouble.SPECIAL,
    errno.EISDIR: Trouble.FOLDER,
}
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class RootFs:
    """The real file system below `root`; links of the root's own path are the user's wish."""

    def __init__(self, root: str) -> None:
        """Find the root.

        Raises:
            ReadFault: it is relative to a folder that is there no more.
        """
        try:
            self._root = os.path.realpath(root)
        except (OSError, ValueError) as error:
            raise _fault(root, error) from None
        # Below `/` itself the kernel follows links as they are meant, and much faster.
        self._is_whole = self._root == "/"
        self._stat = os.stat if self._is_whole else os.lstat
        self._flags = _FLAGS if self._is_whole else _FLAGS | os.O_NOFOLLOW

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        """List a folder, sorted by name."""
        try:
            with os.scandir(self._real(path)) as found:
                return tuple(sorted((self._entry(path, e) for e in found), key=lambda e: e.name))
        except OSError as error:
            raise _fault(path, error) from None

    def is_dir(self, path: str = "") -> bool:
        """Say whether the path leads to a folder."""
        return self._kind(path) is EntryKind.FOLDER

    def exists(self, path: str = "") -> bool:
        """Say whether the path leads to anything."""
        try:
            self._stat(self._real(path))
        except (OSError, ValueError, ReadFault):
            return False
        return True

    def readlink(self, path: str) -> str:
        """Give the target of a link as it is written."""
        try:
            return os.readlink(self._real(path, is_last=False))  # noqa: PTH115 - as it is written
        except (OSError, ValueError) as error:
            raise _fault(path, error) from None

    def size(self, path: str = "") -> int:
        """Give the size of a file."""
        try:
            return self._stat(self._real(path)).st_size
        except (OSError, ValueError) as error:
            raise _fault(path, error) from None

    def open(self, path: str = "") -> BinaryIO:
        """Open a regular file; a pipe, a socket or a device is closed again unread."""
        try:
            descriptor = os.open(self._real(path), self._flags)
        except (OSError, ValueError) as error:
            raise _fault(path, error) from None
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            raise ReadFault(path, Trouble.FOLDER if stat.S_ISDIR(mode) else Trouble.SPECIAL)
        return os.fdopen(descriptor, "rb", buffering=0)

    def read(self, path: str = "", *, limit: int) -> bytes:
        """Read a whole file of at most `limit` bytes."""
        try:
            with self.open(path) as source:
                size = os.fstat(source.fileno()).st_size
                return read_whole(source, path=path, size=size, limit=limit)
        except OSError as error:
            raise _fault(path, error) from None

    def troubles(self) -> tuple[ReadFault, ...]:
        """Nothing is lost when a directory is opened."""
        return ()

    def _entry(self, folder: str, found: "os.DirEntry[str]") -> Entry:
        if found.is_symlink():
            path = f"{folder}/{found.name}" if folder else found.name
            return Entry(name=found.name, kind=self._kind(path), is_link=True)
        if found.is_dir(follow_symlinks=False):
            return Entry(name=found.name, kind=EntryKind.FOLDER)
        is_file = found.is_file(follow_symlinks=False)
        return Entry(name=found.name, kind=EntryKind.FILE if is_file else EntryKind.OTHER)

    def _kind(self, path: str) -> EntryKind:
        try:
            mode = self._stat(self._real(path)).st_mode
        except (OSError, ValueError, ReadFault):
            return EntryKind.OTHER
        if stat.S_ISDIR(mode):
            return EntryKind.FOLDER
        return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER

    def _real(self, path: str, *, is_last: bool = True) -> str:
        if self._is_whole:
            return f"/{path}"
        return self._join(follow(path, link_at=self._link_at, is_last=is_last))

    def _join(self, inside: str) -> str:
        return f"{self._root.rstrip('/')}/{inside}" if inside else self._root

    def _link_at(self, inside: str) -> str | None:
        """Read a link; a target that is written with the root in front is below the root."""
        try:
            target = os.readlink(self._join(inside))  # noqa: PTH115 - as it is written
        except OSError:
            return None
        within = self._root.rstrip("/") + "/"
        return "/" + target[len(within) :] if target.startswith(within) else target


def _fault(path: str, error: OSError | ValueError) -> ReadFault:
    if not isinstance(error, OSError):  # A NUL byte in the name: no file has one.
        return ReadFault(path, Trouble.ABSENT)
    trouble = _TROUBLES.get(error.errno or 0)
    if trouble is None:
        return ReadFault(path, Trouble.BROKEN, detail=error.strerror or str(error))
    return ReadFault(path, trouble)
