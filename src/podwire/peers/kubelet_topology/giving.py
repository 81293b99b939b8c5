"""Which devices a container may get, once the NUMA nodes are chosen.

Source: kubernetes v1.37.2 pkg/kubelet/cm/devicemanager/manager.go devicesToAllocate and
filterByAffinity. Among devices that serve alike kubelet takes any (a Go set has no order),
or what the plugin prefers.
"""

from collections.abc import Iterator

import msgspec

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.records import Kind
from podwire.peers.kubelet_topology.shapes import Pool, Stock


class Shortage(msgspec.Struct, frozen=True, gc=False):
    """kubelet's error, before `Allocate failed due to` and after."""

    resource: ResourceName
    text: str

    @property
    def message(self) -> str:
        """The pod's status message; its reason is UnexpectedAdmissionError."""
        return f"Allocate failed due to {self.text}, which is unexpected"


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
    """How a request is met: from what init containers left, then tier after tier."""

    reused: Tier
    fresh: tuple[Tier, ...] = ()


def taking(
    name: ResourceName, pool: Pool, stock: Stock, want: int, *, affinity: int | None
) -> Taking | Shortage:
    """Say how many devices come from where; `affinity` None: any NUMA node will do."""
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
    for reused in _ways(taken.reused.limits, taken.reused.count):
        for fresh in _fresh_ways(taken.fresh, len(stock.free)):
            free = _minus(stock.free, fresh)
            if kind == "init":
                yield Stock(free=free, reusable=_plus(stock.reusable, fresh))
            else:
                yield Stock(free=free, reusable=_minus(stock.reusable, reused))


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


def _minus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__sub__, a, b))
