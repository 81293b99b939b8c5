"""Pools on nodes: what the plugin's model says of one, beside what the node itself says."""

from collections.abc import Iterator

import msgspec

from podwire.model.evidence import Answer, Known, Place, Unknown, any_of, derived
from podwire.model.names import Ref, ResourceName
from podwire.peers.sriovdp.fates import Filled, PoolFill
from podwire.peers.sriovdp.records import Entry
from podwire.wire.joined.offers import Offer, by_node
from podwire.wire.joined.plugins import Plugin, Pool
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture


class PoolNode(msgspec.Struct, frozen=True):
    """One pool on one node, whether its plugin runs there or not."""

    pool: Pool
    node: str

    @property
    def ref(self) -> Ref:
        """The pool on this node, as a part of what configures it."""
        return self.pool.ref.at(self.node)

    @property
    def resource(self) -> ResourceName:
        """What it makes; only pools whose name is accepted are on nodes."""
        return named(self.pool)

    @property
    def node_ref(self) -> Ref:
        """The resource, as a part of the node."""
        return node_part(self.node, self.resource)


class Found(msgspec.Struct, frozen=True):
    """What the model says of one pool on a node, with all the others."""

    filled: Filled
    pool: PoolFill


class Outlived(msgspec.Struct, frozen=True):
    """A resource that a node still advertises, though its plugin's configuration denies it."""

    node: str
    resource: ResourceName
    count: int
    place: Place


def node_part(node: str, resource: ResourceName) -> Ref:
    """Name a resource as a part of a node."""
    return Ref(kind="Node", name=node).at(str(resource))


def named(pool: Pool) -> ResourceName:
    """Name what a pool is to make, also where the plugin refuses the name."""
    entry = pool.entry
    return pool.resource or ResourceName(prefix=entry.prefix, name=entry.resource_name)


def pool_nodes(picture: Picture) -> tuple[PoolNode, ...]:
    """Put every pool with an accepted name on every node in sight."""
    return tuple(
        PoolNode(pool=pool, node=node)
        for pool in picture.pools
        if pool.resource is not None
        for node in picture.node_names
    )


def found_at(at: PoolNode, picture: Picture, *, as_started: bool = True) -> Answer[Found | None]:
    """Say how the plugin fills the pool there.

    None: it does not, for it does not run there, it ends, or it drops the pool.
    """
    config = at.pool.plugin.config
    if isinstance(config, Known) and isinstance(config.value.is_fatal, Unknown):
        return config.value.is_fatal
    filled = picture.fill(at.pool.plugin, at.node, as_started=as_started)
    return derived(filled, lambda value: _found(value, at.pool.entry))


def _found(filled: Filled | None, entry: Entry) -> Found | None:
    pool = filled.pool(entry) if filled else None
    return Found(filled=filled, pool=pool) if filled and pool else None


def elsewhere(at: PoolNode, picture: Picture) -> Answer[bool]:
    """Say whether any node has, or will have, a member of the pool; no needs all nodes.

    What nodes advertise now says nothing about a configuration that is yet to be applied.
    """
    if at.pool.plugin.is_applied:
        return picture.offered(at.resource)
    every = picture.facts.nodes.all_in()
    rest = (every,) if isinstance(every, Unknown) else ()
    nodes = (PoolNode(pool=at.pool, node=node) for node in picture.node_names)
    return any_of((*(_has_members(node, picture) for node in nodes), *rest))


def _has_members(at: PoolNode, picture: Picture) -> Answer[bool]:
    found = found_at(at, picture)
    if isinstance(found, Unknown) or found.value is None:
        return derived(found, lambda _: False)
    empty = found.value.pool.is_empty
    return empty if isinstance(empty, Unknown) else Known(value=not empty.value)


def seen_at(at: PoolNode, picture: Picture) -> Offer | None:
    """Give what the Node itself says of the resource; None where nobody read that."""
    return seen(at.resource, at.node, picture)


def seen(resource: ResourceName, node: str, picture: Picture) -> Offer | None:
    """Give what a Node says of a resource; None where nobody read that."""
    offer = by_node(resource, picture.node(node), node)
    return offer.value if isinstance(offer, Known) else None


def outlived(plugin: Plugin, picture: Picture) -> Outlived | None:
    """Find a resource of a plugin that a node where it runs still advertises.

    Then the plugin there started with another configuration than the one in sight, and
    what this one does happens at its next start.
    """
    if not plugin.is_applied:
        return None
    return next(_outlived(plugin, picture), None)


def _outlived(plugin: Plugin, picture: Picture) -> Iterator[Outlived]:
    for name in picture.node_names:
        node = picture.node(name)
        runs = plugin.runs_on(node, name=name)
        if node is None or not (isinstance(runs, Known) and runs.value):
            continue
        for pool in picture.pools_by_plugin.get(plugin.key, ()):
            resource = named(pool)
            offer = seen(resource, name, picture)
            if offer is not None and offer.allocatable:
                place = node.place("status", "allocatable", str(resource))
                yield Outlived(node=name, resource=resource, count=offer.allocatable, place=place)


def waiting(resource: ResourceName, picture: Picture, *, node: str = "") -> tuple[WiredPod, ...]:
    """Give the pods that request a resource and have no node yet; `node`: and may go there."""
    return tuple(
        pod
        for pod in picture.by_resource.get(resource, ())
        if not pod.pod.spec.node_name and _may_go(pod, node, picture)
    )


def _may_go(pod: WiredPod, node: str, picture: Picture) -> bool:
    if not node or picture.node(node) is None:
        return True
    return node in picture.candidates(pod.pod).names


def holding(resource: ResourceName, picture: Picture, *, node: str) -> tuple[WiredPod, ...]:
    """Give the pods on a node that hold devices of a resource."""
    return tuple(pod for pod in picture.on_node.get(node, ()) if pod.demand(resource))
