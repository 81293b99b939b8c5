"""Pods that kubelet may reject or rejected for their NUMA nodes, and the nodes in question."""

from collections.abc import Iterator

import msgspec

from podwire.facts.workloads import Stage
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import Ref
from podwire.wire.joined.offers import by_node
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.judging import Judge, Judged, Outcome
from podwire.wire.picture import Picture

REJECTED = "TopologyAffinityError"  # kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/scope.go
NO_OTHER_NODE = "the pod runs on no other node than those given"


class NumaPod(msgspec.Struct, frozen=True):
    """A pod with devices, and the nodes it is bound to or may run on."""

    pod: WiredPod
    nodes: tuple[str, ...]
    judge: Judge
    assumes: tuple[str, ...] = ()
    answers: dict[tuple[tuple[str, ...], bytes], "Answer[Nowhere | None]"] = {}

    @property
    def ref(self) -> Ref:
        """The pod, or the workload that makes it."""
        return self.pod.ref

    @property
    def is_rejected(self) -> bool:
        """Kubelet has rejected it for its NUMA nodes."""
        return is_rejected(self.pod)

    @property
    def is_remade(self) -> bool:
        """Something makes another pod in its place."""
        return self.pod.pod.is_template or self.pod.pod.of.metadata.controller is not None

    def judged(self) -> Iterator[Judged]:
        """Ask kubelet of one node after the other."""
        return (self.judge.judge(self.pod, node) for node in self.nodes)


class Nowhere(msgspec.Struct, frozen=True):
    """Nodes that never admit a pod: all that it may go to, those in `alike` by their counts."""

    nodes: tuple[Judged, ...]
    alike: tuple[str, ...] = ()


def numa_pods(picture: Picture) -> Iterator[NumaPod]:
    """List pods that kubelet rejected, and those to come on a node known to reject any.

    A node whose kubelet's configuration is not in sight has the default for all that podwire
    knows: the policy none.
    """
    judge = Judge(picture)
    strict = frozenset(name for name in picture.node_names if judge.is_strict(name))
    yield from _rejected(picture, judge)
    answers: dict[tuple[tuple[str, ...], bytes], Answer[Nowhere | None]] = {}
    for pod in picture.wired if strict else ():
        if pod.resources and _is_to_come(pod):
            of = places_of(pod, picture, judge=judge)
            if not strict.isdisjoint(of.nodes):
                yield msgspec.structs.replace(of, answers=answers)


def rejected_pods(picture: Picture) -> Iterator[NumaPod]:
    """List pods that kubelet rejected for their NUMA nodes."""
    return _rejected(picture, Judge(picture))


def _rejected(picture: Picture, judge: Judge) -> Iterator[NumaPod]:
    for pod in picture.wired:
        if pod.is_over and pod.resources and is_rejected(pod):
            yield NumaPod(pod=pod, nodes=(pod.pod.spec.node_name,), judge=judge)


def is_rejected(pod: WiredPod) -> bool:
    """Say whether kubelet has rejected a pod for its NUMA nodes."""
    status = pod.pod.status
    return status is not None and (status.phase, status.reason) == ("Failed", REJECTED)


def _is_to_come(pod: WiredPod) -> bool:
    """Say whether kubelet has yet to see it: of one that it admitted there are containers."""
    view = pod.pod
    if view.stage is Stage.BOUND:
        return view.status is None or not view.status.container_statuses
    return view.stage in {Stage.PLANNED, Stage.CREATED}


def unbound(pod: WiredPod) -> WiredPod:
    """Take a pod for a new one that the scheduler may place anew."""
    spec = msgspec.structs.replace(pod.pod.spec, node_name="")
    return msgspec.structs.replace(pod, pod=msgspec.structs.replace(pod.pod, spec=spec))


def places_of(pod: WiredPod, picture: Picture, *, judge: Judge) -> NumaPod:
    """Name the nodes that a pod may run on, resources aside.

    Where Nodes were not listed, those of which only files were given are among them.
    """
    found = picture.candidates(pod.pod)
    if pod.pod.spec.node_name:
        return NumaPod(pod=pod, nodes=found.names, judge=judge)
    bare = tuple(n for n in picture.node_names if picture.node(n) is None)
    names = found.names if picture.facts.nodes.is_complete() else (*found.names, *bare)
    rest = found.assumes if found.rest is None else (NO_OTHER_NODE,)
    return NumaPod(pod=pod, nodes=names, judge=judge, assumes=rest)


def nowhere(of: NumaPod, picture: Picture) -> Answer[Nowhere | None]:
    """Say that no node that the pod may go to ever admits it; None: one does, or may.

    Nodes with too few devices are no candidates. What is not known of a node is taken from
    one with as many devices that was looked at. Pods that ask alike have one answer.
    """
    spec = of.pod.pod.spec
    parts = [
        (c.name, c.resources, c.restart_policy) for c in (*spec.init_containers, *spec.containers)
    ]
    key = (of.nodes, msgspec.json.encode((len(spec.init_containers), parts)))
    if key not in of.answers:
        of.answers[key] = _nowhere(of, picture)
    return of.answers[key]


def _nowhere(of: NumaPod, picture: Picture) -> Answer[Nowhere | None]:
    never: list[Judged] = []
    unknown: list[tuple[str, Unknown]] = []
    for judged in of.judged():
        if judged.outcome is Outcome.NEVER:
            never.append(judged)
        elif judged.outcome is Outcome.UNDECIDED and not judged.fits_empty:
            unknown.append((judged.node, judged.missing or Unknown(reason="")))
        elif judged.outcome is not Outcome.SHORT:
            return Known(value=None)
    counts = [_counts(judged.node, of.pod, picture) for judged in never]
    alike = []
    for node, missing in unknown:
        mine = _counts(node, of.pod, picture)
        if mine is not None and not _is_enough(mine, of.pod):
            continue
        if mine is None or mine not in counts:
            return missing
        alike.append(node)
    return Known(value=Nowhere(nodes=tuple(never), alike=tuple(alike)) if never else None)


def _counts(node: str, pod: WiredPod, picture: Picture) -> tuple[int, ...] | None:
    """Count what a Node has of each resource that the pod requests; None: not read."""
    offers = [by_node(name, picture.node(node), node) for name in pod.resources]
    known = [offer.value.capacity or 0 for offer in offers if isinstance(offer, Known)]
    return tuple(known) if len(known) == len(offers) else None


def _is_enough(counts: tuple[int, ...], pod: WiredPod) -> bool:
    return all(pod.demand(name) <= count for name, count in zip(pod.resources, counts, strict=True))
