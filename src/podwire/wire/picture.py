"""The whole picture: facts, the peers' answers and the indexes that rules read.

Everything is worked out when first asked for, once, and never changed. When facts change
(`agent`), a new picture is made.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from podwire.facts.inventory import Inventory
from podwire.facts.node import NodeFiles
from podwire.facts.objects import ApiObject, Network, Node
from podwire.facts.workloads import PodView, Stage, view_of, views_of
from podwire.model.evidence import Answer, Known, Unknown, any_of, derived
from podwire.model.names import Ref, ResourceName
from podwire.model.versions import Version
from podwire.peers import resources_injector
from podwire.peers.sriovdp.fates import Filled
from podwire.wire.joined.candidates import Candidates, candidates_for, scheduling_key
from podwire.wire.joined.fills import Machine, fill_on
from podwire.wire.joined.holders import Holder, holders_on
from podwire.wire.joined.images import SRIOV_PLUGIN, Sighting, sightings, version_of
from podwire.wire.joined.namesakes import namesakes_of
from podwire.wire.joined.offers import Offer, offer_of
from podwire.wire.joined.owners import root_of
from podwire.wire.joined.plugins import SOURCES, Plugin, Pool, pools_of
from podwire.wire.joined.pod_parts import PodContainer, PodResource, containers_of, resources_of
from podwire.wire.joined.pods import Attachment, WiredPod, resource_of, wired
from podwire.wire.joined.reach import Reach, reach_of
from podwire.wire.joined.supply import (
    NO_CLASS,
    are_classes_known,
    for_networks,
    makes,
    modelled,
    served_by_class,
)


class Picture:
    """What rules, `trace` and later the webhook and the agent look at."""

    def __init__(self, facts: Inventory) -> None:
        self.facts = facts
        self._fills: dict[tuple[int, str, bool], Answer[Filled | None]] = {}
        self._offered: dict[ResourceName, Answer[bool]] = {}
        self._offers: dict[tuple[ResourceName, str], Answer[Offer]] = {}
        self._holders: dict[str, tuple[Holder, ...]] = {}
        self._versions: dict[tuple[str, str], Answer[Version]] = {}
        self._candidates: dict[bytes, Candidates] = {}
        self._namesakes: dict[Ref, tuple[Ref, ...]] = {}
        self._made: dict[ResourceName, Answer[bool]] = {}
        self._reaches: dict[tuple[int, ResourceName], Reach] = {}

    # --- pods ---------------------------------------------------------------------------

    @cached_property
    def templates(self) -> tuple[PodView, ...]:
        """The templates of all workloads that no workload in sight made."""
        return tuple(
            view
            for objects in self.facts.workloads.values()
            for workload in objects.items
            if not self.is_made(workload)
            for view in views_of(workload)
            if isinstance(view, PodView)
        )

    def is_made(self, workload: ApiObject) -> bool:
        """Say whether another workload in sight made this one."""
        owners = (o for o in workload.metadata.owner_references if o.controller)
        namespace = workload.metadata.namespace
        return any(
            (namespace, owner.name) in self.facts.workloads[owner.kind].by_name
            for owner in owners
            if owner.kind in self.facts.workloads
        )

    @cached_property
    def pods(self) -> tuple[PodView, ...]:
        """All pods that exist or were given."""
        return tuple(map(view_of, self.facts.pods.items))

    @cached_property
    def roots(self) -> Mapping[Ref, int]:
        """Count the living pods by the workload at their root."""
        counts: dict[Ref, int] = defaultdict(int)
        for pod in self.pods:
            if pod.stage not in {Stage.OVER, Stage.PLANNED}:
                counts[self.root(pod)] += 1
        return counts

    def root(self, pod: PodView) -> Ref:
        """Name the workload that is one for all pods made from one template."""
        return root_of(pod, facts=self.facts)

    @cached_property
    def views(self) -> tuple[PodView, ...]:
        """Every pod, and every template that stands for pods which are not in sight.

        A template of which living pods are in sight is left out: they are what became of it.
        """
        return (
            *self.pods,
            *(
                template
                for template in self.templates
                if not template.of.document.origin.is_observed or not self.roots.get(template.ref)
            ),
        )

    @cached_property
    def wired(self) -> tuple[WiredPod, ...]:
        """Pods and templates that name networks or request devices."""
        found = (wired(view, facts=self.facts) for view in self.views)
        return tuple(pod for pod in found if pod is not None)

    @cached_property
    def by_root(self) -> Mapping[Ref, tuple[WiredPod, ...]]:
        """Wired pods and templates that have not ended, by the workload at their root."""
        found: dict[Ref, list[WiredPod]] = defaultdict(list)
        for pod in self.wired:
            if not pod.is_over:
                found[self.root(pod.pod)].append(pod)
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def pod_resources(self) -> tuple[PodResource, ...]:
        """Each resource of each pod that has not ended."""
        return tuple(r for pod in self.wired if not pod.is_over for r in resources_of(pod))

    @cached_property
    def containers(self) -> tuple[PodContainer, ...]:
        """Each container of each wired pod that has not ended."""
        return tuple(c for pod in self.wired if not pod.is_over for c in containers_of(pod))

    @cached_property
    def attachments(self) -> tuple[Attachment, ...]:
        """All attachments of all pods that have not ended."""
        return tuple(a for pod in self.wired if not pod.is_over for a in pod.attachments)

    @cached_property
    def by_network(self) -> Mapping[tuple[str, str], tuple[WiredPod, ...]]:
        """Pods that have not ended, by namespace and name of the networks they name."""
        found: dict[tuple[str, str], dict[int, WiredPod]] = defaultdict(dict)
        for pod in self.wired:
            for attachment in () if pod.is_over else pod.attachments:
                selection = attachment.selection
                found[selection.namespace, selection.name][id(pod)] = pod
        return {key: tuple(value.values()) for key, value in found.items()}

    @cached_property
    def networks_of(self) -> Mapping[ResourceName, tuple[Network, ...]]:
        """NADs in sight by the resource that they ask for."""
        found: dict[ResourceName, list[Network]] = defaultdict(list)
        for nad in self.facts.networks.items:
            if (resource := resource_of(nad)) is not None:
                found[resource].append(nad)
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def by_resource(self) -> Mapping[ResourceName, tuple[WiredPod, ...]]:
        """Pods that have not ended, by the resources that they request."""
        found: dict[ResourceName, list[WiredPod]] = defaultdict(list)
        for pod in self.wired:
            for resource in () if pod.is_over else pod.resources:
                found[resource].append(pod)
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def waiting(self) -> Mapping[ResourceName, int]:
        """Count the pods that exist and have no node yet, by the resources that they request."""
        return {
            resource: sum(pod.pod.stage is Stage.CREATED for pod in pods)
            for resource, pods in self.by_resource.items()
        }

    @cached_property
    def on_node(self) -> Mapping[str, tuple[WiredPod, ...]]:
        """Wired pods that have not ended, by the node they are bound to."""
        found: dict[str, list[WiredPod]] = defaultdict(list)
        for pod in self.wired:
            if pod.pod.stage in {Stage.BOUND, Stage.UP}:
                found[pod.pod.spec.node_name].append(pod)
        return {key: tuple(value) for key, value in found.items()}

    def is_completed(self, pod: PodView) -> Answer[bool]:
        """Say whether the network-resources-injector will add requests to this pod.

        A pod that exists has been through all webhooks: what it lacks it will not get.
        """
        if pod.stage is not Stage.PLANNED:
            return Known(value=False)
        return resources_injector.completes(
            pod.namespace,
            labels=pod.metadata.labels,
            webhooks=self.facts.webhooks,
            namespaces=self.facts.namespaces,
        )

    # --- programs -----------------------------------------------------------------------

    @cached_property
    def sightings(self) -> Mapping[str, tuple[Sighting, ...]]:
        """Containers of programs that podwire knows, by program."""
        found: dict[str, list[Sighting]] = defaultdict(list)
        for sighting in sightings((*self.pods, *self.templates)):
            found[sighting.component].append(sighting)
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def _sightings_on(self) -> Mapping[tuple[str, str], tuple[Sighting, ...]]:
        """The same, by program and node."""
        found: dict[tuple[str, str], list[Sighting]] = defaultdict(list)
        for seen in self.sightings.values():
            for sighting in seen:
                if sighting.node:
                    found[sighting.component, sighting.node].append(sighting)
        return {key: tuple(value) for key, value in found.items()}

    def version(self, component: str, node: str = "") -> Answer[Version]:
        """Say which version of a program runs on a node, or anywhere."""
        key = (component, node)
        if node and key not in self._sightings_on:
            return self.version(component)
        if key not in self._versions:
            seen = self._sightings_on.get(key) or self.sightings.get(component, ())
            self._versions[key] = version_of(component, node=node, seen=seen, facts=self.facts)
        return self._versions[key]

    @cached_property
    def plugins(self) -> tuple[Plugin, ...]:
        """Device plugins that make pools."""
        seen = tuple(s for found in self.sightings.values() for s in found)
        return tuple(
            plugin
            for source in SOURCES
            for plugin in source(self.facts, seen=seen, versions=self.version)
        )

    @cached_property
    def pools(self) -> tuple[Pool, ...]:
        """Every entry of every configuration that can be read."""
        return tuple(pool for plugin in self.plugins for pool in pools_of(plugin))

    @cached_property
    def pools_by_plugin(self) -> Mapping[int, tuple[Pool, ...]]:
        """Pools by `id` of the plugin that makes them."""
        return {id(plugin): tuple(pools_of(plugin)) for plugin in self.plugins}

    @cached_property
    def pools_of(self) -> Mapping[ResourceName, tuple[Pool, ...]]:
        """Pools by the resource that they make."""
        found: dict[ResourceName, list[Pool]] = defaultdict(list)
        for pool in self.pools:
            if pool.resource is not None:
                found[pool.resource].append(pool)
        return {key: tuple(value) for key, value in found.items()}

    # --- nodes --------------------------------------------------------------------------

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Nodes of which the object or files are in sight."""
        objects = (n.metadata.name for n in self.facts.nodes.items)
        return tuple(sorted({*objects, *self.facts.node_files}))

    @cached_property
    def runtimes(self) -> frozenset[str]:
        """The container runtimes of the nodes in sight, as they name themselves."""
        return frozenset(
            node.status.node_info.container_runtime_version for node in self.facts.nodes.items
        )

    def node(self, name: str) -> Node | None:
        """Give the Node object, where it is in sight."""
        return self.facts.nodes.by_name.get(("", name))

    def files(self, name: str) -> NodeFiles | None:
        """Give the files of a node, where any were given."""
        return self.facts.node_files.get(name)

    def candidates(self, pod: PodView) -> Candidates:
        """Give every node that the scheduler may choose, resources aside."""
        key = scheduling_key(pod.spec)
        if key not in self._candidates:
            self._candidates[key] = candidates_for(pod.spec, nodes=self.facts.nodes)
        return self._candidates[key]

    # --- devices ------------------------------------------------------------------------

    def fill(self, plugin: Plugin, node: str, *, as_started: bool = True) -> Answer[Filled | None]:
        """Say how a plugin fills its pools on a node; None: it does not run there.

        `as_started`: as its container found the node; else as if no pod held a VF.
        """
        key = (id(plugin), node, as_started)
        if key not in self._fills:
            self._fills[key] = fill_on(self.machine(node), plugin=plugin, as_started=as_started)
        return self._fills[key]

    def machine(self, node: str) -> Machine:
        """Give a node as a device plugin meets it."""
        return Machine(
            name=node,
            node=self.node(node),
            files=self.files(node),
            version=self.version(SRIOV_PLUGIN, node),
            holders=self.holders(node),
        )

    def holders(self, node: str) -> tuple[Holder, ...]:
        """Say which pods hold which functions of a node, as far as anything tells."""
        if node not in self._holders:
            pods = self.on_node.get(node, ())
            self._holders[node] = tuple(holders_on(pods=pods, files=self.files(node)))
        return self._holders[node]

    def offer(self, resource: ResourceName, node: str) -> Answer[Offer]:
        """Say how many devices of a resource a node offers.

        A pool that is only planned cannot have shown in the node's capacity yet: then the
        model answers where the node has none. What a DeviceClass serves is not counted.
        """
        key = (resource, node)
        if key not in self._offers:
            self._offers[key] = self._offer(resource, node)
        return self._offers[key]

    def _offer(self, resource: ResourceName, node: str) -> Answer[Offer]:
        served = served_by_class(resource, facts=self.facts)
        if served is not None:
            return served
        pools = self.pools_of.get(resource, ())
        return offer_of(
            resource,
            node=self.node(node),
            files=self.files(node),
            name=node,
            model=modelled(pools, fill=lambda plugin: self.fill(plugin, node), node=node),
            is_planned=any(not pool.plugin.is_applied for pool in pools),
        )

    def offered(self, resource: ResourceName) -> Answer[bool]:
        """Say whether any node has the resource, in health or not; no needs all nodes."""
        if resource not in self._offered:
            every = self.facts.nodes.all_in()
            rest = (every,) if isinstance(every, Unknown) else ()
            nodes = (derived(self.offer(resource, n), _is_any) for n in self.node_names)
            self._offered[resource] = any_of((*nodes, *rest))
        return self._offered[resource]

    def reach(self, pod: PodView, resource: ResourceName) -> Reach:
        """Say which of the nodes that a pod may run on offer a resource, and how much."""
        candidates = self.candidates(pod)
        key = (id(candidates), resource)
        if key not in self._reaches:
            self._reaches[key] = reach_of(
                candidates,
                offer=lambda node: self.offer(resource, node),
                used=lambda node: sum(p.demand(resource) for p in self.on_node.get(node, ())),
                assumes=() if are_classes_known(self.facts) else (NO_CLASS,),
            )
        return self._reaches[key]

    def makes(self, resource: ResourceName) -> Answer[bool]:
        """Say whether anything makes a resource: a pool, a node, a DeviceClass."""
        if resource not in self._made:
            self._made[resource] = makes(
                resource,
                pools=self.pools_of,
                plugins=self.plugins,
                on_nodes=self.on_nodes,
                facts=self.facts,
            )
        return self._made[resource]

    @cached_property
    def on_nodes(self) -> frozenset[ResourceName]:
        """All extended resources in the capacity of nodes."""
        names = (n for node in self.facts.nodes.items for n in node.status.capacity or ())
        return frozenset(filter(None, map(ResourceName.maybe, names)))

    @cached_property
    def all_made(self) -> frozenset[ResourceName]:
        """All resources that a pool makes or a node has."""
        return frozenset(self.pools_of) | self.on_nodes

    @cached_property
    def network_resources(self) -> frozenset[ResourceName]:
        """Resources that are for networks: a NAD names them or a pool of NICs makes them."""
        named = (resource_of(nad) for nad in self.facts.networks.items)
        pooled = (name for name, pools in self.pools_of.items() if for_networks(pools))
        return frozenset((*(r for r in named if r is not None), *pooled))

    # --- objects ------------------------------------------------------------------------

    def find(self, ref: Ref) -> ApiObject | None:
        """Give an object in sight by its name."""
        objects = self.facts.of_kind(ref.kind)
        return objects.by_name.get((ref.namespace, ref.name)) if objects else None

    def namesakes(self, wanted: Ref) -> tuple[Ref, ...]:
        """Say which networks one that does not exist may mean."""
        if wanted not in self._namesakes:
            self._namesakes[wanted] = namesakes_of(wanted, networks=self.facts.networks)
        return self._namesakes[wanted]

    def annotations(self, ref: Ref, key: str) -> Iterator[str]:
        """Read an annotation of an object, of its template and of the workload above it."""
        found = self.find(ref)
        if found is None:
            return
        yield from _values([found.metadata.annotations], key)
        for view in self._views_of(found):
            yield from _values([view.metadata.annotations], key)
            above = self.root(view)
            if above != ref.whole:
                yield from self.annotations(above, key)

    def _views_of(self, found: ApiObject) -> tuple[PodView, ...]:
        if found.ref in self._views:
            return self._views[found.ref]
        return ()

    @cached_property
    def _views(self) -> Mapping[Ref, tuple[PodView, ...]]:
        views: dict[Ref, list[PodView]] = defaultdict(list)
        for view in (*self.pods, *self.templates):
            views[view.ref].append(view)
        return {key: tuple(value) for key, value in views.items()}


def _is_any(offer: Offer) -> bool:
    return offer.is_any


def _values(annotations: Iterable[Mapping[str, str]], key: str) -> Iterator[str]:
    for mapping in annotations:
        if key in mapping:
            yield mapping[key]
