"""The whole picture: facts, the peers' answers and the indexes that rules read.

Everything is worked out when first asked for, once, and never changed. When facts change
(`agent`), a new picture is made.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from podwire.facts.inventory import Inventory
from podwire.facts.node import NodeFiles
from podwire.facts.objects import ApiObject, Event, Network, Node
from podwire.facts.workloads import PodView, Stage
from podwire.model.evidence import Answer, Known, Unknown, any_of, derived
from podwire.model.names import Ref, ResourceName
from podwire.model.versions import Version
from podwire.peers import resources_injector
from podwire.peers.sriovdp.fates import Filled
from podwire.wire.joined.by_key import by_key
from podwire.wire.joined.candidates import Candidates
from podwire.wire.joined.cnis import Cni, takes_rdma
from podwire.wire.joined.fills import Machine
from podwire.wire.joined.gpu_sight import has_gpus
from podwire.wire.joined.holders import Holder
from podwire.wire.joined.made_names import MadeNames
from podwire.wire.joined.namesakes import Namesakes
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.offers import Offer
from podwire.wire.joined.owners import root_of
from podwire.wire.joined.passed import Passed
from podwire.wire.joined.plugins import Plugin, Pool
from podwire.wire.joined.pod_index import PodIndex
from podwire.wire.joined.pod_parts import PodContainer, PodResource, containers_of, resources_of
from podwire.wire.joined.pods import Attachment, WiredPod, resource_named_by
from podwire.wire.joined.program_index import ProgramIndex
from podwire.wire.joined.reach import Reach, reach_of
from podwire.wire.joined.supply import (
    NO_CLASS,
    are_classes_known,
    for_networks,
    makes,
)

if TYPE_CHECKING:
    from podwire.wire.doors.changes import Change
    from podwire.wire.doors.doors import Doors
    from podwire.wire.gpu.gpus import Gpus
    from podwire.wire.node_setup.sight import NodeSetups


class Picture:
    """What rules, `trace` and later the webhook and the agent look at."""

    def __init__(self, facts: Inventory) -> None:
        self.facts = facts
        self._pods = PodIndex(facts)
        self._offered: dict[ResourceName, Answer[bool]] = {}
        self._made: dict[ResourceName, Answer[bool]] = {}
        self._reaches: dict[tuple[bytes, ResourceName], Reach] = {}

    # --- pods ---------------------------------------------------------------------------

    @property
    def templates(self) -> tuple[PodView, ...]:
        """The templates of all workloads that no workload in sight made."""
        return self._pods.templates

    @property
    def pods(self) -> tuple[PodView, ...]:
        """All pods that exist or were given."""
        return self._pods.pods

    @property
    def views(self) -> tuple[PodView, ...]:
        """Every pod, and every template that stands for pods which are not in sight."""
        return self._pods.views

    @property
    def wired(self) -> tuple[WiredPod, ...]:
        """Pods and templates that name networks or request devices."""
        return self._pods.wired

    def wire(self, view: PodView) -> WiredPod | None:
        """Wire one pod; None where it neither names networks nor requests devices."""
        return self._pods.wire(view)

    def is_made(self, workload: ApiObject) -> bool:
        """Say whether another workload in sight made this one."""
        return self._pods.is_made(workload)

    def root(self, pod: PodView) -> Ref:
        """Name the workload that is one for all pods made from one template."""
        return root_of(pod, facts=self.facts)

    def kin(self, pod: PodView) -> str:
        """Name what is one for all pods that are alike: the root, and the role in it."""
        return f"{self.root(pod)} {pod.role}".strip()

    @property
    def roots(self) -> Mapping[Ref, tuple[PodView, ...]]:
        """The living pods by the workload at their root."""
        return self._pods.roots

    @property
    def by_root(self) -> Mapping[Ref, tuple[WiredPod, ...]]:
        """Wired pods and templates that have not ended, by the workload at their root."""
        return self._pods.by_root

    @property
    def by_network(self) -> Mapping[Ref, tuple[WiredPod, ...]]:
        """Pods that have not ended, by the networks that they name."""
        return self._pods.by_network

    @property
    def reported(self) -> frozenset[str]:
        """The networks that Multus reported to have attached to living pods."""
        return self._pods.reported

    @property
    def by_resource(self) -> Mapping[ResourceName, tuple[WiredPod, ...]]:
        """Pods that have not ended, by the resources that they request."""
        return self._pods.by_resource

    @property
    def on_node(self) -> Mapping[str, tuple[WiredPod, ...]]:
        """Wired pods that have not ended, by the node they are bound to."""
        return self._pods.on_node

    @cached_property
    def pod_resources(self) -> tuple[PodResource, ...]:
        """Each resource of each pod that has not ended."""
        return tuple(r for pod in self._pods.current for r in resources_of(pod))

    @cached_property
    def containers(self) -> tuple[PodContainer, ...]:
        """Each container of each wired pod that has not ended."""
        return tuple(c for pod in self._pods.current for c in containers_of(pod))

    @cached_property
    def attachments(self) -> tuple[Attachment, ...]:
        """All attachments of all pods that have not ended."""
        return tuple(a for pod in self._pods.current for a in pod.attachments)

    @cached_property
    def pending(self) -> Mapping[ResourceName, int]:
        """Count the pods that exist and have no node yet, by the resources that they request."""
        return {
            resource: sum(pod.pod.stage is Stage.CREATED for pod in pods)
            for resource, pods in self.by_resource.items()
        }

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

    # --- networks -----------------------------------------------------------------------

    def cni(self, nad: Network) -> Cni:
        """Give what the CNI of a network is told."""
        return self._pods.cnis[nad.ref]

    @cached_property
    def networks_of(self) -> Mapping[ResourceName, tuple[Network, ...]]:
        """NADs in sight by the resource that they ask for."""
        named = ((resource_named_by(nad), nad) for nad in self.facts.networks.items)
        return by_key((resource, nad) for resource, nad in named if resource is not None)

    @cached_property
    def infiniband_networks(self) -> Mapping[ResourceName, Network]:
        """The first NAD of each resource that ib-sriov attaches, machines' left out."""
        every = ((r, nad) for r, nads in self.networks_of.items() for nad in reversed(nads))
        return {r: nad for r, nad in every if takes_rdma(self.cni(nad))}

    # --- programs -----------------------------------------------------------------------

    @cached_property
    def _programs(self) -> ProgramIndex:
        return ProgramIndex(self.facts, (*self.pods, *self.templates))

    @cached_property
    def _nodes(self) -> NodeIndex:
        return NodeIndex(self.facts, pods=self._pods, programs=self._programs)

    def version(self, component: str, node: str = "") -> Answer[Version]:
        """Say which version of a program runs on a node, or anywhere."""
        return self._programs.version(component, node)

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """Device plugins that make pools."""
        return self._programs.plugins

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Every entry of every configuration that can be read."""
        return self._programs.pools

    @property
    def pools_by_plugin(self) -> Mapping[str, tuple[Pool, ...]]:
        """Pools by the key of the plugin that makes them."""
        return self._programs.by_plugin

    @property
    def pools_of(self) -> Mapping[ResourceName, tuple[Pool, ...]]:
        """Pools by the resource that they make."""
        return self._programs.by_resource

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
        return self._nodes.node(name)

    def files(self, name: str) -> NodeFiles | None:
        """Give the files of a node, where any were given."""
        return self._nodes.files(name)

    def candidates(self, pod: PodView) -> Candidates:
        """Give every node that the scheduler may choose, resources aside."""
        return self._nodes.candidates(pod)

    # --- devices ------------------------------------------------------------------------

    def machine(self, node: str, plugin: Plugin) -> Machine:
        """Give a node as a device plugin meets it."""
        return self._nodes.machine(node, plugin)

    def fill(self, plugin: Plugin, node: str, *, as_started: bool = True) -> Answer[Filled | None]:
        """Say how a plugin fills its pools on a node; None: it does not run there.

        `as_started`: as its container found the node; else as if no pod held a VF.
        """
        return self._nodes.fill(plugin, node, as_started=as_started)

    def holders(self, node: str) -> tuple[Holder, ...]:
        """Say which pods hold which functions of a node, as far as anything tells."""
        return self._nodes.holders(node)

    def passed(self, pod: WiredPod) -> tuple[Passed, ...]:
        """Say which device Multus passes to each attachment of a pod, in their order."""
        return self._nodes.passed(pod)

    def offer(self, resource: ResourceName, node: str) -> Answer[Offer]:
        """Say how many devices of a resource a node offers."""
        return self._nodes.offer(resource, node)

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
        key = (candidates.key, resource)
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
    def names_on_nodes(self) -> MadeNames:
        """Those of nodes, to be looked up by names that are like them."""
        return MadeNames(self.on_nodes)

    @cached_property
    def made_names(self) -> MadeNames:
        """All that are made, to be looked up in the same way."""
        return MadeNames(self.all_made)

    @cached_property
    def network_resources(self) -> frozenset[ResourceName]:
        """Resources that are for networks: a NAD names them or a pool of NICs makes them."""
        pooled = (name for name, pools in self.pools_of.items() if for_networks(pools))
        return frozenset((*self.networks_of, *pooled))

    # --- GPUs ---------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> "Gpus | None":
        """The GPU half; None where nothing in sight is about it."""
        if not has_gpus(self.facts, programs=self._programs, views=self.views):
            return None
        from podwire.wire.gpu.gpus import Gpus  # noqa: PLC0415 - a start without GPUs is fast

        return Gpus(self.facts, pods=self._pods, programs=self._programs, nodes=self._nodes)

    @cached_property
    def doors(self) -> "Doors | None":
        """The ways in to GPUs that nobody gave; None where nothing in sight is about GPUs."""
        if self.gpus is None:
            return None
        from podwire.wire.doors.doors import Doors  # noqa: PLC0415 - as the GPU half

        return Doors(self.gpus, pods=self._pods, nodes=self._nodes)

    def gpus_after(self, changes: "Iterable[Change]") -> "Gpus":
        """Give the GPU half as it would be after changes; nothing else is changed."""
        from podwire.wire.doors.changed import Changed  # noqa: PLC0415 - `guard` alone asks

        return Changed(
            self.facts, changes, pods=self._pods, programs=self._programs, nodes=self._nodes
        )

    # --- set-up of nodes ----------------------------------------------------------------

    @cached_property
    def node_setups(self) -> "NodeSetups | None":
        """The .link files and units of the nodes in sight; None where there are none."""
        files = self.facts.node_files.values()
        if not any("systemd/" in name or name == "dmesg.txt" for f in files for name in f.files):
            return None
        from podwire.wire.node_setup.sight import NodeSetups  # noqa: PLC0415 - few runs have any

        return NodeSetups(self.facts.node_files)

    # --- objects ------------------------------------------------------------------------

    @cached_property
    def events_of(self) -> Mapping[Ref, tuple[Event, ...]]:
        """Events by the object that they are about."""
        return by_key(
            (Ref(kind=of.kind, name=of.name, namespace=of.namespace), event)
            for event in self.facts.events.items
            for of in (event.involved_object,)
        )

    def find(self, ref: Ref) -> ApiObject | None:
        """Give an object in sight by its name."""
        objects = self.facts.of_kind(ref.kind)
        return objects.by_name.get((ref.namespace, ref.name)) if objects else None

    def namesakes(self, wanted: Ref) -> tuple[Ref, ...]:
        """Say which networks one that does not exist may mean."""
        return self._namesakes.of(wanted)

    @cached_property
    def _namesakes(self) -> Namesakes:
        return Namesakes(self.facts.networks)

    def annotations(self, ref: Ref, key: str) -> Iterator[str]:
        """Read an annotation of an object, of its templates and of the workload above it.

        Of a workload with several templates only those that the part of `ref` belongs to.
        """
        found = self.find(ref)
        if found is None:
            return
        if key in found.metadata.annotations:
            yield found.metadata.annotations[key]
        for view in self._pods.of.get(found.ref, ()):
            if view.is_template and view.ref.covers(ref) and key in view.metadata.annotations:
                yield view.metadata.annotations[key]
            above = self.root(view)
            if above != ref.whole:
                yield from self.annotations(above, key)


def _is_any(offer: Offer) -> bool:
    return offer.is_any
