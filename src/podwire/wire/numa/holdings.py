"""Who holds what on a machine, in words."""

from collections.abc import Iterable, Iterator

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import CPU, Machine

_UNITS = (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))


def amount(name: ResourceName, count: int | None) -> str:
    """Write how many devices or CPUs, or how much memory: `8`, `64Gi`; `?`: not known."""
    if count is None:
        return "?"
    if name.prefix or name == CPU:
        return str(count)
    unit = next(((text, size) for text, size in _UNITS if count and count % size == 0), None)
    return str(count) if unit is None else f"{count // unit[1]}{unit[0]}"


def holdings(machine: Machine, wanted: Iterable[ResourceName]) -> Iterator[tuple[str, str]]:
    """Say who holds how much of which resource on which NUMA nodes: pod and words."""
    counts: dict[tuple[str, ResourceName, tuple[int, ...]], int] = {}
    for owner, name, numa, count in _held(machine, frozenset(wanted)):
        key = (owner, name, tuple(sorted(numa)))
        counts[key] = counts.get(key, 0) + count
    for (owner, name, nodes), count in sorted(counts.items()):
        where = f" on NUMA node {' and '.join(map(str, nodes))}" if nodes else ""
        yield owner, f"{amount(name, count)} {name}{where}"


def _held(
    machine: Machine, wanted: frozenset[ResourceName]
) -> Iterator[tuple[str, ResourceName, frozenset[int], int]]:
    for name in wanted:
        for device in machine.devices.get(name, ()):
            if device.owner is not None:
                yield device.owner, name, device.numa, 1
    for block in machine.blocks:
        if block.type in wanted:
            yield block.owner, block.type, block.numa, block.size
