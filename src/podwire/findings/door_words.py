"""How findings about doors to GPUs name GPUs and pods, and what shows that pods stand in one."""

from collections.abc import Iterable, Iterator

from podwire.findings.model import Evidence, Fix
from podwire.model.addresses import GpuUuid
from podwire.model.names import Ref
from podwire.wire.doors.records import Door, Opening, Reserved, Taker

_FEW = 2


def gpus_text(gpus: tuple[GpuUuid, ...]) -> str:
    """Name a few GPUs; a UUID is long."""
    return listed(str(gpu) for gpu in gpus)


def listed(names: Iterable[str]) -> str:
    """Name the first two, and count the others."""
    every = tuple(dict.fromkeys(names))
    more = f" and {len(every) - _FEW} more" if len(every) > _FEW else ""
    return ", ".join(every[:_FEW]) + more


def pods_text(takers: Iterable[Taker]) -> str:
    """Name a few pods, each once, and count them where they are many."""
    names = tuple(dict.fromkeys(str(taker.pod) for taker in takers))
    return f"{len(names)} pods ({listed(names)})" if len(names) > _FEW else listed(names)


def opening_evidence(opening: Opening | None) -> Iterator[Evidence]:
    """Show the settings that open a door."""
    for place, saw in opening.opens if opening else ():
        yield Evidence(at=place, saw=saw)


def taker_evidence(takers: tuple[Taker, ...]) -> Iterator[Evidence]:
    """Show what the first few pods do."""
    for taker in takers[:_FEW]:
        yield Evidence(at=taker.place, saw=taker.saw)


def reserved_evidence(reserved: Reserved) -> Iterator[Evidence]:
    """Show where the owner keeps the GPUs for the host."""
    for place in reserved.places[:1]:
        yield Evidence(at=place, saw=gpus_text(reserved.gpus), role="kept for the host")


def everybody(door: Door) -> tuple[Ref, ...]:
    """Name the node and the ordinary pods that stand in a door."""
    pods = dict.fromkeys(taker.pod.ref for taker in door.ordinary)
    return (Ref(kind="Node", name=door.node), *pods)


# One sentence about what it costs to leave a door open; `sees` of every finding ends in it.
SEEN = "nvidia-smi in such a pod lists a GPU that nobody gave it, and jobs of the host share it"

POD_SECURITY = Fix(
    text="enforce Pod Security baseline in the namespaces of ordinary pods: "
    "pod-security.kubernetes.io/enforce=baseline",
    breaks="pods there can no longer be privileged, nor use hostPath, hostPID or added "
    "capabilities",
)
