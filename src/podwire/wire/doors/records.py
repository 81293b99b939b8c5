"""Doors to GPUs: what opens one, and the pods that stand in it."""

import enum
from collections.abc import Iterable

import msgspec

from podwire.facts.workloads import ContainerView, PodView
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.names import Ref


class Kind(enum.Enum):
    """The ways in."""

    PLUGIN = "device plugin"
    VARIABLE = "variable"
    MOUNT = "volume mount"
    ANNOTATION = "CDI annotation"
    NRI = "NRI annotation"
    PRIVILEGE = "privileged"


class Side(enum.Enum):
    """Whose a pod is: doors are there to be used by some."""

    ORDINARY = "pods"
    GPU_SOFTWARE = "software of GPUs"
    NODE_SOFTWARE = "software of the node"


class Reserved(msgspec.Struct, frozen=True):
    """GPUs of a node that the spec keeps for the host, and who it says serves the others."""

    node: str
    gpus: tuple[GpuUuid, ...]
    places: tuple[Place, ...]
    served_by: str = ""


class Opening(msgspec.Struct, frozen=True):
    """What lets anybody in who may make a pod.

    `by` is what a pod would write, `through` how it comes to the program that obeys.
    `opens` are settings with what stands there; `assumes` what has to be true besides.
    """

    by: str
    through: str
    gpus: tuple[GpuUuid, ...]
    opens: tuple[tuple[Place, str], ...] = ()
    assumes: tuple[str, ...] = ()


class Taker(msgspec.Struct, frozen=True):
    """A container that gets GPUs through a door, as it is written now."""

    pod: PodView
    view: ContainerView
    gpus: tuple[GpuUuid, ...]
    saw: str
    place: Place
    side: Side
    by_privilege: bool = False

    @property
    def name(self) -> str:
        """The pod, with its container where it has several."""
        several = len(tuple(self.pod.containers())) > 1
        return f"{self.pod} ({self.view.container.name})" if several else str(self.pod)


class Door(msgspec.Struct, frozen=True):
    """One way in to GPUs of one node.

    `opening` None: the settings let nobody in who has no privilege. `gaps` are why it is not
    known of some pods whether they stand in it. `assumes` is what the pods in it rest on.
    """

    node: str
    kind: Kind
    gpus: tuple[GpuUuid, ...]
    opening: Answer[Opening | None]
    takers: tuple[Taker, ...] = ()
    gaps: tuple[Unknown, ...] = ()
    assumes: tuple[str, ...] = ()

    @property
    def ref(self) -> Ref:
        """The door, as a part of the node."""
        return Ref(kind="Node", name=self.node).at(self.kind.value)

    @property
    def open(self) -> Opening | None:
        """What lets anybody in, where that is known."""
        return self.opening.value if isinstance(self.opening, Known) else None

    def by(self, side: Side) -> tuple[Taker, ...]:
        """The containers of one side that get GPUs through it."""
        return tuple(taker for taker in self.takers if taker.side is side)

    @property
    def ordinary(self) -> tuple[Taker, ...]:
        """Those that are neither the node's software nor that of its GPUs."""
        return self.by(Side.ORDINARY)

    @property
    def reached(self) -> tuple[GpuUuid, ...]:
        """The GPUs that somebody can get, or gets, through it."""
        every = [self.open.gpus if self.open else (), *(t.gpus for t in self.ordinary)]
        return in_order(self.gpus, (gpu for gpus in every for gpu in gpus))


def in_order(all_of: Iterable[GpuUuid], some: Iterable[GpuUuid]) -> tuple[GpuUuid, ...]:
    """Give some GPUs in the order of all, each once."""
    wanted = frozenset(some)
    return tuple(gpu for gpu in all_of if gpu in wanted)
