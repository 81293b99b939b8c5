"""A file tree from a mapping, with the troubles that a test wants to see."""

import io
from collections.abc import Mapping
from typing import BinaryIO

import msgspec

from podwire.ports.hostfs import Entry, EntryKind, ReadFault, Trouble


class Link(msgspec.Struct, frozen=True):
    """A symbolic link."""

    target: str


class Fails(msgspec.Struct, frozen=True):
    """A file that is listed and cannot be read."""

    trouble: Trouble


Content = str | bytes | Link | Fails


class FakeHostFs:
    """Files by path; folders are there because something is in them."""

    def __init__(
        self, files: Mapping[str, Content], *, troubles: tuple[ReadFault, ...] = ()
    ) -> None:
        self.files = dict(files)
        self.reads: list[str] = []
        self._troubles = troubles

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        folder = self._follow(path)
        if not self._is_folder(folder):
            raise ReadFault(path, Trouble.ABSENT)
        below = f"{folder}/" if folder else ""
        names = {p[len(below) :].split("/")[0] for p in self.files if p and p.startswith(below)}
        return tuple(
            Entry(
                name=name,
                kind=self._kind(below + name),
                is_link=isinstance(self.files.get(below + name), Link),
            )
            for name in sorted(names)
        )

    def is_dir(self, path: str = "") -> bool:
        return self._kind(path) is EntryKind.FOLDER

    def exists(self, path: str = "") -> bool:
        try:
            found = self._follow(path)
        except ReadFault:
            return False
        return found in self.files or self._is_folder(found)

    def readlink(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        content = self.files.get("/".join(p for p in (self._follow(folder), name) if p))
        if not isinstance(content, Link):
            raise ReadFault(path, Trouble.BROKEN if self.exists(path) else Trouble.ABSENT)
        return content.target

    def size(self, path: str = "") -> int:
        return len(self._content(path))

    def open(self, path: str = "") -> BinaryIO:
        self.reads.append(path)
        return io.BytesIO(self._content(path))

    def read(self, path: str = "", *, limit: int) -> bytes:
        data = self.open(path).read()
        if len(data) > limit:
            raise ReadFault(path, Trouble.TOO_BIG)
        return data

    def troubles(self) -> tuple[ReadFault, ...]:
        return self._troubles

    def _content(self, path: str) -> bytes:
        found = self._follow(path)
        if self._is_folder(found):
            raise ReadFault(path, Trouble.FOLDER)
        content = self.files.get(found)
        if content is None:
            raise ReadFault(path, Trouble.ABSENT)
        if isinstance(content, Fails):
            raise ReadFault(path, content.trouble)
        assert not isinstance(content, Link)
        return content.encode() if isinstance(content, str) else content

    def _kind(self, path: str) -> EntryKind:
        try:
            found = self._follow(path)
        except ReadFault:
            return EntryKind.OTHER
        if self._is_folder(found):
            return EntryKind.FOLDER
        return EntryKind.FILE if found in self.files else EntryKind.OTHER

    def _is_folder(self, path: str) -> bool:
        if not path:
            return "" not in self.files
        return any(p.startswith(f"{path}/") for p in self.files)

    def _follow(self, path: str, hops: int = 0) -> str:
        if hops > 40:
            raise ReadFault(path, Trouble.LOOP)
        done: list[str] = []
        steps = [s for s in path.split("/") if s not in {"", "."}]
        for index, step in enumerate(steps):
            if step == "..":
                if not done:
                    raise ReadFault(path, Trouble.OUTSIDE)
                done.pop()
                continue
            content = self.files.get("/".join([*done, step]))
            if isinstance(content, Link):
                start = [] if content.target.startswith("/") else done
                rest = [*start, content.target.strip("/"), *steps[index + 1 :]]
                return self._follow("/".join(rest), hops + 1)
            done.append(step)
        return "/".join(done)
