"""Whether kubelet admits a pod on a machine, why not, and whether it ever could."""

import functools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podwire.model.evidence import Answer, Known, Missing, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.giving import Shortage
from podwire.peers.kubelet_topology.merging import merge
from podwire.peers.kubelet_topology.records import CPU, Hints, Machine, Request, Setup
from podwire.peers.kubelet_topology.shapes import Shape, shape_of
from podwire.peers.kubelet_topology.starting import refusal
from podwire.peers.kubelet_topology.verdicts import (
    NO_LOCALITY,
    Blocker,
    Reason,
    Rejection,
    Verdict,
    Why,
)
from podwire.peers.kubelet_topology.walking import End, Walk, Ways


def admit(machine: Machine, pod: Sequence[Request], setup: Setup) -> Verdict:
    """Ask kubelet's Topology Manager about a new pod: init containers first, as in the pod."""
    refused = refusal(machine, setup)
    if refused:
        return Verdict(admitted=Known(value=False), refused=refused)
    shape = shape_of(machine, (name for request in pod for name, _ in request.wants))
    return _admitted(shape, tuple(pod), setup)


@functools.lru_cache(maxsize=4096)
def _admitted(shape: Shape, pod: tuple[Request, ...], setup: Setup) -> Verdict:
    try:
        ways = _ways(Walk(shape=shape, pod=pod, setup=setup))
    except Missing as missing:
        return Verdict(admitted=missing.unknown)
    verdict = _verdict(ways, shape, setup)
    if verdict.admitted == Known(value=False):
        empty = shape.emptied()
        is_never = shape == empty or _admitted(empty, pod, setup).is_never
        verdict = msgspec.structs.replace(verdict, is_never=is_never)
    return _with_unread(verdict, pod, setup)


def _ways(walk: Walk) -> Ways:
    """Go one way only where there are too many and all end alike: just numbers decide there."""
    try:
        return walk.ways()
    except Missing:
        if walk.setup.policy not in {"none", "best-effort"}:
            raise
        one = msgspec.structs.replace(walk, is_one_way=True).ways()
        return msgspec.structs.replace(one, sure_steps=1)


def _verdict(ways: Ways, shape: Shape, setup: Setup) -> Verdict:
    against = [end for end in ways.ends if end.reason]
    if not against:
        return Verdict(
            admitted=Known(value=True), steps=ways.ends[0].steps, sure_steps=ways.sure_steps
        )
    admitted: Answer[bool] = Known(value=False)
    if len(against) < len(ways.ends):
        admitted = Unknown(
            reason=f"whether container {against[0].steps[-1].container} is admitted depends on "
            "which devices those before it are given",
            fact="which of several like devices are given",
        )
    return Verdict(
        admitted=admitted,
        rejections=tuple(sorted({each for end in against for each in _rejections(end)})),
        steps=against[0].steps,
        sure_steps=ways.sure_steps,
        blockers=tuple(_blockers(against[0], shape, setup)),
    )


def _rejections(end: End) -> Iterator[Rejection]:
    container = end.steps[-1].container
    if end.reason == "TopologyAffinityError":
        yield Rejection(container=container, reason=end.reason, message=NO_LOCALITY)
    for each in _first_to_fail(end.short):
        reason: Reason = "SMTAlignmentError" if each.is_of_cores else "UnexpectedAdmissionError"
        yield Rejection(container=container, reason=reason, message=each.message)


def _first_to_fail(short: tuple[Shortage, ...]) -> tuple[Shortage, ...]:
    """The device manager is asked before the CPU manager, which then is not asked at all.

    The memory manager comes last; it is alone here when it fails.
    """
    return tuple(each for each in short if each.resource != CPU) or short


def _blockers(end: End, shape: Shape, setup: Setup) -> Iterator[Blocker]:
    if end.short:
        for each in end.short:
            why: Why = "no whole cores" if each.is_of_cores else "too few"
            yield Blocker(resource=each.resource, why=why)
        return
    table = dict(end.steps[-1].hints)
    alone = [n for n, each in table.items() if not _is_admitted({n: each}, shape, setup)]
    for name in alone:
        yield Blocker(resource=name, why="too wide" if table[name] else "too few")
    if alone:
        return
    every = {name: {k: v for k, v in table.items() if k != name} for name in table}
    odd = [name for name, others in every.items() if _is_admitted(others, shape, setup)]
    caring = [name for name, each in table.items() if each is not None]
    yield from (Blocker(resource=name, why="apart") for name in odd or caring)


def _is_admitted(table: Mapping[ResourceName, Hints], shape: Shape, setup: Setup) -> bool:
    _, is_admitted = merge(table.values(), setup, known=shape.known, distances=shape.distances)
    return is_admitted


def _with_unread(verdict: Verdict, pod: tuple[Request, ...], setup: Setup) -> Verdict:
    """Take back what hints of the CPU or memory manager might change.

    More hints admit nothing that was rejected, as long as no device was given before.
    """
    unread = next((r.unread for r in pod if r.unread is not None), None)
    if unread is None or setup.policy in {"none", "best-effort"}:
        return verdict
    is_rejected_first = verdict.admitted == Known(value=False) and len(verdict.steps) == 1
    if is_rejected_first:
        return verdict
    return msgspec.structs.replace(verdict, admitted=unread, is_never=False)
