"""Writing below a directory of this machine: attributes of sysfs, and podwire's own files."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from podwire.adapters.errnos import code_of
from podwire.adapters.links import follow
from podwire.adapters.within import StillRunning, within
from podwire.ports.hostfs import ReadFault
from podwire.ports.writing import TIMED_OUT, WriteFault

_MODE = 0o644


class RootWriter:
    """The real file system below `root`; a link that leads out of it is not followed."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root).rstrip("/")

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        """Write a value to an attribute that is there."""
        try:
            real = self._real(path)
            within(limit_s, lambda: _write(real, value))
        except StillRunning:
            raise WriteFault(path, value, code=TIMED_OUT, detail=f"after {limit_s:g} s") from None
        except (OSError, ReadFault) as error:
            raise _fault(path, value, error) from None

    def replace(self, path: str, data: bytes) -> None:
        """Write beside the file, sync, take its name, sync the folder."""
        try:
            folder, _, name = path.rpartition("/")
            real = Path(self._real(folder))
            real.mkdir(parents=True, exist_ok=True)
            descriptor, beside = tempfile.mkstemp(dir=real, prefix=".podwire-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fchmod(file.fileno(), _MODE)
                    os.fsync(file.fileno())
                Path(beside).replace(real / name)
            except BaseException:
                Path(beside).unlink()
                raise
            _sync(real)
        except (OSError, ReadFault) as error:
            raise _fault(path, "a new file", error) from None

    def remove(self, path: str) -> None:
        """Remove a file."""
        try:
            real = Path(self._real(path))
            with suppress(FileNotFoundError):
                real.unlink()
                _sync(real.parent)
        except (OSError, ReadFault) as error:
            raise _fault(path, "nothing", error) from None

    def _real(self, path: str) -> str:
        inside = follow(path, link_at=self._link_at)
        return f"{self._root}/{inside}"

    def _link_at(self, inside: str) -> str | None:
        try:
            return os.readlink(f"{self._root}/{inside}")  # noqa: PTH115 - as it is written
        except OSError:
            return None


def _write(real: str, value: str) -> None:
    """Write in one call, as sysfs wants it; never make a file that is not there."""
    descriptor = os.open(real, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fault(path: str, value: str, error: OSError | ReadFault) -> WriteFault:
    if isinstance(error, ReadFault):
        return WriteFault(path, value, code="ELOOP", detail=str(error))
    return WriteFault(path, value, code=code_of(error.errno), detail=error.strerror or str(error))
