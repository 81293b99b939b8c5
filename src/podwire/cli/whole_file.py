"""Files that are there whole or not at all."""

import os
import stat
from pathlib import Path

from podwire.model.errors import PodwireError

_NEW_FILE = 0o666  # what any program asks for; the mask takes the rest away
_OPENED = ("/dev/fd/", "/dev/std", "/proc/")  # a rename would leave the shell with the old file


def write_whole(path: Path, text: str) -> None:
    """Write beside the file, sync, then take its name; a pipe or device is written into.

    A link stays one: what it leads to is replaced, and keeps its mode.

    Raises:
        PodwireError: the folder is not there or may not be written, or it is a disk.
    """
    try:
        found = _mode_of(path)
        if found is not None and stat.S_ISBLK(found):
            raise PodwireError(f"{path} is a disk", hint="write to a file")
        if _is_written_into(path, found):
            _write_into(path, text)
        else:
            _replace(path.resolve(), text, mode=found)
    except OSError as error:
        raise PodwireError(
            f"{path} cannot be written: {error.strerror}",
            hint=f"write to a folder that is there and may be written; {path.parent} is not one",
        ) from error


def _mode_of(path: Path) -> int | None:
    """Look what the path leads to; None: nothing yet."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_written_into(path: Path, mode: int | None) -> bool:
    """Tell what has no file to replace: a pipe, a device, what the shell opened already."""
    is_special = mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return is_special or str(path).startswith(_OPENED)


def _write_into(path: Path, text: str) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_NOCTTY
    with os.fdopen(os.open(path, flags), "w", encoding="utf-8") as file:
        file.write(text)


def _replace(path: Path, text: str, *, mode: int | None) -> None:
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".podwire-")
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), _NEW_FILE & ~_umask() if mode is None else stat.S_IMODE(mode))
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink()
        raise


def _umask() -> int:
    """Read the mask; the only way is to set it and to set it back."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
