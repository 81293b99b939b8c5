"""Which devices a container may get, once the NUMA nodes are chosen.

Source: kubernetes v1.37.2 pkg/kubelet/cm/devicemanager/manager.go devicesToAllocate and
filterByAffinity. Among devices that serve alike kubelet takes any (a Go set has no order),
or what the plugin prefers. CPUs: cpumanager/policy_static.go allocateCPUs. Of those on the
chosen NUMA nodes it packs by cores and sockets, which is not modelled: any may be taken.
"""

import itertools
from collections.abc import Iterator

import msgspec

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.records import Kind
from podwire.peers.kubelet_topology.shapes import Pool, Stock, minus


class Shortage(msgspec.Struct, frozen=True, gc=False):
    """kubelet's error, before `Allocate failed due to` and after.

    `is_of_cores`: of the option full-pcpus-only, which has a reason of its own.
    """

    resource: ResourceName
    text: str
    is_of_cores: bool = False

    @property
    def message(self) -> str:
        """The pod's status message."""
        return (
            self.text
            if self.is_of_cores
            else f"Allocate failed due to {self.text}, which is unexpected"
        )


class Tier(msgspec.Struct, frozen=True, gc=False):
    """Devices that are taken before those of the next tier: `count` of the `limits`, per kind."""

    limits: tuple[int, ...]
    count: int

    @property
    def least(self) -> tuple[int, ...]:
        """How many of each kind are taken at least."""
        spare = sum(self.limits) - self.count
        return tuple(max(0, limit - spare) for limit in self.limits)

    @property
    def most(self) -> tuple[int, ...]:
        """How many of each kind are taken at most."""
        return tuple(min(self.count, limit) for limit in self.limits)


class Taking(msgspec.Struct, frozen=True, gc=False):
    """How a request is met: from what init containers left, then tier after tier.

    `is_mixed`: the tiers hold what init containers left as well (CPUs).
    """

    reused: Tier
    fresh: tuple[Tier, ...] = ()
    is_mixed: bool = False


def taking(
    name: ResourceName, pool: Pool, stock: Stock, want: int, *, affinity: int | None
) -> Taking | Shortage:
    """Say how many devices come from where; `affinity` None: any NUMA node will do."""
    if pool.is_cpu:
        return _taking_cpus(name, pool, stock, want, affinity=affinity)
    if not pool.has_healthy:
        return Shortage(
            resource=name,
            text=f"no healthy devices present; cannot allocate unhealthy devices {name}",
        )
    reused = Tier(limits=stock.reusable, count=min(want, sum(stock.reusable)))
    left = want - reused.count
    available = sum(stock.free)
    if left > available:
        return Shortage(
            resource=name,
            text=f"requested number of devices unavailable for {name}. "
            f"Requested: {left}, Available: {available}",
        )
    tiers: list[Tier] = []
    for limits in _tiers(pool, stock, affinity):
        count = min(left, sum(limits))
        if count:
            tiers.append(Tier(limits=limits, count=count))
        left -= count
    return Taking(reused=reused, fresh=tuple(tiers))


def _taking_cpus(
    name: ResourceName, pool: Pool, stock: Stock, want: int, *, affinity: int | None
) -> Taking | Shortage:
    if pool.per_core and (refused := _of_cores(pool.per_core, want, sum(stock.free))):
        return Shortage(resource=name, text=refused, is_of_cores=True)
    every = _plus(stock.free, stock.reusable)
    near = affinity or 0
    kinds = tuple(zip(pool.masks, every, strict=True))
    aligned = tuple(count if m & near else 0 for m, count in kinds)
    others = tuple(0 if m & near else count for m, count in kinds)
    first = min(want, sum(aligned))
    if want > sum(every):
        return Shortage(
            resource=name,
            text="not enough cpus available to satisfy request: "
            f"requested={want - first}, available={sum(others)}",
        )
    tiers = (Tier(limits=aligned, count=first), Tier(limits=others, count=want - first))
    return Taking(
        reused=Tier(limits=(0,) * len(every), count=0),
        fresh=tuple(tier for tier in tiers if tier.count),
        is_mixed=True,
    )


def _of_cores(per_core: int, want: int, available: int) -> str:
    """Say why whole cores cannot be given: policy_static.go enforceSMTAlignment."""
    if want % per_core:
        return f"SMT Alignment Error: requested {want} cpus not multiple cpus per core = {per_core}"
    if want > available:
        return (
            "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = "
            f"{available}, requested CPUs = {want}, CPUs per core = {per_core}"
        )
    return ""


def _tiers(pool: Pool, stock: Stock, affinity: int | None) -> Iterator[tuple[int, ...]]:
    """Aligned devices come first; then, unless a plugin chooses, those with topology."""
    near = affinity if affinity is not None and pool.has_topology else 0
    kinds = tuple(zip(pool.masks, stock.free, strict=True))
    yield tuple(free if m & near else 0 for m, free in kinds)
    if not near or pool.has_preference:
        yield tuple(0 if m & near else free for m, free in kinds)
        return
    yield tuple(free if m and not m & near else 0 for m, free in kinds)
    yield tuple(0 if m else free for m, free in kinds)


def stocks_after(stock: Stock, taken: Taking, kind: Kind) -> Iterator[Stock]:
    """Go through what may be left; an init container leaves its devices to those after it."""
    if taken.is_mixed:
        yield from _stocks_after_mixed(stock, taken, kind)
        return
    for reused in _ways(taken.reused.limits, taken.reused.count):
        for fresh in _fresh_ways(taken.fresh, len(stock.free)):
            free = minus(stock.free, fresh)
            if kind == "init":
                yield Stock(free=free, reusable=_plus(stock.reusable, fresh))
            else:
                yield Stock(free=free, reusable=minus(stock.reusable, reused))


def _stocks_after_mixed(stock: Stock, taken: Taking, kind: Kind) -> Iterator[Stock]:
    for every in _fresh_ways(taken.fresh, len(stock.free)):
        least = map(int.__sub__, every, stock.free)
        spans = (
            range(max(0, low), min(count, left) + 1)
            for low, count, left in zip(least, every, stock.reusable, strict=True)
        )
        for reused in itertools.product(*spans):
            fresh = minus(every, reused)
            free = minus(stock.free, fresh)
            if kind == "init":
                yield Stock(free=free, reusable=_plus(stock.reusable, fresh))
            else:
                yield Stock(free=free, reusable=minus(stock.reusable, reused))


def _fresh_ways(tiers: tuple[Tier, ...], width: int) -> Iterator[tuple[int, ...]]:
    if not tiers:
        yield (0,) * width
        return
    for first in _ways(tiers[0].limits, tiers[0].count):
        for rest in _fresh_ways(tiers[1:], width):
            yield _plus(first, rest)


def _ways(limits: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    """Share `count` out among kinds, none beyond its limit."""
    if not limits:
        yield ()
        return
    room = sum(limits[1:])
    for here in range(max(0, count - room), min(limits[0], count) + 1):
        yield from ((here, *rest) for rest in _ways(limits[1:], count - here))


def _plus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__add__, a, b))
