"""Pods under every policy and scope of the Topology Manager, whatever a node has now."""

from collections.abc import Iterable, Iterator
from typing import get_args

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Machine, Policy, Scope, Setup, admit, shape_of
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.aligning import Aligned, aligned_containers, aligned_pod
from podwire.wire.numa.judging import Judge, Judged, Outcome, emptied
from podwire.wire.numa.setups import config_of, default_setup
from podwire.wire.picture import Picture

_FITS = {Outcome.ADMITTED, Outcome.NOT_NOW}


class Way(msgspec.Struct, frozen=True, gc=False, order=True):
    """A policy and a scope; `none` looks at no scope."""

    policy: Policy
    scope: Scope

    def __str__(self) -> str:
        return self.policy if self.policy == "none" else f"{self.policy}, scope {self.scope}"


WAYS: tuple[Way, ...] = (
    Way("none", "container"),
    *(Way(p, s) for p in get_args(Policy) if p != "none" for s in get_args(Scope)),
)
"""From the one that asks least to the strictest."""


class Tried(msgspec.Struct, frozen=True):
    """A pod on a node under one way; what is aligned is so where nothing is in use.

    `blockers` stand in the way on the empty node too.
    """

    outcome: Outcome
    fits: bool | None
    containers: Aligned = Aligned()
    pods: Aligned = Aligned()
    missing: Unknown | None = None
    lacks: tuple[ResourceName, ...] = ()
    blockers: tuple[ResourceName, ...] = ()


class Trials(msgspec.Struct, frozen=True):
    """One pod on one node, under every way in the order of `WAYS`.

    `machine` is the node's, where that is known; `now` says how kubelet is set up there.
    `is_configured`: kubelet's configuration was read, with its CPU and memory managers.
    """

    node: str
    ways: tuple[Tried, ...]
    machine: Machine | None
    now: Answer[Setup]
    assumes: tuple[str, ...] = ()
    is_configured: bool = True

    @property
    def today(self) -> Tried | None:
        """What the set-up of now makes of the pod."""
        if isinstance(self.now, Unknown):
            return None
        now = self.now.value
        scope: Scope = "container" if now.policy == "none" else now.scope
        return self.ways[WAYS.index(Way(now.policy, scope))]


def trials(pod: WiredPod, nodes: Iterable[str], judge: Judge, picture: Picture) -> Iterator[Trials]:
    """Try a pod on one node after the other."""
    for node in nodes:
        now = judge.setup(node)
        base = now.value if isinstance(now, Known) else default_setup(node, picture)
        setups = (msgspec.structs.replace(base, policy=way.policy, scope=way.scope) for way in WAYS)
        judged = [judge.judge(pod, node, instead=setup) for setup in setups]
        machine = judged[-1].machine
        empty = None if machine is None else emptied(machine)
        yield Trials(
            node=node,
            ways=tuple(_tried(each, empty) for each in judged),
            machine=machine,
            assumes=judged[-1].assumes,
            is_configured=isinstance(config_of(node, picture), Known),
            now=now,
        )


def _tried(judged: Judged, empty: Machine | None) -> Tried:
    fits = _fits(judged)
    base = Tried(outcome=judged.outcome, fits=fits, missing=judged.missing, lacks=judged.lacks)
    if fits is None or empty is None or judged.setup is None or judged.lacks:
        return base
    verdict = admit(empty, judged.requests, judged.setup)
    if not fits:
        blockers = tuple(dict.fromkeys(each.resource for each in verdict.blockers))
        return msgspec.structs.replace(base, blockers=blockers)
    shape = shape_of(empty, judged.wanted)
    return msgspec.structs.replace(
        base,
        containers=aligned_containers(verdict, shape, judged.requests),
        pods=aligned_pod(verdict, shape, judged.requests),
    )


def _fits(judged: Judged) -> bool | None:
    """Say whether the empty node would admit it."""
    if judged.outcome in _FITS or judged.fits_empty:
        return True
    return None if judged.outcome is Outcome.UNDECIDED else False
