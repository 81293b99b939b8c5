"""Programs in sight: their containers, versions, and the pools that device plugins make."""

from collections.abc import Mapping
from functools import cached_property

from podwire.facts.inventory import Inventory
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.wire.joined.by_key import by_key
from podwire.wire.joined.images import Sighting, sightings, version_of
from podwire.wire.joined.plugin_sources import plugins_in
from podwire.wire.joined.plugins import Plugin, Pool, pools_of
from podwire.wire.joined.sriov_configs import unnamed_plugins


class ProgramIndex:
    """Worked out when first asked for, once. `views` are all pods and templates."""

    def __init__(self, facts: Inventory, views: tuple[PodView, ...]) -> None:
        self._facts = facts
        self._views = views
        self._versions: dict[tuple[str, str], Answer[Version]] = {}

    @cached_property
    def _seen(self) -> tuple[Sighting, ...]:
        named = sightings(self._views)
        return (*named, *unnamed_plugins(self._views, facts=self._facts, named=named))

    @cached_property
    def _by_component(self) -> Mapping[str, tuple[Sighting, ...]]:
        return by_key((s.component, s) for s in self._seen)

    @cached_property
    def _on_node(self) -> Mapping[tuple[str, str], tuple[Sighting, ...]]:
        return by_key(((s.component, s.node), s) for s in self._seen if s.node)

    def seen(self, component: str) -> tuple[Sighting, ...]:
        """Give the containers in sight that run a program."""
        return self._by_component.get(component, ())

    def version(self, component: str, node: str = "") -> Answer[Version]:
        """Say which version of a program runs on a node, or anywhere."""
        key = (component, node)
        if node and key not in self._on_node:
            return self.version(component)
        if key not in self._versions:
            seen = self._on_node.get(key) or self._by_component.get(component, ())
            self._versions[key] = version_of(component, node=node, seen=seen, facts=self._facts)
        return self._versions[key]

    @cached_property
    def plugins(self) -> tuple[Plugin, ...]:
        """Device plugins that make pools."""
        return tuple(plugins_in(self._facts, seen=self._seen, versions=self.version))

    @cached_property
    def pools(self) -> tuple[Pool, ...]:
        """Every entry of every configuration that can be read."""
        return tuple(pool for plugin in self.plugins for pool in pools_of(plugin))

    @cached_property
    def by_plugin(self) -> Mapping[str, tuple[Pool, ...]]:
        """Pools by the key of the plugin that makes them."""
        return by_key((pool.plugin.key, pool) for pool in self.pools)

    @cached_property
    def by_resource(self) -> Mapping[ResourceName, tuple[Pool, ...]]:
        """Pools by the resource that they make."""
        return by_key((pool.resource, pool) for pool in self.pools if pool.resource is not None)
