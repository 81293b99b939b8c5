"""Memory that the memory manager's policy Static gives to containers, NUMA node by NUMA node.

Source: kubernetes v1.37.2 pkg/kubelet/cm/memorymanager/policy_static.go, the same since
v1.31.14 but for `_violates` (since v1.32.0). All types of memory (huge pages too) have the
same hints; where no set of NUMA nodes has enough there are none at all, so that any would do,
and giving the memory fails. A NUMA node that is one of several for some container is never
given alone, nor in another set.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator

import msgspec

from podwire.model.evidence import Missing, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.records import Hint, Hints, Kind, bits, mask_of

MEMORY = ResourceName(prefix="", name="memory")
Sizes = tuple[tuple[ResourceName, int], ...]  # bytes, by type of memory

_WIDEST = 10  # NUMA nodes of which every set is tried
_FAILED = "[memorymanager] failed to "


class Refused(Exception):  # noqa: N818 - an answer of kubelet, not a fault
    """Kubelet does not give the memory; the text is its own."""


class MemoryCell(msgspec.Struct, frozen=True, gc=False, order=True):
    """A NUMA node: bytes by type as in `Memory.types`; `group` are the nodes it is given with."""

    node: int
    allocatable: tuple[int, ...]
    free: tuple[int, ...]
    assignments: int = 0
    group: int = 0


class Memory(msgspec.Struct, frozen=True, gc=False, order=True, cache_hash=True):
    """A machine's memory, and what init containers left on which set of NUMA nodes."""

    types: tuple[ResourceName, ...]
    cells: tuple[MemoryCell, ...]
    reusable: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def emptied(self) -> "Memory":
        """The same memory, nobody's."""
        return new_memory(
            {c.node: dict(zip(self.types, c.allocatable, strict=True)) for c in self.cells}
        )

    def left(self, mask: int) -> tuple[int, ...]:
        """Say what init containers left on exactly these NUMA nodes."""
        return dict(self.reusable).get(mask, (0,) * len(self.types))


def new_memory(allocatable: dict[int, dict[ResourceName, int]]) -> Memory:
    """Make the memory of a machine by its NUMA nodes."""
    types = tuple(sorted({name for sizes in allocatable.values() for name in sizes}))
    cells = (
        MemoryCell(node=node, allocatable=sizes, free=sizes, group=1 << node)
        for node, found in sorted(allocatable.items())
        for sizes in [tuple(found.get(name, 0) for name in types)]
    )
    return Memory(types=types, cells=tuple(cells))


def _asked(memory: Memory, wants: Sizes) -> tuple[tuple[int, int], ...]:
    """Pair places of types with bytes."""
    unknown = [name for name, _ in wants if name not in memory.types]
    if unknown:
        raise Missing(
            Unknown(
                reason=f"no NUMA node is known to have {unknown[0]}",
                give="nodes/<node>/podresources-allocatable.json with its memory, in a bundle",
                fact="the memory of NUMA nodes",
            )
        )
    return tuple((memory.types.index(name), size) for name, size in wants)


@functools.lru_cache(maxsize=4096)
def memory_hints(memory: Memory, wants: Sizes) -> Hints:
    """List the sets of NUMA nodes that have enough; None where there is no such set.

    Preferred is a set no larger than the smallest that could ever hold the request.
    """
    asked = _asked(memory, wants)
    masks = [mask for mask in _sets(memory) if _ever(memory, asked, mask)]
    if not masks:
        return None
    smallest = masks[0].bit_count()
    found = tuple(
        Hint(mask=mask, preferred=mask.bit_count() == smallest)
        for mask in masks
        if _is_free(memory, mask) and _has(memory, asked, mask, left=memory.left(mask))
    )
    return found or None


def _sets(memory: Memory) -> Iterator[int]:
    nodes = [cell.node for cell in memory.cells]
    if len(nodes) > _WIDEST:
        raise Missing(
            Unknown(reason=f"{len(nodes)} NUMA nodes make more masks than podwire goes through")
        )
    for size in range(1, len(nodes) + 1):
        yield from (mask_of(each) for each in itertools.combinations(nodes, size))


def _within(memory: Memory, mask: int) -> Iterator[MemoryCell]:
    return (cell for cell in memory.cells if mask >> cell.node & 1)


def _ever(memory: Memory, asked: tuple[tuple[int, int], ...], mask: int) -> bool:
    return all(
        sum(cell.allocatable[i] for cell in _within(memory, mask)) >= size for i, size in asked
    )


