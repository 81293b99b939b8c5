"""What commands in a pod printed: its limits, its capabilities, its RDMA devices.

The commands ran in one container. Which one is sure only where the pod has no other.
"""

import re
from itertools import islice

import msgspec

from podwire.facts.node import TextFile
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_LOCKED = re.compile(
    r"Max locked memory\s+(?P<soft>unlimited|[0-9]{1,20})\s+(?P<hard>unlimited|[0-9]{1,20})\b"
)
_EFFECTIVE = re.compile(r"CapEff:\s+(?P<bits>[0-9a-fA-F]+)")
_IPC_LOCK = 14  # linux include/uapi/linux/capability.h
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_SMALL = 1 << 30
_ABSENT = "No such file or directory"
_DENIALS = ("cannot access", "cannot open", "not found", "error")


class Limit(msgspec.Struct, frozen=True, gc=False):
    """How much memory may be locked, in bytes; None is without limit."""

    soft: int | None
    hard: int | None

    @property
    def is_small(self) -> bool:
        """Neither is anything that RDMA programs can work with, nor can they raise it."""
        return all(each is not None and each < _SMALL for each in (self.soft, self.hard))

    def __str__(self) -> str:
        if self.soft is None:
            return "unlimited"
        for size, unit in _UNITS:
            if self.soft >= size and not self.soft % size:
                return f"{self.soft // size} {unit}"
        return f"{self.soft} bytes"


def locked_memory(pod: PodView, picture: Picture) -> Answer[Limit]:
    """Read the limit on locked memory; all containers of a pod have it from the runtime."""
    found = _line(pod, "proc-1-limits.txt", "/proc/1/limits", picture=picture, pattern=_LOCKED)
    if isinstance(found, Unknown):
        return found
    match, place = found.value
    return Known(value=Limit(soft=_bytes(match["soft"]), hard=_bytes(match["hard"])), places=place)


def can_lock(container: PodContainer, picture: Picture) -> Answer[bool]:
    """Read whether process 1 of a container has CAP_IPC_LOCK in force."""
    if not is_alone(container):
        return Unknown(reason=f"which container of {container.pod.ref} was looked at")
    found = _line(
        container.pod.pod,
        "proc-1-status.txt",
        "/proc/1/status",
        picture=picture,
        pattern=_EFFECTIVE,
    )
    if isinstance(found, Unknown):
        return found
    match, place = found.value
    return Known(value=bool(int(match["bits"], 16) >> _IPC_LOCK & 1), places=place)


def rdma_devices(container: PodContainer, picture: Picture) -> Answer[tuple[str, ...]]:
    """List /dev/infiniband in a container; empty where there is no such folder."""
    file = _file(container.pod.pod, "dev-infiniband.txt", "ls /dev/infiniband", picture=picture)
    if isinstance(file, Unknown):
        return file
    if not is_alone(container):
        return Unknown(reason=f"which container of {container.pod.ref} was looked at")
    text = file.value.text
    if _ABSENT in text:
        return Known(value=(), places=file.places)
    if any(word in text for word in _DENIALS):
        return Unknown(reason=f"{file.value.document.name} holds an error of ls")
    return Known(value=tuple(text.split()), places=file.places)


def is_alone(container: PodContainer) -> bool:
    """Whether its pod runs no other container, so that any output is this one's."""
    running = (view for view in container.pod.pod.containers() if not view.is_early)
    return not container.is_early and len((*islice(running, 2),)) == 1


def line_with(pod: PodView, name: str, *texts: str, picture: Picture) -> tuple[str, Place] | None:
    """Find the first line of an output that holds all texts; None where there is none."""
    files = picture.facts.pod_files.get((pod.namespace, pod.metadata.name))
    file = files.files.get(name) if files and not pod.is_template else None
    for number, line in enumerate(file.text.split("\n") if file else (), start=1):
        if file and all(text in line for text in texts):
            return line.strip(), Place(document=file.document, path=(number,))
    return None


def _line(
    pod: PodView, name: str, path: str, *, picture: Picture, pattern: re.Pattern[str]
) -> Answer[tuple[re.Match[str], tuple[Place, ...]]]:
    file = _file(pod, name, f"cat {path}", picture=picture)
    if isinstance(file, Unknown):
        return file
    for number, line in enumerate(file.value.text.split("\n"), start=1):
        if match := pattern.match(line):
            place = Place(document=file.value.document, path=(number,))
            return Known(value=(match, (place,)))
    words = pattern.pattern.partition(r"\s")[0]
    return Unknown(reason=f"{file.value.document.name} has no line {words} that can be read")


def _file(pod: PodView, name: str, command: str, *, picture: Picture) -> Answer[TextFile]:
    key = (pod.namespace, pod.metadata.name)
    if pod.is_template or key not in picture.facts.pod_files:
        where = f"-n {pod.namespace} {pod.metadata.name}"
        return Unknown(
            reason=f"{name} of {pod.ref} was not collected",
            give=f"kubectl exec {where} -- {command} > pods/{'.'.join(key)}/{name}",
            fact=f"{name} of pods",
        )
    return picture.facts.pod_files[key].file(name)


def _bytes(word: str) -> int | None:
    return None if word == "unlimited" else int(word)
