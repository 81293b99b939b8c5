"""From what somebody typed to files: a directory, a file, an archive, or `-`."""

from typing import BinaryIO

from podwire.adapters.rootfs import RootFs
from podwire.ports.hostfs import HostFs, ReadFault, Trouble

STDIN = "-"
_SUFFIXES = (".tar", ".tar.gz", ".tgz")
_HEAD = 512
_STREAM_LIMIT = 8 << 30


def fs_of(path: str, *, stdin: BinaryIO) -> HostFs:
    """Open what a path leads to.

    Raises:
        ReadFault: there is no such path, or it may not be read.
    """
    if path == STDIN:
        return _of_stream(stdin)
    files = RootFs(path)
    if files.is_dir():
        return files
    if not files.exists():
        raise ReadFault(path, Trouble.ABSENT)
    source = files.open()
    try:
        head = source.read(_HEAD)
    except OSError as error:
        raise _broken(path, error) from None
    if is_archive(path, head=head):
        return _archive(source)
    source.close()
    return files


def is_archive(name: str, *, head: bytes) -> bool:
    """Tell an archive by its first bytes, or by its name."""
    return head[:2] == b"\x1f\x8b" or head[257:262] == b"ustar" or name.endswith(_SUFFIXES)


def _of_stream(stream: BinaryIO) -> HostFs:
    from podwire.adapters.single import SingleFile, kept  # noqa: PLC0415 - 7 ms

    try:
        source = kept(stream, limit=_STREAM_LIMIT)
    except OSError as error:
        raise _broken("", error) from None
    head = source.read(_HEAD)
    return _archive(source) if is_archive("", head=head) else SingleFile(source)


def _broken(path: str, error: OSError) -> ReadFault:
    return ReadFault(path, Trouble.BROKEN, detail=error.strerror or str(error))


def _archive(source: BinaryIO) -> HostFs:
    from podwire.adapters.tarball import TarFs  # noqa: PLC0415 - 7 ms

    return TarFs(source)
