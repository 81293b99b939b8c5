"""Files that are there whole or not at all."""

import os
from pathlib import Path

from podwire.model.errors import PodwireError

_NEW_FILE = 0o666  # what any program asks for; the mask takes the rest away


def write_whole(path: Path, text: str) -> None:
    """Write beside the file, sync, then take its name.

    Raises:
        PodwireError: the folder is not there or may not be written.
    """
    import tempfile

    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".podwire-")
        beside = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fchmod(file.fileno(), _NEW_FILE & ~_umask())
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink()
            raise
    except OSError as error:
        raise PodwireError(
            f"{path} cannot be written: {error.strerror}",
            hint=f"write to a folder that is there and may be written; {path.parent} is not one",
        ) from error


def _umask() -> int:
    """Read the mask; the only way is to set it and to set it back."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
