"""Files of a machine that its units lead to: drop-ins, and the scripts that they start.

Of all units only those are followed that are about VFs; a script is read where a unit names
it, so that nobody has to guess where scripts lie.
"""

import re
from collections.abc import Iterator

from podwire.ports.hostfs import EntryKind, HostFs, ReadFault

ROOTS = ("etc", "run", "usr/local/lib", "usr/lib", "lib")
_FOLDERS = ("systemd/network", "systemd/system")
_OF = (".link.d", ".service.d")
REQUIRES = (
    "etc/systemd/system/kubelet.service.requires",
    "etc/systemd/system/k3s.service.requires",
    "etc/systemd/system/k3s-agent.service.requires",
    "etc/systemd/system/rke2-server.service.requires",
    "etc/systemd/system/rke2-agent.service.requires",
)
_UNITS = ("etc/systemd/system", "run/systemd/system")
_WORDS = re.compile(rb"sriov|infiniband|mlx|vfs?\b", re.IGNORECASE)
_PATHS = re.compile(r"(?<![\w/])/(?:usr|opt|etc|root|srv|var)/[\w./@-]+")
_SMALL = 1 << 20


def found_in(files: HostFs) -> Iterator[str]:
    """Give paths of drop-ins, and of scripts that units about VFs name."""
    given: set[str] = set()
    for path in (*_drop_ins(files), *_scripts(files)):
        if path not in given:
            given.add(path)
            yield path


def _drop_ins(files: HostFs) -> Iterator[str]:
    for root in ROOTS:
        for folder in _FOLDERS:
            for name, kind in _entries(files, f"{root}/{folder}"):
                if kind is EntryKind.FOLDER and name.endswith(_OF):
                    yield from _confs(files, f"{root}/{folder}/{name}")


def _confs(files: HostFs, folder: str) -> Iterator[str]:
    for name, kind in _entries(files, folder):
        if kind is EntryKind.FILE and name.endswith(".conf"):
            yield f"{folder}/{name}"


def _scripts(files: HostFs) -> Iterator[str]:
    for folder in _UNITS:
        for name, kind in _entries(files, folder):
            if kind is EntryKind.FILE and name.endswith(".service"):
                text = _text(files, f"{folder}/{name}")
                if _WORDS.search(text) or _WORDS.search(name.encode()):
                    for path in _PATHS.findall(text.decode(errors="replace")):
                        if _text(files, path[1:])[:2] == b"#!":
                            yield path[1:]


def _entries(files: HostFs, folder: str) -> tuple[tuple[str, EntryKind], ...]:
    try:
        return tuple((entry.name, entry.kind) for entry in files.entries(folder))
    except ReadFault:
        return ()


def _text(files: HostFs, path: str) -> bytes:
    try:
        return files.read(path, limit=_SMALL)
    except ReadFault:
        return b""
