"""Devices asked for by mounts of /dev/null below one folder.

Source: internal/config/image/cuda_image.go (requestsFromMounts, visibleDevicesFromMounts,
imexChannelsFromMounts, qualifiedName) of nvidia-container-toolkit v1.20.2 and v1.17.8.
"""

from collections.abc import Iterable
from typing import Final

from podwire.peers.cdi.names import is_qualified
from podwire.peers.go_paths import cleaned
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.records import Mount

FOLDER: Final = "/var/run/nvidia-container-devices"
CDI: Final = "cdi/"
IMEX: Final = "imex/"
_VOID: Final = "void"
VOID_MOUNT: Final = Mount(source="/dev/null", destination=f"{FOLDER}/{_VOID}")
_PARTS: Final = 3  # vendor, class and device


def requested(mounts: Iterable[Mount]) -> tuple[str, ...]:
    """List what stands behind the folder, each mount point once; the folder is a mere prefix."""
    found: dict[str, str] = {}
    for mount in mounts:
        destination = cleaned(mount.destination)
        if cleaned(mount.source) == "/dev/null" and destination.startswith(FOLDER):
            found.setdefault(destination, destination.removeprefix(FOLDER).strip("/"))
    return tuple(name for name in found.values() if name)


def imex_channels(mounts: Iterable[Mount]) -> tuple[str, ...]:
    """List the IMEX channels."""
    return tuple(each.removeprefix(IMEX) for each in requested(mounts) if each.startswith(IMEX))


def devices(mounts: Iterable[Mount], build: Build) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the devices, CDI names among them, and the lines of the log about others."""
    found: list[str] = []
    notes: list[str] = []
    for each in requested(mounts):
        if each == _VOID and build.void_mounts:
            return (), tuple(notes)
        if each.startswith(IMEX):
            continue
        if not each.startswith(CDI):
            found.append(each)
            continue
        name = _qualified(each.removeprefix(CDI))
        if name is None:
            said = f"invalid mount CDI device request: {each}"
            notes.append(f"Ignoring invalid mount request for CDI device {each}: {said}")
        else:
            found.append(name)
    return tuple(found), tuple(notes)


def plain(mounts: Iterable[Mount]) -> tuple[str, ...]:
    """List devices for nvidia-container-cli, as the hook did before v1.18."""
    return tuple(each for each in requested(mounts) if not each.startswith((CDI, IMEX)))


def named(mounts: Iterable[Mount]) -> tuple[str, ...]:
    """List CDI devices in three parts, as mode cdi did before v1.18."""
    split = (each.removeprefix(CDI).split("/", _PARTS - 1) for each in _cdi(mounts))
    return tuple(f"{p[0]}/{p[1]}={p[2]}" for p in split if len(p) == _PARTS)


def _cdi(mounts: Iterable[Mount]) -> tuple[str, ...]:
    return tuple(each for each in requested(mounts) if each.startswith(CDI))


def _qualified(written: str) -> str | None:
    if is_qualified(written):
        return written
    parts = written.split("/", _PARTS - 1)
    return f"{parts[0]}/{parts[1]}={parts[2]}" if len(parts) == _PARTS else None
