"""Network resources of nodes: what the Node says of each, and what its plugin does there."""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import ContainerStatus, Node, Pod
from podwire.facts.workloads import Stage
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.wire.joined.offers import Offer, by_node
from podwire.wire.joined.plugins import Plugin
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture
from podwire.wire.pools.on_nodes import PoolNode, holding, node_part, pool_nodes, waiting


class NodeResource(msgspec.Struct, frozen=True):
    """One network resource of one node, which the node may lack."""

    node: str
    resource: ResourceName

    @property
    def ref(self) -> Ref:
        """The resource, as a part of the node."""
        return node_part(self.node, self.resource)


class NodePool(PoolNode, frozen=True):
    """A pool on a node, where the node is what the verdict is about."""

    @property
    def ref(self) -> Ref:
        """The resource, as a part of the node."""
        return self.node_ref


def node_pools(picture: Picture) -> tuple[NodePool, ...]:
    """Put every pool on every node, for verdicts about nodes."""
    return tuple(NodePool(pool=at.pool, node=at.node) for at in pool_nodes(picture))


def node_resources(picture: Picture) -> tuple[NodeResource, ...]:
    """List the network resources that nodes have, and those that pods on them hold."""
    return tuple(
        NodeResource(node=node, resource=resource)
        for node in sorted({*picture.node_names, *picture.on_node})
        for resource in _resources(node, picture)
    )


def _resources(node: str, picture: Picture) -> tuple[ResourceName, ...]:
    found = picture.node(node)
    capacity = found.status.capacity if found else None
    offered = filter(None, map(ResourceName.maybe, capacity or ()))
    held = (r for pod in picture.on_node.get(node, ()) for r in pod.resources)
    return tuple(r for r in dict.fromkeys((*offered, *held)) if is_for_networks(r, picture))


def is_for_networks(resource: ResourceName, picture: Picture) -> bool:
    """Tell whether an SR-IOV pool makes it, or a network asks for it."""
    return resource in picture.pools_of or resource in picture.network_resources


def offer_at(at: NodeResource, picture: Picture) -> Answer[Offer]:
    """Say what the Node itself says of the resource."""
    return by_node(at.resource, picture.node(at.node), at.node)


def shown(at: NodeResource, node: Node) -> Iterator[tuple[Place, str]]:
    """Show capacity and allocatable as the Node has them."""
    for field in ("capacity", "allocatable"):
        counts = getattr(node.status, field)
        if counts is not None:
            yield (
                node.place("status", field, str(at.resource)),
                str(counts.get(str(at.resource), 0)),
            )


def is_running(plugin: Plugin, node: str) -> Answer[bool]:
    """Say whether the plugin's container runs on a node now."""
    pod = plugin.pods.get(node)
    if pod is None:
        return Unknown(
            reason=f"whether the device plugin runs on {node}",
            give="kubectl get pods -A -o json",
            fact="the pods of device plugins",
        )
    places = (pod.place("status", "containerStatuses"),)
    status = status_of(plugin, pod)
    if status is None:
        return Known(value=pod.status.phase == "Running", places=places)
    return Known(value=status.state.running is not None or bool(status.ready), places=places)


def status_of(plugin: Plugin, pod: Pod) -> ContainerStatus | None:
    """Give the status of the plugin's container."""
    statuses = pod.status.container_statuses
    return next((s for s in statuses if s.name == plugin.container), None)


def has_sole_maker(at: PoolNode, picture: Picture) -> bool:
    """Tell whether no other pool makes the resource: then the node's count is this pool's."""
    pools = picture.pools_of.get(at.resource, ())
    return sum(pool.plugin.is_for(at.node) for pool in pools) == 1


def stuck(at: NodePool | NodeResource, picture: Picture, *, most: int) -> tuple[WiredPod, ...]:
    """Give the pods that wait for the resource and would fit on the node, had it `most`.

    Others wait for something else as well: too many are in use, or they ask for too many.
    """
    used = sum(p.demand(at.resource) for p in holding(at.resource, picture, node=at.node))
    pods = waiting(at.resource, picture, node=at.node)
    return tuple(pod for pod in pods if pod.demand(at.resource) <= most - used)


def do_wait(pods: tuple[WiredPod, ...]) -> bool:
    """Tell whether one of them exists and has no node."""
    return any(pod.pod.stage is Stage.CREATED for pod in pods)
