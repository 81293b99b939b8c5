"""An archive (`.tar`, `.tar.gz`) as a root. Nothing is ever unpacked to a disk.

The archive is gone through once to index it; small members are kept then, big ones are read
where they lie when somebody asks. What an archive of files never needs is refused: absolute
names, `..`, devices, links that lead out.
"""

import io
import struct
import tarfile
import weakref
from typing import BinaryIO, cast

import msgspec

from podwire.adapters.inflated import BombError, Bounded, opened
from podwire.adapters.links import follow
from podwire.adapters.reading import read_whole
from podwire.ports.hostfs import Entry, EntryKind, ReadFault, Trouble

INFLATED_LIMIT = 8 << 30
_HEADER_LIMIT = 16 << 20
_MEMBERS_LIMIT = 500_000
_DEPTH = 64  # as deep as folders are walked
_KEPT_MEMBER = 8 << 20
_KEPT_TOTAL = 256 << 20
_TROUBLES_LIMIT = 20
_BLOCK = 512
# What tarfile lets through when headers lie (CPython 3.11 to 3.14 Lib/tarfile.py).
_DAMAGED = (
    tarfile.TarError,
    OSError,
    ValueError,
    ArithmeticError,
    LookupError,
    RecursionError,
    struct.error,
)


class _Member(msgspec.Struct):
    """A folder, a link, or a file: kept here, or still in the archive."""

    kind: EntryKind
    target: str | None = None
    data: bytes | None = None
    info: tarfile.TarInfo | None = None


