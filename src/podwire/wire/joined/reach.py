"""What the nodes that a pod may run on offer of one resource, and how much of it is free."""

from collections.abc import Callable

import msgspec

from podwire.facts.workloads import Stage
from podwire.model.evidence import Answer, Known, Unknown, joined
from podwire.peers.scheduler import Obstacle
from podwire.wire.joined.candidates import Candidates
from podwire.wire.joined.offers import Offer, no_capacity
from podwire.wire.joined.pods import WiredPod

NO_AUTOSCALER = "no autoscaler adds a node that fits"


class Share(msgspec.Struct, frozen=True, gc=False):
    """One node's offer, and what the pods bound to it request of that."""

    node: str
    offer: Offer
    used: int

    @property
    def idle(self) -> int:
        """Devices that no pod in sight requests, in health or not; below zero after some left."""
        return (self.offer.capacity or self.offer.allocatable) - self.used

    @property
    def free(self) -> int:
        """The same, of those in health."""
        return self.offer.allocatable - self.used


class Reach(msgspec.Struct, frozen=True):
    """The candidates of a pod that offer a resource.

    `barred` are nodes that offer it and keep the pod away. `unsure` says what is missing to
    know all candidates' capacity, None where it is known. `judged` counts the candidates.
    """

    shares: tuple[Share, ...]
    barred: tuple[tuple[str, tuple[Obstacle, ...]], ...]
    unsure: Unknown | None
    judged: int
    assumes: tuple[str, ...] = ()

    @property
    def is_offered(self) -> Answer[bool]:
        """Some candidate has the resource: one that is known is enough, no needs them all."""
        if self.shares:
            return Known(value=True)
        return self.unsure or Known(value=False)

    @property
    def capacity(self) -> int:
        """The most that one candidate has, in health or not."""
        return max((s.offer.capacity or s.offer.allocatable for s in self.shares), default=0)

    @property
    def idle(self) -> int:
        """The most that no pod requests on one candidate, in health or not."""
        return max((s.idle for s in self.shares), default=0)

    @property
    def free(self) -> int:
        """The most that one candidate has left."""
        return max((s.free for s in self.shares), default=0)


def reach_of(
    candidates: Candidates,
    *,
    offer: Callable[[str], Answer[Offer]],
    used: Callable[[str], int],
    assumes: tuple[str, ...] = (),
) -> Reach:
    """Ask every candidate for its offer, and those that keep the pod away as well."""
    rests = dict.fromkeys((*candidates.assumes, *assumes))
    unsure = [] if candidates.rest is None else [candidates.rest]
    shares = []
    for name in candidates.names:
        found = offer(name)
        if isinstance(found, Unknown):
            unsure.append(found)
            continue
        rests |= dict.fromkeys(found.assumes)
        if found.value.capacity is None:
            unsure.append(no_capacity(name))
        if found.value.is_any:
            shares.append(Share(node=name, offer=found.value, used=used(name)))
    return Reach(
        shares=tuple(shares),
        barred=tuple((n, why) for n, why in candidates.excluded if _is_any(offer(n))),
        unsure=joined(unsure) if unsure else None,
        judged=len(candidates.names),
        assumes=(NO_AUTOSCALER, *rests),
    )


def _is_any(offer: Answer[Offer]) -> bool:
    return isinstance(offer, Known) and offer.value.is_any


def is_to_be_placed(pod: WiredPod) -> bool:
    """Say whether the scheduler has yet to choose a node.

    The DaemonSet controller makes no pod for a node that its template cannot go to.
    """
    view = pod.pod
    is_daemons = view.is_template and view.of.kind == "DaemonSet"
    is_early = view.stage in {Stage.PLANNED, Stage.CREATED}
    return is_early and not view.spec.node_name and not is_daemons
