"""The folders of CDI specs as a runtime has them loaded.

A later folder has priority over an earlier one. A name that two specs of one folder have is in
conflict, and then resolves nowhere, not even by a folder of higher priority.
Source: tags.cncf.io/container-device-interface v1.1.1 pkg/cdi/cache.go refresh and
pkg/cdi/spec-dirs.go scanSpecDirs; alike in v0.8.1.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.facts.node import TextFile
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.peers.cdi.libraries import NEWEST, Library
from podwire.peers.cdi.loading import load
from podwire.peers.cdi.records import CdiDevice, Fault, Registry
from podwire.peers.go_paths import cleaned
from podwire.peers.go_text import quoted

SPEC_DIRS = ("/etc/cdi", "/var/run/cdi")

_SUFFIXES = (".json", ".yaml")


def registry(
    files: Mapping[str, TextFile],
    *,
    spec_dirs: tuple[str, ...] = SPEC_DIRS,
    listings: Mapping[str, tuple[str, ...]] | None = None,
    library: Library = NEWEST,
) -> Registry:
    """Load specs from a node's files, by their names in a bundle (`var/run/cdi/x.yaml`).

    Args:
        files: what was collected of the node.
        spec_dirs: the runtime's folders, those of higher priority last.
        listings: names in folders, whole.
        library: the version that the runtime has.
    """
    folders = tuple(_Folder(path, files, listings or {}) for path in spec_dirs)
    cache = _Cache()
    for priority, folder in enumerate(folders):
        for path, file in folder.specs():
            cache.add(path, load(file, path=path, library=library), priority=priority)
    owner = next((file.document.owner for file in files.values()), "")
    return cache.registry(_whole(folders, of=f" of node {owner}" if owner else ""))


class _Folder:
    """One of the runtime's folders, and what was collected of it."""

    def __init__(
        self,
        path: str,
        files: Mapping[str, TextFile],
        listings: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.path = cleaned(f"/{path}")
        self._places = tuple(_collected_at(self.path))
        self._files = {
            name.rpartition("/")[2]: file
            for place in self._places
            for name, file in files.items()
            if name.rpartition("/")[0] == place
        }
        known = [listings[place] for place in self._places if place in listings]
        self.listed: tuple[str, ...] | None = next(iter(known), None)

    def specs(self) -> Iterator[tuple[str, TextFile]]:
        """Give specs by path, in the order in which they are loaded."""
        for name in sorted(self._files, key=str.encode):
            if name.endswith(_SUFFIXES):
                yield f"{self.path}/{name}", self._files[name]

    def missing(self) -> tuple[str, ...]:
        """Name the specs that are there and were not collected."""
        return tuple(
            f"{self.path}/{name}"
            for name in self.listed or ()
            if name.endswith(_SUFFIXES) and name not in self._files
        )


def _whole(folders: Iterable[_Folder], *, of: str) -> Answer[bool]:
    """Say whether every spec was read; of a folder that nobody listed it is assumed."""
    missing = [path for folder in folders for path in folder.missing()]
    if missing:
        return joined(
            Unknown(
                reason=f"the CDI spec {path}{of} was not collected",
                give=f"cat {path}",
                fact="a CDI spec of a node",
            )
            for path in missing
        )
    unlisted = [folder.path for folder in folders if folder.listed is None]
    return Known(
        value=True,
        assumes=tuple(f"{path}{of} has no CDI spec beside those collected" for path in unlisted),
    )


class _Loaded(msgspec.Struct, frozen=True):
    device: CdiDevice
    priority: int


class _Cache:
    """What has been loaded so far."""

    def __init__(self) -> None:
        self._devices: dict[str, _Loaded] = {}
        self._conflicts: dict[str, list[Place]] = {}
        self._faults: dict[str, Fault] = {}
        self._kinds: set[str] = set()

    def add(self, path: str, loaded: tuple[CdiDevice, ...] | Fault, *, priority: int) -> None:
        if isinstance(loaded, Fault):
            self._faults[path] = loaded
            return
        for device in loaded:
            self._kinds.add(device.kind)
            old = self._devices.get(device.name)
            if old is not None and old.priority == priority:
                places = self._conflicts.setdefault(device.name, [old.device.place])
                places.append(device.place)
                continue
            self._devices[device.name] = _Loaded(device=device, priority=priority)

    def registry(self, whole: Answer[bool]) -> Registry:
        devices = {
            name: loaded.device
            for name, loaded in sorted(self._devices.items())
            if name not in self._conflicts
        }
        kinds: dict[str, list[str]] = {kind: [] for kind in sorted(self._kinds)}
        for device in devices.values():
            kinds[device.kind].append(device.device)
        return Registry(
            devices=devices,
            conflicts={name: tuple(places) for name, places in self._conflicts.items()},
            faults=self._faults,
            kinds={kind: tuple(names) for kind, names in kinds.items()},
            whole=whole,
        )


def conflict_sentence(name: str, *, newer: str, older: str) -> str:
    """Say what the library logs of two specs that have a device each."""
    return f"conflicting device {quoted(name)} (specs {quoted(newer)}, {quoted(older)})"


def _collected_at(path: str) -> Iterator[str]:
    """Give the folder's name in a bundle, and the one through the link /var/run -> /run."""
    name = path.removeprefix("/")
    yield name
    if name.startswith("run/"):
        yield f"var/{name}"
    elif name.startswith("var/run/"):
        yield name.removeprefix("var/")
