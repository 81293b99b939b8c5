"""How kubelet makes one hint of the hints of all resources, and whether it admits with it.

Source: kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/policy.go, policy_*.go, numa_info.go.
kubelet goes through every combination of one hint per resource, in random order, and keeps
the better of two. "Better" is a total order, so the order does not matter: a combination is
preferred when all its hints are and name the same nodes, and where there is none such, only
the nodes in common count.
"""

import functools
from collections.abc import Callable, Iterable
from typing import TypeAlias

from podwire.model.evidence import Missing, Unknown
from podwire.peers.kubelet_topology.records import Distances, Hint, Hints, Setup, bits

_ANY = (Hint(mask=None, preferred=True),)
_NOTHING = (Hint(mask=None, preferred=False),)
_Fitness: TypeAlias = Callable[[int], tuple[float, ...]]


def merge(
    tables: Iterable[Hints], setup: Setup, *, known: int, distances: Distances | None = None
) -> tuple[Hint, bool]:
    """Merge the hints of all resources; say what came out and whether it is admitted.

    Raises:
        Missing: the closest nodes are preferred, and no distances are known.
    """
    if setup.policy == "none":
        return Hint(mask=None, preferred=False), True
    return _merged(tuple(tables), setup, known, distances)


@functools.lru_cache(maxsize=16384)
def _merged(
    tables: tuple[Hints, ...], setup: Setup, known: int, distances: Distances | None
) -> tuple[Hint, bool]:
    is_single = setup.policy == "single-numa-node"
    lists = [_ANY if hints is None else hints or _NOTHING for hints in tables] or [_ANY]
    if is_single:
        lists = [tuple(h for h in hints if _fits_one(h)) for hints in lists]
    fitness = _narrowest
    if setup.options.prefer_closest_numa_nodes and not is_single:
        fitness = functools.partial(_closest, distances)
    best = _best(lists, known, fitness)
    if is_single and best.mask == known:
        best = Hint(mask=None, preferred=best.preferred)
    return best, best.preferred or setup.policy == "best-effort"


def _fits_one(hint: Hint) -> bool:
    return hint.preferred and (hint.mask is None or hint.mask.bit_count() == 1)


def _best(lists: list[tuple[Hint, ...]], known: int, fitness: _Fitness) -> Hint:
    agreed = _agreed(lists, known)
    if agreed:
        return Hint(mask=_fittest(agreed, fitness), preferred=True)
    masks = {known}
    for hints in lists:
        named = {known if h.mask is None else h.mask for h in hints}
        masks = {mask & other for mask in masks for other in named} - {0}
    if not masks:
        return Hint(mask=known, preferred=False)
    sizes = [[h.mask.bit_count() for h in hints if h.mask is not None] for hints in lists]
    wide = max((min(each) for each in sizes if each), default=0)
    # policy.go compare: as many nodes as the neediest resource needs, else fewer, else more.
    nearest = min(_distance_from(mask.bit_count(), wide) for mask in masks)
    near = {mask for mask in masks if _distance_from(mask.bit_count(), wide) == nearest}
    return Hint(mask=_fittest(near, fitness), preferred=False)


def _agreed(lists: list[tuple[Hint, ...]], known: int) -> set[int]:
    """Find the masks that every resource prefers, of those that prefer any in particular."""
    agreed: set[int] | None = None
    for hints in lists:
        preferred = {h.mask for h in hints if h.preferred}
        if not preferred:
            return set()
        if None in preferred:
            continue  # "any" stands alone in a list
        masks = {mask for mask in preferred if mask is not None}
        agreed = masks if agreed is None else agreed & masks
    return {known} if agreed is None else agreed


def _distance_from(count: int, wide: int) -> tuple[int, int]:
    if count > wide:
        return 1, count
    return 0, wide - count


def _fittest(masks: set[int], fitness: _Fitness) -> int:
    fewest = min(mask.bit_count() for mask in masks)
    narrow = [mask for mask in masks if mask.bit_count() == fewest]
    return narrow[0] if len(narrow) == 1 else min(narrow, key=fitness)


def _narrowest(mask: int) -> tuple[float, ...]:
    return (mask,)


def _closest(distances: Distances | None, mask: int) -> tuple[float, ...]:
    nodes = bits(mask)
    if distances is None:
        raise Missing(
            Unknown(
                reason="the distances between NUMA nodes were not read",
                give="cat /sys/devices/system/node/node*/distance",
                fact="the distances between NUMA nodes",
            )
        )
    rows = dict(distances)
    if any(n not in rows or len(rows[n]) <= nodes[-1] for n in nodes):
        raise Missing(Unknown(reason="NUMA node numbers have gaps; kubelet ends in a panic there"))
    total = sum(rows[a][b] for a in nodes for b in nodes)
    return total / len(nodes) ** 2, mask
