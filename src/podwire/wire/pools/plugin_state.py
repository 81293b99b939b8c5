"""What ends a device plugin, or costs it a pool, and what goes with it."""

from collections.abc import Iterator

from podwire.model.evidence import Known
from podwire.model.names import Ref, ResourceName
from podwire.peers.sriovdp.records import ConfigFault, Effect
from podwire.wire.joined.plugins import Plugin, Pool
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import short
from podwire.wire.pools.on_nodes import Outlived, named, seen

_SHOWN = 3


def faults_of(plugin: Plugin, effect: Effect) -> tuple[ConfigFault, ...]:
    """List the faults of a configuration that have this effect."""
    if not isinstance(plugin.config, Known):
        return ()
    return tuple(fault for fault in plugin.config.value.faults if fault.effect is effect)


def faults_in(pool: Pool, effect: Effect) -> tuple[ConfigFault, ...]:
    """List those that stand in one entry."""
    path = pool.entry.path
    return tuple(f for f in faults_of(pool.plugin, effect) if f.path[: len(path)] == path)


def siblings(plugin: Plugin, picture: Picture) -> tuple[ResourceName, ...]:
    """Name all that a plugin's configuration is to make."""
    return tuple(named(pool) for pool in picture.pools_by_plugin.get(plugin.key, ()))


def all_of_it(plugin: Plugin, picture: Picture) -> str:
    """Say that every pool goes, naming some."""
    names = [short(str(name)) for name in siblings(plugin, picture)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"no pool is left ({', '.join(names[:_SHOWN])}{more})" if names else "no pool is left"


def is_on_a_node(resource: ResourceName, picture: Picture) -> bool:
    """Tell whether some node offers it: then some plugin accepted it."""
    return any(
        offer is not None and offer.allocatable > 0
        for offer in (seen(resource, name, picture) for name in picture.node_names)
    )


def workload_of(plugin: Plugin) -> Iterator[Ref]:
    """Name what runs a plugin, where that is in sight."""
    if plugin.workload is not None:
        yield plugin.workload


def when(lasting: Outlived | None) -> str:
    """Say when a fault of a configuration strikes: now, or at the plugin's next start."""
    if lasting is None:
        return ""
    return f" at its next start ({lasting.node} still has {lasting.count} {lasting.resource})"