class TarFs:
    """The files of an archive. `source` stays open as long as it is used."""

    def __init__(self, source: BinaryIO) -> None:
        weakref.finalize(self, source.close)
        self._members: dict[str, _Member] = {"": _Member(kind=EntryKind.FOLDER)}
        self._names: dict[str, set[str]] = {"": set()}
        self._troubles: list[ReadFault] = []
        self._kept = 0
        self._tar: tarfile.TarFile | None = None
        self._source = Bounded(opened(source, limit=INFLATED_LIMIT), at_once=_HEADER_LIMIT)
        try:
            self._index()
        except BombError as error:
            self._note("", Trouble.TOO_BIG, detail=str(error))
        except _DAMAGED as error:
            self._note("", Trouble.BROKEN, detail=str(error))

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        """List a folder, sorted by name."""
        folder = self._resolved(path)
        if self._member(folder, path).kind is not EntryKind.FOLDER:
            raise ReadFault(path, Trouble.ABSENT)
        return tuple(
            self._entry(f"{folder}/{name}" if folder else name, name)
            for name in sorted(self._names.get(folder, ()))
        )

    def is_dir(self, path: str = "") -> bool:
        """Say whether the path leads to a folder."""
        return self._kind(path) is EntryKind.FOLDER

    def exists(self, path: str = "") -> bool:
        """Say whether the path leads to anything."""
        try:
            return self._resolved(path) in self._members
        except ReadFault:
            return False

    def readlink(self, path: str) -> str:
        """Give the target of a link as it is written."""
        target = self._link_at(follow(path, link_at=self._link_at, is_last=False))
        if target is None:
            raise ReadFault(path, Trouble.ABSENT if not self.exists(path) else Trouble.BROKEN)
        return target

    def size(self, path: str = "") -> int:
        """Give the size of a file."""
        member = self._member(self._resolved(path), path)
        if member.info is not None:
            return member.info.size
        return len(member.data or b"")

    def open(self, path: str = "") -> BinaryIO:
        """Open a file; one at a time is read."""
        member = self._member(self._resolved(path), path)
        if member.data is not None:
            return io.BytesIO(member.data)
        if member.info is None or self._tar is None:
            is_folder = member.kind is EntryKind.FOLDER
            raise ReadFault(path, Trouble.FOLDER if is_folder else Trouble.SPECIAL)
        return io.BufferedReader(_Stream(cast("BinaryIO", self._tar.extractfile(member.info))))

    def read(self, path: str = "", *, limit: int) -> bytes:
        """Read a whole file of at most `limit` bytes."""
        size = self.size(path)
        try:
            with self.open(path) as source:
                return read_whole(source, path=path, size=size, limit=limit)
        except BombError as error:
            raise ReadFault(path, Trouble.TOO_BIG, detail=str(error)) from None
        except OSError as error:
            raise ReadFault(path, Trouble.BROKEN, detail=str(error)) from None

    def troubles(self) -> tuple[ReadFault, ...]:
        """Say what was refused, and whether the archive ends early."""
        return tuple(self._troubles)

    def _index(self) -> None:
        self._tar = tarfile.open(  # noqa: SIM115 - used as long as this
            fileobj=cast("BinaryIO", self._source), mode="r:"
        )
        count = 0
        while (info := self._tar.next()) is not None:
            self._tar.members = []  # type: ignore[attr-defined]  # or it keeps them all
            count += 1
            self._take(info)
            if max(count, len(self._members)) > _MEMBERS_LIMIT:
                raise BombError(f"it has more than {_MEMBERS_LIMIT:,} members")
        self._source.seek(self._tar.offset)
        if self._source.read(_BLOCK) != bytes(_BLOCK):
            self._note("", Trouble.BROKEN, detail="the end of the archive is missing")

    def _take(self, info: tarfile.TarInfo) -> None:
        path = "/".join(step for step in info.name.split("/") if step not in {"", "."})
        if info.name.startswith("/") or ".." in path.split("/"):
            self._note(info.name, Trouble.OUTSIDE)
        elif path.count("/") > _DEPTH:
            self._note(info.name, Trouble.TOO_BIG, detail=f"it lies below {_DEPTH} folders")
        elif info.isdir():
            self._put(path, _Member(kind=EntryKind.FOLDER))
        elif info.issym():
            self._put(path, _Member(kind=EntryKind.OTHER, target=info.linkname))
        elif info.islnk():
            self._put(path, _Member(kind=EntryKind.OTHER, target="/" + info.linkname))
        elif info.isreg():
            self._put(path, self._file(info))
        else:
            self._note(info.name, Trouble.SPECIAL)

    def _file(self, info: tarfile.TarInfo) -> _Member:
        if info.size > min(_KEPT_MEMBER, _KEPT_TOTAL - self._kept) or self._tar is None:
            return _Member(kind=EntryKind.FILE, info=info)
        source = self._tar.extractfile(info)
        data = source.read() if source else b""
        self._kept += len(data)
        return _Member(kind=EntryKind.FILE, data=data)

    def _put(self, path: str, member: _Member) -> None:
        """Place a member, and the folders that lead to it; the later of two counts."""
        if not path:
            return
        is_known_folder = path in self._members and member.kind is EntryKind.FOLDER
        if not is_known_folder:
            self._members[path] = member
        while path:
            folder, _, name = path.rpartition("/")
            names = self._names.setdefault(folder, set())
            if name in names:
                break
            names.add(name)
            self._members.setdefault(folder, _Member(kind=EntryKind.FOLDER))
            path = folder

    def _note(self, path: str, trouble: Trouble, *, detail: str = "") -> None:
        if len(self._troubles) < _TROUBLES_LIMIT:
            self._troubles.append(ReadFault(path, trouble, detail=detail))

    def _entry(self, path: str, name: str) -> Entry:
        is_link = self._members[path].target is not None
        return Entry(name=name, kind=self._kind(path), is_link=is_link)

    def _kind(self, path: str) -> EntryKind:
        try:
            return self._member(self._resolved(path), path).kind
        except ReadFault:
            return EntryKind.OTHER

    def _member(self, inside: str, path: str) -> _Member:
        member = self._members.get(inside)
        if member is None:
            raise ReadFault(path, Trouble.ABSENT)
        return member

    def _resolved(self, path: str) -> str:
        return follow(path, link_at=self._link_at)

    def _link_at(self, inside: str) -> str | None:
        member = self._members.get(inside)
        return member.target if member else None


class _Stream(io.RawIOBase):
    """A member whose damage reads as an OSError, as in any other file."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, target: "memoryview | bytearray", /) -> int:  # type: ignore[override]  # typeshed asks for any buffer
        try:
            data = self._source.read(len(target))
        except OSError:
            raise
        except _DAMAGED as error:
            raise OSError(str(error)) from None
        target[: len(data)] = data
        return len(data)
