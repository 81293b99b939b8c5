"""The files of a containerd configuration: the first, and what it imports, in order.

Source: containerd v2.4.2 cmd/containerd/server/config/config.go LoadConfigWithPlugins,
resolveImports; alike in v1.7.28 services/server/config/config.go.
"""

import posixpath
from collections.abc import Iterator, Mapping

import msgspec

from podwire.documents import toml
from podwire.documents.tree import Tree
from podwire.facts.node import TextFile
from podwire.model.evidence import Known, Place, Unknown
from podwire.peers.go_paths import cleaned, matches

MAIN = "/etc/containerd/config.toml"

_LISTING = "LISTING.txt"


class Imported(msgspec.Struct, frozen=True):
    """One file, read."""

    tree: dict[str, Tree]
    file: TextFile


class Files:
    """What was collected of a node, by path on the node."""

    def __init__(
        self, files: Mapping[str, TextFile], listings: Mapping[str, tuple[str, ...]]
    ) -> None:
        owner = next((file.document.owner for file in files.values()), "")
        self.of = f" of node {owner}" if owner else ""  # whose files they are, in sentences
        self._files = {
            f"/{name}": file
            for name, file in files.items()
            if name.rpartition("/")[2] != _LISTING  # a bundle's own, not the node's
        }
        self._listings = {f"/{folder}": names for folder, names in listings.items()}

    def read(self, path: str) -> Imported | Unknown:
        """Read a file; what was not collected, or is no TOML, is unknown."""
        file = self._files.get(path)
        if file is None:
            return Unknown(
                reason=f"{path}{self.of} was not collected",
                give=f"cat {path}",
                fact="the container runtime's configuration",
            )
        loaded = toml.load(file.text)
        if loaded.problem is not None or not isinstance(loaded.value, dict):
            said = "" if loaded.problem is None else f": {loaded.problem.message}"
            at = None if loaded.problem is None else loaded.problem.position
            line = "" if at is None else f" (line {at.line})"
            return Unknown(
                reason=f"{path}{self.of} cannot be read{said}{line}",
                fact="the container runtime's configuration",
            )
        return Imported(tree=loaded.value, file=file)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Give the paths that a pattern matches, collected or only listed, in order."""
        listed = (f"{folder}/{name}" for folder, names in self._listings.items() for name in names)
        return tuple(sorted({path for path in (*self._files, *listed) if matches(pattern, path)}))

    def below(self, folder: str) -> tuple[str, ...]:
        """Give the paths in a folder and those below it, in order."""
        listed = {f"{folder}/{name}" for name in self._listings.get(folder, ())}
        collected = {path for path in self._files if path.startswith(f"{folder}/")}
        return tuple(sorted(collected | listed))

    def has_listed(self, folder: str) -> bool:
        """Say whether all names of a folder are known."""
        return folder in self._listings


def imported(files: Files) -> Known[tuple[Imported, ...]] | Unknown:
    """Give the main file and all that it imports; a later one counts more."""
    found: list[Imported] = []
    assumes: list[str] = []
    pending = [MAIN]
    loaded: set[str] = set()
    while pending:
        path = pending.pop(0)
        if path in loaded:
            continue
        read = files.read(path)
        if isinstance(read, Unknown):
            return read
        found.append(read)
        loaded.add(path)
        for pattern in _imports(read.tree, folder=posixpath.dirname(path)):
            if "*" not in pattern:
                pending.append(pattern)
                continue
            pending += files.matching(pattern)
            if not files.has_listed(posixpath.dirname(pattern)):
                assumes.append(f"nothing{files.of} matches {pattern} beside what was collected")
    places = tuple(Place(document=each.file.document) for each in found)
    return Known(value=tuple(found), places=places, assumes=tuple(dict.fromkeys(assumes)))


def _imports(tree: dict[str, Tree], *, folder: str) -> Iterator[str]:
    listed = tree.get("imports")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, str):
            yield cleaned(posixpath.join(folder, each))
