"""Small files of a machine, where a missing one is no fault."""

from podwire.ports.hostfs import HostFs, ReadFault, Trouble

_LIMIT = 64 << 20


def text_of(files: HostFs, path: str) -> str | None:
    """Read a file as text; None where it cannot be read."""
    data = data_of(files, path)
    return None if data is None else data.decode(errors="replace")


def data_of(files: HostFs, path: str) -> bytes | None:
    """Read a file; None where it cannot be read."""
    try:
        return files.read(path, limit=_LIMIT)
    except ReadFault:
        return None


def kept_in(files: HostFs, path: str) -> bytes | None:
    """Read a file that podwire keeps; None: it is not there.

    Raises:
        ReadFault: it is there and cannot be read, so nobody knows what it keeps.
    """
    try:
        return files.read(path, limit=_LIMIT)
    except ReadFault as fault:
        if fault.trouble is Trouble.ABSENT:
            return None
        raise


def word_of(files: HostFs, path: str) -> str:
    """Read a file's only word; empty where it cannot be read."""
    return (text_of(files, path) or "").strip()


def names_in(files: HostFs, folder: str) -> tuple[str, ...]:
    """List a folder; nothing where it cannot be listed."""
    try:
        return tuple(entry.name for entry in files.entries(folder))
    except ReadFault:
        return ()