def _has(
    memory: Memory, asked: tuple[tuple[int, int], ...], mask: int, *, left: tuple[int, ...]
) -> bool:
    return all(
        sum(cell.free[i] for cell in _within(memory, mask)) + left[i] >= size for i, size in asked
    )


def _is_free(memory: Memory, mask: int) -> bool:
    """Say whether the rule of groups allows a set."""
    if mask.bit_count() == 1:
        return all(cell.group.bit_count() == 1 for cell in _within(memory, mask))
    return not _violates(memory, mask)


def _violates(memory: Memory, mask: int) -> bool:
    """Say whether a node of a larger set is given alone, or in another set."""
    return mask.bit_count() > 1 and any(
        cell.assignments and (cell.group.bit_count() == 1 or cell.group != mask)
        for cell in _within(memory, mask)
    )


def give_memory(
    memory: Memory, wants: Sizes, kind: Kind, merged: Hint, *, has_group_check: bool | None
) -> Memory:
    """Take memory on the NUMA nodes of a merged hint, or on more of them.

    Raises:
        Refused: there is none to give.
        Missing: it hangs on kubelet's version, which was not read.
    """
    asked = _asked(memory, wants)
    mask = _chosen(memory, wants, merged)
    if _violates(memory, mask) and has_group_check is not False:
        if has_group_check is None:
            raise Missing(
                Unknown(reason="kubelet's version was not read", fact="kubelet's version")
            )
        raise Refused("[memorymanager] preferred hint violates NUMA node allocation")
    left = memory.left(mask)
    for i, size in asked:
        memory = _taken(memory, mask, i, max(0, size - left[i]))
    return msgspec.structs.replace(memory, reusable=_reusable(memory, mask, asked, kind))


def _chosen(memory: Memory, wants: Sizes, merged: Hint) -> int:
    mask, is_preferred = merged.mask, merged.preferred
    every = memory_hints(memory, wants) or ()
    if mask is None:
        best = _best(every)
        if best is None:
            raise Refused(
                f"{_FAILED}get the default NUMA affinity, no NUMA nodes with enough memory is "
                "available"
            )
        if is_preferred and not best.preferred:
            raise Refused(f"{_FAILED}find the default preferred hint")
        mask, is_preferred = best.mask or 0, best.preferred
    if _has(memory, _asked(memory, wants), mask, left=(0,) * len(memory.types)):
        return mask
    best = _best(hint for hint in every if hint.mask is not None and mask & ~hint.mask == 0)
    if best is None:
        raise Refused(f"{_FAILED}find NUMA nodes to extend the current topology hint")
    if is_preferred and not best.preferred:
        raise Refused(f"{_FAILED}find the extended preferred hint")
    return best.mask or 0


def _best(every: Iterable[Hint]) -> Hint | None:
    """Take a preferred one, of few nodes, with low numbers."""
    return min(
        every, key=lambda h: (not h.preferred, (h.mask or 0).bit_count(), h.mask), default=None
    )


def _taken(memory: Memory, mask: int, index: int, size: int) -> Memory:
    """Take bytes of one type from a set of NUMA nodes, one after the other."""
    cells = []
    for cell in memory.cells:
        if not mask >> cell.node & 1:
            cells.append(cell)
            continue
        here = min(size, cell.free[index])
        size -= here
        free = tuple(n - here if i == index else n for i, n in enumerate(cell.free))
        cells.append(
            msgspec.structs.replace(cell, free=free, assignments=cell.assignments + 1, group=mask)
        )
    return msgspec.structs.replace(memory, cells=tuple(cells))


def _reusable(
    memory: Memory, mask: int, asked: tuple[tuple[int, int], ...], kind: Kind
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    sizes = list(memory.left(mask))
    for i, size in asked:
        sizes[i] = max(sizes[i], size) if kind == "init" else max(0, sizes[i] - size)
    every = dict(memory.reusable) | {mask: tuple(sizes)}
    return tuple(sorted((m, left) for m, left in every.items() if any(left)))


def held_memory(memory: Memory, blocks: Iterable[tuple[int, ResourceName, int]]) -> Memory:
    """Take away what containers hold: NUMA nodes as bits, type and bytes."""
    for mask, name, size in blocks:
        if name in memory.types and bits(mask):
            memory = _taken(memory, mask, memory.types.index(name), size)
    return memory
