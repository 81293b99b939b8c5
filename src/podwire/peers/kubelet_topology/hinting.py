"""Which sets of NUMA nodes could serve a request for devices or CPUs, as kubelet's managers say.

Source: kubernetes v1.37.2 pkg/kubelet/cm/devicemanager/topology_hints.go; for CPUs, in all
versions alike, cpumanager/policy_static.go generateCPUTopologyHints: masks of the NUMA nodes
that have CPUs, and those that are reserved count for what is preferred.
"""

import functools
import itertools
from collections.abc import Iterable

from podwire.model.evidence import Missing, Unknown
from podwire.peers.kubelet_topology.records import Hint, Hints, Span, bits, mask_of
from podwire.peers.kubelet_topology.shapes import Pool, Stock

_WIDEST = 10  # NUMA nodes with devices of one resource; the masks double with each


@functools.lru_cache(maxsize=16384)
def hints(pool: Pool, stock: Stock, want: int, *, known: int, span: Span) -> Hints:
    """List the hints for one resource; `known` has the machine's NUMA nodes.

    Preferred is a mask no larger than the smallest that could hold the request if every
    device were healthy and free. A mask has to touch each device that can be taken over
    from an init container.
    """
    if not pool.has_topology:
        return None
    if sum(stock.free) + sum(stock.reusable) < want:
        return ()
    covers = _covers(pool.masks, known, Span.NODES_WITH_DEVICES if pool.is_cpu else span)
    ever = (mask.bit_count() for mask, kinds in covers if _count(pool.totals, kinds) >= want)
    smallest = next(ever, None)
    left = [i for i, count in enumerate(stock.reusable) if count and pool.masks[i]]
    taken_over = _count(stock.reusable, left)
    return tuple(
        Hint(mask=mask, preferred=mask.bit_count() == smallest)
        for mask, kinds in covers
        if taken_over + _count(stock.free, kinds) >= want and all(i in kinds for i in left)
    )


def _count(counts: tuple[int, ...], kinds: Iterable[int]) -> int:
    return sum([counts[i] for i in kinds])


@functools.lru_cache(maxsize=1024)
def _covers(
    kinds: tuple[int, ...], known: int, span: Span
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Pair each mask, from small to large, with the kinds of devices that it touches."""
    bearing = functools.reduce(int.__or__, kinds, 0) & known
    nodes = bits(known if span is Span.EVERY_NODE or not bearing else bearing)
    if len(nodes) > _WIDEST:
        raise Missing(
            Unknown(reason=f"{len(nodes)} NUMA nodes make more masks than podwire goes through")
        )
    sizes = range(1, len(nodes) + 1)
    masks = (mask_of(c) for size in sizes for c in itertools.combinations(nodes, size))
    return tuple((mask, tuple(i for i, m in enumerate(kinds) if m & mask)) for mask in masks)
