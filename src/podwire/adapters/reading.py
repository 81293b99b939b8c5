"""Reading an open file to its end, but never past a limit."""

from typing import BinaryIO

from podwire.ports.hostfs import ReadFault, Trouble

_STEP = 8 << 20


def read_whole(source: BinaryIO, *, path: str, size: int, limit: int) -> bytes:
    """Read everything; `size` is what is expected, `limit` what is allowed.

    Raises:
        ReadFault: there is more than `limit`.
    """
    if size > limit:
        raise too_big(path, size=size, limit=limit)
    # One more than expected tells a file that grew from one that did not.
    parts = [source.read(min(size + 1, _STEP)) or b""]
    total = len(parts[0])
    while parts[-1]:
        if total > limit:
            raise too_big(path, size=total, limit=limit)
        parts.append(source.read(_STEP) or b"")
        total += len(parts[-1])
    return parts[0] if len(parts) == 2 else b"".join(parts)


def too_big(path: str, *, size: int, limit: int) -> ReadFault:
    """Say how big it is and how big it may be."""
    return ReadFault(path, Trouble.TOO_BIG, detail=f"{shown(size)}, the limit is {shown(limit)}")


def shown(size: int) -> str:
    """Write a number of bytes as people do."""
    if size < 1 << 10:
        return f"{size} bytes"
    for power, unit in ((20, "KiB"), (30, "MiB")):
        if size < 1 << power:
            return f"{size / (1 << power - 10):.1f} {unit}"
    return f"{size / (1 << 30):.1f} GiB"
