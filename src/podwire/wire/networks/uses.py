"""Who uses a network, and what becomes of whoever does when its CNI refuses."""

import enum

from podwire.facts.objects import Network
from podwire.wire.networks.nads import pods_on
from podwire.wire.picture import Picture


class Use(enum.Enum):
    """Who uses a network."""

    WAITING = "pods in sight that have yet to attach it"
    ATTACHED = "pods that have it attached"
    UNSEEN = "no pod in sight, and not all pods are"
    NOBODY = "no pod"

    @property
    def may_wait(self) -> bool:
        """Somebody waits for it, or nobody can say that nobody does."""
        return self in {Use.WAITING, Use.UNSEEN}


def use_of(nad: Network, picture: Picture) -> Use:
    """Say who uses it; that nobody does needs all pods."""
    pods = pods_on(nad, picture)
    if pods:
        return Use.ATTACHED if all(p.is_attached for p in pods) else Use.WAITING
    return Use.NOBODY if picture.facts.pods.is_complete() else Use.UNSEEN


def pods_hang(nad: Network, picture: Picture, *, how: str = "in ContainerCreating") -> str:
    """Say that pods do not start when its CNI refuses, in the tense of who uses it."""
    name = nad.metadata.name
    use = use_of(nad, picture)
    if use is Use.ATTACHED:
        return f"the pods on {name} run on; ones made anew stay {how}"
    if use is Use.WAITING:
        return f"pods on {name} stay {how}"
    return f"a pod that names {name} would stay {how}"
