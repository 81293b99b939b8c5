"""A machine without the names of its devices: machines that look alike get one answer.

Devices of a resource that have the same NUMA nodes are one kind; a mask names it, 0 is the
kind without topology.
"""

from collections.abc import Iterable

import msgspec

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.memory import Memory, held_memory, new_memory
from podwire.peers.kubelet_topology.records import CPU, Device, Distances, Machine, mask_of


class Pool(msgspec.Struct, frozen=True, gc=False):
    """The devices of a resource, kind by kind: how many there are, healthy or not, held or not.

    `kept` are those that are reserved. `is_cpu`: the CPU manager gives them, and not as the
    device manager does; `per_core` as `Machine.cpus_per_core`.
    """

    masks: tuple[int, ...]
    totals: tuple[int, ...]
    has_healthy: bool
    has_preference: bool
    kept: tuple[int, ...] = ()
    is_cpu: bool = False
    per_core: int = 0

    @property
    def usable(self) -> tuple[int, ...]:
        """How many of each kind can be given when every device is healthy and nobody's."""
        return minus(self.totals, self.kept) if self.kept else self.totals

    @property
    def has_topology(self) -> bool:
        """One device with topology makes the resource care."""
        return any(self.masks)


class Stock(msgspec.Struct, frozen=True, gc=False, order=True):
    """What can be given of each kind: free and healthy, or left by an init container."""

    free: tuple[int, ...]
    reusable: tuple[int, ...]


class Shape(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A machine, as far as the wanted resources go."""

    known: int
    pools: tuple[tuple[ResourceName, Pool, Stock], ...]
    distances: Distances | None = None
    memory: Memory | None = None

    def emptied(self) -> "Shape":
        """The machine with every device healthy and nobody's."""
        pools = tuple(
            (
                name,
                msgspec.structs.replace(pool, has_healthy=any(pool.totals)),
                Stock(free=pool.usable, reusable=stock.reusable),
            )
            for name, pool, stock in self.pools
        )
        memory = self.memory and self.memory.emptied()
        return Shape(known=self.known, pools=pools, distances=self.distances, memory=memory)


def shape_of(machine: Machine, names: Iterable[ResourceName]) -> Shape:
    """Count the devices of some resources; one that nobody registered is left out."""
    pools = (
        (name, *_pool(machine, name, machine.devices[name]))
        for name in sorted(set(names))
        if name in machine.devices
    )
    distances = None if machine.distances is None else tuple(sorted(machine.distances.items()))
    return Shape(
        known=mask_of(machine.numa),
        pools=tuple(pools),
        distances=distances,
        memory=_memory(machine),
    )


def _memory(machine: Machine) -> Memory | None:
    if machine.memory is None:
        return None
    nodes = {*machine.numa, *machine.memory}  # some have CPUs only
    empty = new_memory({node: dict(machine.memory.get(node, {})) for node in nodes})
    return held_memory(empty, ((mask_of(b.numa), b.type, b.size) for b in machine.blocks))


def _pool(machine: Machine, name: ResourceName, devices: tuple[Device, ...]) -> tuple[Pool, Stock]:
    totals: dict[frozenset[int], int] = {}
    free: dict[frozenset[int], int] = {}
    kept: dict[frozenset[int], int] = {}
    has_healthy = False
    for device in devices:
        numa = device.numa
        totals[numa] = totals.get(numa, 0) + 1
        if device.is_reserved:
            kept[numa] = kept.get(numa, 0) + 1
        elif device.is_healthy:
            has_healthy = True
            if device.owner is None:
                free[numa] = free.get(numa, 0) + 1
    kinds = sorted(totals, key=mask_of)
    pool = Pool(
        masks=tuple(mask_of(k) for k in kinds),
        totals=tuple(totals[k] for k in kinds),
        has_healthy=has_healthy,
        has_preference=machine.with_preference is None or name in machine.with_preference,
        kept=tuple(kept.get(k, 0) for k in kinds) if kept else (),
        is_cpu=name == CPU,
        per_core=machine.cpus_per_core if name == CPU else 0,
    )
    none = (0,) * len(kinds)
    return pool, Stock(free=tuple(free.get(k, 0) for k in kinds), reusable=none)


def minus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Subtract counts, kind by kind."""
    return tuple(map(int.__sub__, a, b))
