"""How near to one another the devices of containers and pods are, once they are admitted.

Aligned is what comes from as few NUMA nodes as could hold all of it on the empty machine,
one where that can be. What kubelet leaves to chance is not sure. CPUs and memory are not
looked at.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import CPU, Given, Request, Shape, Step, Verdict, bits, mask_of
from podwire.peers.kubelet_topology.walking import total_wants

_WIDEST = 10  # NUMA nodes of which every set is tried


class Aligned(msgspec.Struct, frozen=True, gc=False):
    """How many of the containers (or pods) that ask for devices with topology are aligned."""

    sure: int = 0
    of: int = 0

    def __add__(self, other: "Aligned") -> "Aligned":
        return Aligned(sure=self.sure + other.sure, of=self.of + other.of)


def aligned_containers(verdict: Verdict, shape: Shape, requests: Iterable[Request]) -> Aligned:
    """Count containers; `shape` is the empty machine that the verdict is about."""
    each = (
        _aligned(shape, request.wants, _given(verdict, {request.container})) for request in requests
    )
    return sum(each, Aligned())


def aligned_pod(verdict: Verdict, shape: Shape, requests: tuple[Request, ...]) -> Aligned:
    """Look at a pod as a whole; init containers leave their devices to the others."""
    lasting = tuple(request for request in requests if request.kind != "init")
    names = {request.container for request in lasting}
    return _aligned(shape, total_wants(lasting), _given(verdict, names))


def _given(verdict: Verdict, containers: set[str]) -> tuple[Given, ...] | None:
    """Give what containers surely get; None where that hangs on chance."""
    steps: list[Step] = []
    for index, step in enumerate(verdict.steps):
        if step.container in containers:
            if index >= verdict.sure_steps:
                return None
            steps.append(step)
    return tuple(each for step in steps for each in step.given)


def _aligned(
    shape: Shape, wants: Iterable[tuple[ResourceName, int]], given: tuple[Given, ...] | None
) -> Aligned:
    asked = {name: want for name, want in wants if want and name != CPU}
    masks = {name: p.masks for name, p, _ in shape.pools if p.has_topology and name != CPU}
    if not any(name in masks for name in asked):
        return Aligned()
    if given is None:
        return Aligned(of=1)
    touched = frozenset(mask for each in given for mask in _touched(each, masks))
    fewest = _fewest(shape, tuple(sorted(asked.items())))
    is_sure = fewest is not None and _width(touched, shape.known) <= fewest
    return Aligned(sure=int(is_sure), of=1)


def _touched(given: Given, masks: Mapping[ResourceName, tuple[int, ...]]) -> Iterator[int]:
    """Name the kinds of devices that may be among those given."""
    for tier in (given.taking.reused, *given.taking.fresh):
        for mask, most in zip(masks.get(given.resource, ()), tier.most, strict=False):
            if mask and most:
                yield mask


@functools.lru_cache(maxsize=1024)
def _fewest(shape: Shape, wants: tuple[tuple[ResourceName, int], ...]) -> int | None:
    """Count the NUMA nodes of the smallest set that holds all that is asked for."""
    pools = {name: pool for name, pool, _ in shape.pools if pool.has_topology}
    for mask in _sets(shape.known):
        if all(
            sum(n for m, n in zip(pools[name].masks, pools[name].usable, strict=True) if m & mask)
            >= want
            for name, want in wants
            if name in pools
        ):
            return mask.bit_count()
    return None


@functools.lru_cache(maxsize=1024)
def _width(touched: frozenset[int], known: int) -> int:
    """Count the NUMA nodes that devices of these kinds are spread over at least."""
    return next((m.bit_count() for m in _sets(known) if all(m & each for each in touched)), 64)


def _sets(known: int) -> Iterator[int]:
    nodes = bits(known)
    for size in range(1, len(nodes) + 1 if len(nodes) <= _WIDEST else 1):
        yield from (mask_of(each) for each in itertools.combinations(nodes, size))
