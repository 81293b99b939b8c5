"""Which device plugin serves GPUs on which node."""

from collections.abc import Iterator
from functools import cached_property

from podwire.facts.inventory import Inventory
from podwire.facts.node import Card
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.peers import gpu_operator
from podwire.peers.gpu_operator import PRESENT
from podwire.peers.hami import Setup
from podwire.peers.nvidia_plugin import GPU, VARIABLE
from podwire.wire.gpu.node_gpus import cards_of
from podwire.wire.gpu.plugin_configs import GpuList, hami_setup
from podwire.wire.gpu.records import NodePlugins, PluginOnNode, Policies
from podwire.wire.gpu.registrants import Registrant, registrants_in
from podwire.wire.joined.command_line import flag
from podwire.wire.joined.images import GPU_PROGRAMS, HAMI
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.offers import by_node
from podwire.wire.joined.program_index import ProgramIndex
from podwire.wire.joined.supply import served_by_class

_FORCE = "force-overwrite-default-scheduler"


class Plugins:
    """The device plugins for GPUs, in sight or told of by nodes."""

    def __init__(self, facts: Inventory, *, programs: ProgramIndex, nodes: NodeIndex) -> None:
        self.facts = facts
        self._programs = programs
        self._nodes = nodes

    @cached_property
    def hami_setup(self) -> Known[Setup]:
        """How HAMi's resources are called, and whether it takes pods that did not ask for it."""
        flags = (flag(s.container, _FORCE) for s in self._programs.seen(HAMI))
        return hami_setup(self.facts, force=next((f for f in flags if f is not None), None))

    @cached_property
    def registrants(self) -> tuple[Registrant, ...]:
        """Every device plugin for GPUs in sight, or that nodes tell of."""
        seen = (s for program in GPU_PROGRAMS for s in self._programs.seen(program))
        return registrants_in(self.facts, seen=seen, setup=self.hami_setup.value)

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Nodes of which the object or files are in sight."""
        objects = (n.metadata.name for n in self.facts.nodes.items)
        return tuple(sorted({*objects, *self.facts.node_files}))

    @cached_property
    def on_nodes(self) -> tuple[PluginOnNode, ...]:
        """Each plugin in sight with each node that it runs on or is meant for."""
        return tuple(self._on_nodes())

    def _on_nodes(self) -> Iterator[PluginOnNode]:
        for plugin in self.registrants:
            for name in self.node_names:
                node = self._nodes.node(name)
                runs = plugin.runs_on(node, name)
                is_running = isinstance(runs, Known) and runs.value
                if is_running or (node is not None and plugin.is_meant_for(node)):
                    yield PluginOnNode(plugin=plugin, node=name, object=node, runs=runs)

    @cached_property
    def by_node(self) -> dict[str, tuple[PluginOnNode, ...]]:
        """The plugins by the nodes that they run on or are meant for."""
        found: dict[str, tuple[PluginOnNode, ...]] = {}
        for each in self.on_nodes:
            found[each.node] = (*found.get(each.node, ()), each)
        return found

    @cached_property
    def nodes(self) -> tuple[NodePlugins, ...]:
        """Each node with the plugins that serve GPUs there."""
        return tuple(
            NodePlugins(
                name=name,
                object=self._nodes.node(name),
                resource=GPU,
                rivals=tuple(each for each in here if each.plugin.serves(GPU) and each.stays),
            )
            for name, here in self.by_node.items()
        )

    def is_wanted(self, at: PluginOnNode) -> bool:
        """Whether a plugin is meant for a node: it picks it, or nobody else serves its GPUs."""
        if at.picks_nodes:
            return True
        others = (each for each in self.by_node[at.node] if each.plugin is not at.plugin)
        is_served = self._count(at.node) > 0 or any(each.is_running for each in others)
        return self.has_gpus(at.node) and not is_served

    def _count(self, name: str) -> int:
        """Count the GPUs in a node's capacity, whoever serves them."""
        node = self._nodes.node(name)
        offer = by_node(GPU, node, name)
        return (offer.value.capacity or 0) if isinstance(offer, Known) else 0

    def has_gpus(self, name: str) -> bool:
        """Whether a node is known to have GPUs: by its list of them, or by what it is called."""
        node, files = self._nodes.node(name), self._nodes.files(name)
        if files is not None and isinstance(files.cards, Known) and files.cards.value:
            return True
        return node is not None and (
            node.metadata.labels.get(PRESENT) == "true" or str(GPU) in (node.status.capacity or {})
        )

    def is_all_there(self, plugin: Registrant, devices: tuple[str, ...]) -> bool:
        """Whether a list names every GPU of each node that the plugin is on."""
        here = [each.node for each in self.on_nodes if each.plugin is plugin]
        cards = [self.cards(name) for name in here]
        return bool(cards) and all(
            isinstance(found, Known)
            and all({str(c.index), str(c.uuid)} & set(devices) for c in found.value)
            for found in cards
        )

    def cards(self, name: str) -> Answer[tuple[Card, ...]]:
        """Give the GPUs of a node."""
        return cards_of(self._nodes.files(name), node=name)

    def lists_of(self, plugin: Registrant) -> Iterator[GpuList]:
        """Give the lists that a plugin is given: the operator's policy, its own variable.

        What the operator copied from its policy into its DaemonSet is one list.
        """
        listed = tuple(self._policy_lists()) if plugin.is_operators else ()
        yield from listed
        own = plugin.own_list
        if own is not None and own.text not in {each.text for each in listed}:
            yield own

    def _policy_lists(self) -> Iterator[GpuList]:
        for policy in self.policies.each:
            for index, text in policy.plugin_values(VARIABLE):
                place = policy.object.place("spec", "devicePlugin", "env", index)
                found = GpuList.of(text, place=place, owner=policy.object.ref)
                if found is not None:
                    yield found

    def is_served_by(self, at: PluginOnNode) -> bool:
        """Whether a plugin's GPUs are in the node's capacity: then it sees some."""
        node = self._nodes.node(at.node)
        capacity = (node.status.capacity or {}) if node else {}
        others = (e for e in self.by_node.get(at.node, ()) if e.plugin is not at.plugin)
        has_any = str(capacity.get(str(GPU), "0")) != "0"
        return has_any and at.is_running and not any(each.is_running for each in others)

    def serving(self, node: str, resource: ResourceName) -> Answer[Registrant]:
        """Say which plugin hands out a resource on a node.

        With several nobody can tell whose Allocate kubelet calls; without one in sight it is
        somebody that is not in sight.
        """
        by_class = served_by_class(resource, facts=self.facts)
        if isinstance(by_class, Unknown):
            return by_class
        here = [
            each
            for each in self.by_node.get(node, ())
            if each.plugin.serves(resource)
            and not (isinstance(each.runs, Known) and not each.runs.value)
        ]
        unsure = next((e.runs for e in here if isinstance(e.runs, Unknown)), None)
        if unsure is not None:
            return unsure
        if len(here) > 1:
            return Unknown(
                reason=f"which of {' and '.join(e.plugin.text for e in here)} hands out "
                f"{resource} on {node}",
                fact="which of two device plugins hands a GPU out",
            )
        if not here:
            return Unknown(
                reason=f"which device plugin serves {resource} on {node}",
                give="kubectl get daemonsets,pods -A -o json",
                fact="the device plugins of GPUs",
            )
        runs = here[0].runs
        places = runs.places if isinstance(runs, Known) else ()
        return Known(value=here[0].plugin, places=places)

    def serves(self, resource: ResourceName) -> bool:
        """Whether a plugin in sight makes a resource, or it has the name that GPUs have."""
        is_nvidia = resource.prefix == "nvidia.com" and (
            resource.name == "gpu" or resource.name.startswith("mig-")
        )
        return is_nvidia or any(plugin.serves(resource) for plugin in self.registrants)

    def version(self, component: str, node: str = "") -> Answer[Version]:
        """Say which version of a program runs; the operator's stands in its ClusterPolicy too."""
        found = self._programs.version(component, node)
        if component == gpu_operator.COMPONENT and isinstance(found, Unknown):
            return next((p.version for p in self.policies.each), found)
        return found

    @cached_property
    def policies(self) -> Policies:
        """What the GPU Operator is told."""
        every = self.facts.cluster_policies.items
        return Policies(each=tuple(map(gpu_operator.read_policy, every)))
