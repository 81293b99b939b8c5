"""A pod before the Topology Manager of many nodes: those that answer alike as one."""

from collections.abc import Iterable

import msgspec

from podwire.model.names import Ref, ResourceName
from podwire.peers.kubelet_topology import Blocker, Shape, Verdict
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.asking import asks_of
from podwire.wire.numa.cures import Cure, cures_of
from podwire.wire.numa.holdings import holdings
from podwire.wire.numa.judging import Judged, Outcome
from podwire.wire.numa.words import verdict_when_empty
from podwire.wire.picture import Picture

_ORDER = (
    Outcome.ADMITTED,
    Outcome.NOT_NOW,
    Outcome.NEVER,
    Outcome.UNDECIDED,
    Outcome.SHORT,
)


class NumaGroup(msgspec.Struct, frozen=True):
    """Nodes that look alike to the pod; `first` stands for all of them.

    `verdict` is what decides: the empty node's where the pod is never admitted. `held` says
    who holds what there, on `first`.
    """

    nodes: tuple[str, ...]
    first: Judged
    verdict: Verdict | None
    blockers: tuple[Blocker, ...] = ()
    cures: tuple[Cure, ...] = ()
    held: tuple[tuple[str, str], ...] = ()


class NumaAnswer(msgspec.Struct, frozen=True):
    """A pod, what it asks for, and the groups of nodes; `rest` says why there may be more."""

    of: Ref
    pod: str
    asks: tuple[tuple[ResourceName, int | None], ...]
    groups: tuple[NumaGroup, ...]
    assumes: tuple[str, ...] = ()

    @property
    def is_rejected(self) -> bool:
        """Every node that was asked rejects it."""
        outcomes = {group.first.outcome for group in self.groups}
        return bool(outcomes) and outcomes <= {Outcome.NOT_NOW, Outcome.NEVER, Outcome.SHORT}


def answer_of(
    pod: WiredPod,
    judged: Iterable[Judged],
    *,
    picture: Picture,
    assumes: tuple[str, ...] = (),
) -> NumaAnswer:
    """Put nodes together that have the same answer for the same reason."""
    alike: dict[tuple[object, ...], list[Judged]] = {}
    for each in judged:
        fact = each.missing and (each.missing.fact or each.missing.reason)
        key = (each.outcome, each.setup, _shape(each), fact, each.lacks, each.assumes != ())
        alike.setdefault(key, []).append(each)
    groups = sorted(
        (_group(tuple(each), picture) for each in alike.values()),
        key=lambda group: (_ORDER.index(group.first.outcome), group.nodes),
    )
    rests = dict.fromkeys(a for group in groups for a in group.first.assumes)
    return NumaAnswer(
        of=pod.ref,
        pod=str(pod),
        asks=asks_of(pod),
        groups=tuple(groups),
        assumes=tuple(dict.fromkeys((*assumes, *rests))),
    )


def _shape(judged: Judged) -> Shape | None:
    """Leave out who holds what where it does not matter."""
    shape = judged.shape
    return shape.emptied() if shape and judged.outcome is Outcome.NEVER else shape


def _group(alike: tuple[Judged, ...], picture: Picture) -> NumaGroup:
    first = alike[0]
    nodes = tuple(each.node for each in alike)
    if first.outcome is Outcome.NEVER:
        verdict = verdict_when_empty(first)
        blockers = verdict.blockers if verdict else ()
        cures = cures_of(first, picture)
        return NumaGroup(nodes=nodes, first=first, verdict=verdict, blockers=blockers, cures=cures)
    if first.outcome is Outcome.NOT_NOW and first.machine is not None:
        blockers = first.verdict.blockers if first.verdict else ()
        held = tuple(holdings(first.machine, (blocker.resource for blocker in blockers)))
        return NumaGroup(
            nodes=nodes, first=first, verdict=first.verdict, blockers=blockers, held=held
        )
    return NumaGroup(nodes=nodes, first=first, verdict=first.verdict)
