"""Whether anything makes a resource, and how many the pool models count."""

from collections.abc import Callable, Iterable, Mapping

from podwire.facts.inventory import Inventory
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.peers import dra
from podwire.peers.sriovdp.fates import Filled
from podwire.peers.sriovdp.start import USERSPACE
from podwire.wire.joined.offers import Offer
from podwire.wire.joined.plugins import Plugin, Pool

NO_CLASS = "no DeviceClass serves an extended resource (DeviceClasses were not listed)"
NO_OTHER = "no device plugin makes more resources than the pools given"


def for_networks(pools: Iterable[Pool]) -> bool:
    """Say whether one of the pools of a resource holds devices that networks take.

    Accelerators have no interface, and what a user-space driver has needs no network.
    """
    return any(
        pool.entry.device_type != "accelerator" and not _is_userspace(pool) for pool in pools
    )


def _is_userspace(pool: Pool) -> bool:
    selectors = pool.entry.selectors
    return bool(selectors) and all(s.drivers and USERSPACE.issuperset(s.drivers) for s in selectors)


def served_by_class(resource: ResourceName, *, facts: Inventory) -> Answer[Offer] | None:
    """Say that a DeviceClass serves a resource: its devices are no device plugin's."""
    for device_class in facts.device_classes.items:
        if device_class.spec.extended_resource_name == str(resource):
            return Unknown(
                reason=f"{device_class.ref} serves {resource} by DRA, whose devices podwire "
                "does not count yet",
            )
    return None


def makes(
    resource: ResourceName,
    *,
    pools: Mapping[ResourceName, tuple[Pool, ...]],
    plugins: tuple[Plugin, ...],
    on_nodes: frozenset[ResourceName],
    facts: Inventory,
) -> Answer[bool]:
    """Say whether a pool, a node or a DeviceClass in sight has the resource.

    No needs that all could be seen: every plugin's configuration, or the capacity of all
    nodes. From pools alone it assumes that there are no others.
    """
    if resource in pools:
        return Known(value=True, places=(pools[resource][0].place("resourceName"),))
    if resource in on_nodes or served_by_class(resource, facts=facts) is not None:
        return Known(value=True)
    made = made_by_operator(
        resource, facts=facts, are_nodes_known=facts.nodes.is_complete()
    ) or _made_unseen(resource, pools=pools, plugins=plugins, facts=facts)
    if made is not None:
        return made
    places = tuple(p[0].place("resourceName") for p in list(pools.values())[:3])
    assumes = () if are_classes_known(facts) else (NO_CLASS,)
    nodes = facts.nodes
    if nodes.is_complete() and all(n.status.capacity is not None for n in nodes.items):
        return Known(value=False, places=places, assumes=assumes)
    if not pools:
        return Unknown(
            reason="neither device-plugin pools nor the capacity of all nodes was given",
            give="kubectl get nodes,configmaps -A -o json",
            fact="what makes a resource",
        )
    return Known(value=False, places=places, assumes=(NO_OTHER, *assumes))


def _made_unseen(
    resource: ResourceName,
    *,
    pools: Mapping[ResourceName, tuple[Pool, ...]],
    plugins: tuple[Plugin, ...],
    facts: Inventory,
) -> Unknown | None:
    """Say what of the plugins' configuration or flags is not in sight and may decide."""
    hidden = next((p.config for p in plugins if isinstance(p.config, Unknown)), None)
    if hidden is not None:
        return hidden
    maybe = unsure_of_prefix(resource, (p for found in pools.values() for p in found))
    shows = facts.nodes.is_complete() and all(p.plugin.is_applied for p in maybe)
    return prefix_of(maybe[0]) if maybe and not shows else None


def unsure_of_prefix(resource: ResourceName, pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """Pick the pools that make the resource if their plugin is started with its prefix."""
    return tuple(
        p for p in pools if p.has_assumed_prefix and p.entry.resource_name == resource.name
    )


def prefix_of(pool: Pool) -> Unknown:
    """Say that the prefix of a pool is not known."""
    return Unknown(
        reason=f"the --resource-prefix of the device plugin that reads {pool.text.owner}",
        give="kubectl get daemonsets -A -o json",
        fact="the resource prefix of device plugins",
    )


def made_by_operator(
    resource: ResourceName, *, facts: Inventory, are_nodes_known: bool
) -> Unknown | None:
    """Say that an operator may make the resource of an object in sight.

    What it made of one that was read from the cluster shows in the capacity of its nodes.
    """
    for other in facts.others:
        is_seen = other.document.origin.is_observed and are_nodes_known
        if other.makes_pool(resource.name) and not is_seen:
            return Unknown(
                reason=f"whether {other.ref} makes {resource}",
                give="kubectl get nodes,configmaps -A -o json",
                fact="the resources that operators make",
            )
    return None


def are_classes_known(facts: Inventory) -> bool:
    """Whether DeviceClasses were listed, or every kubelet is too old to know them."""
    if facts.device_classes.is_complete():
        return True
    versions = [n.status.node_info.kubelet_version for n in facts.nodes.items]
    return bool(versions) and not any(_may_serve(text) for text in versions)


def _may_serve(kubelet: str) -> bool:
    try:
        version = Version.parse(kubelet)
    except ValueError:
        return True
    serve = dra.classes_serve_resources(Known(value=version))
    return isinstance(serve, Unknown) or serve.value


def modelled(
    pools: Iterable[Pool], *, fill: Callable[[Plugin], Answer[Filled | None]], node: str
) -> Answer[int]:
    """Count what the pools of one resource hold on a node by the model.

    Of two plugins that both run there and register one name, kubelet keeps one list, and
    nobody can say whose.
    """
    found: list[Known[int]] = []
    for pool in pools:
        filled = fill(pool.plugin)
        if isinstance(filled, Unknown):
            return filled
        if filled.value is None:
            continue
        mine = filled.value.pool(pool.entry)
        members: Answer[tuple[PciAddress, ...]] = mine.members if mine else Known(value=())
        if isinstance(members, Unknown):
            return members
        found.append(Known(value=len(members.value), places=filled.places, assumes=filled.assumes))
    if len(found) > 1:
        return Unknown(reason=f"which of two device plugins on {node} serves one resource")
    return found[0] if found else Known(value=0)
