"""Locks between programs: flock(2), as github.com/gofrs/flock takes them too."""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from podwire.ports.writing import LockHeld

_PAUSE_S = 0.05
_SHOWN = 200


class FileLocks:
    """Locks below a root. A lock's file stays: others may wait on it."""

    def __init__(
        self, root: str, *, note: str, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._root = Path(root)
        self._note = note
        self._is_stopped = is_stopped  # then nobody waits any longer

    @contextmanager
    def hold(self, path: str, *, limit_s: float) -> Iterator[None]:
        """Take a lock, and give it back at the end."""
        real = self._root / path
        real.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(real, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            end = time.monotonic() + limit_s
            while not _took(descriptor):
                if time.monotonic() >= end or self._is_stopped():
                    holder = os.pread(descriptor, _SHOWN, 0).decode(errors="replace").strip()
                    raise LockHeld(path, holder)
                threading.Event().wait(_PAUSE_S)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{self._note} (process {os.getpid()})\n".encode(), 0)
            yield
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)


def _took(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
