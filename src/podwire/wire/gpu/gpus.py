"""The GPU wire: facts about GPUs joined through the peers' answers, worked out when asked for."""

from collections.abc import Iterator
from functools import cached_property

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.workloads import ContainerView, PodView, Stage
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.model.names import Ref, ResourceName
from podwire.peers import gpu_operator
from podwire.peers.nvidia_plugin import GPU, VARIABLE
from podwire.wire.gpu.as_set_up import AsSetUp, as_set_up
from podwire.wire.gpu.asked import Asked, asked_by
from podwire.wire.gpu.hami_pods import Hami
from podwire.wire.gpu.judging import way_of
from podwire.wire.gpu.node_gpus import NodeGpus
from podwire.wire.gpu.odd_requests import OddRequest, odd_requests
from podwire.wire.gpu.plugin_configs import ConfigText, config_texts
from podwire.wire.gpu.records import NamedClass, NodeSpec, PluginSight, SharedEntry, broken_specs
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.serving import Plugins
from podwire.wire.gpu.telling import Shown, asked_evidence, is_handed, kind_evidence
from podwire.wire.gpu.uses import GpuUse, JudgedUse, Way, own_use
from podwire.wire.joined.images import NVIDIA_TOOLKIT
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.pod_index import PodIndex
from podwire.wire.joined.program_index import ProgramIndex


class Gpus:
    """What rules about GPUs, `trace` and `guard` ask.

    `plugins` are who serves GPUs, `hami` is HAMi's side of it.
    """

    def __init__(
        self, facts: Inventory, *, pods: PodIndex, programs: ProgramIndex, nodes: NodeIndex
    ) -> None:
        self.facts = facts
        self.plugins = Plugins(facts, programs=programs, nodes=nodes)
        self.hami = Hami(facts, pods=pods, programs=programs, nodes=nodes, plugins=self.plugins)
        self._pods = pods
        self._nodes = nodes
        self._node_gpus: dict[str, NodeGpus] = {}
        self._ways: dict[tuple[object, ...], Answer[Way]] = {}

    @cached_property
    def configs(self) -> tuple[ConfigText, ...]:
        """Configurations of NVIDIA's plugin in sight, whoever reads them."""
        return tuple(config_texts(self.facts))

    @cached_property
    def shared(self) -> tuple[SharedEntry, ...]:
        """Each entry under `sharing` of each configuration."""
        return tuple(entry for config in self.configs for entry in SharedEntry.of(config))

    @cached_property
    def named_classes(self) -> tuple[NamedClass, ...]:
        """Pods that have not ended and name a runtime class."""
        return tuple(
            NamedClass(pod=view, name=view.spec.runtime_class_name)
            for view in self._pods.views
            if view.spec.runtime_class_name and view.stage is not Stage.OVER
        )

    def node(self, name: str) -> NodeGpus:
        """Give a node as GPUs come through it."""
        if name not in self._node_gpus:
            self._node_gpus[name] = NodeGpus(
                name,
                node=self._nodes.node(name),
                files=self._nodes.files(name),
                toolkit_version=self.plugins.version(NVIDIA_TOOLKIT, name),
                as_set_up=self.set_up_of(name),
            )
        return self._node_gpus[name]

    def set_up_of(self, name: str) -> AsSetUp | None:
        """Say how the operator set a node up; None where it is not known to have."""
        return as_set_up(
            name,
            self._nodes.node(name),
            next(iter(self.plugins.policies.each), None),
            operator=self.plugins.version(gpu_operator.COMPONENT),
        )

    def asks(self, pod: PodView, view: ContainerView, node: str) -> Asked:
        """Say what a container asks of NVIDIA's runtime by itself, whatever a plugin hands over."""
        image_env = self.node(node).images(view.container.image)
        return asked_by(pod, view, facts=self.facts, image_env=image_env)

    @cached_property
    def judged(self) -> tuple[JudgedUse, ...]:
        """Each container that is given GPUs and did not run with them yet, with its way."""
        return tuple(self._judged())

    @cached_property
    def known_ways(self) -> tuple[JudgedUse, ...]:
        """Those whose way is known; of the others one rule says what is missing."""
        return tuple(each for each in self.judged if isinstance(each.way, Known))

    def _judged(self) -> Iterator[JudgedUse]:
        for pod in self._pods.views:
            if pod.stage is Stage.OVER:
                continue
            for view in pod.containers():
                resource = self.resource_of(view)
                if resource is not None or (pod.spec.node_name and _asks_itself(view)):
                    use = GpuUse(pod=pod, view=view, node=pod.spec.node_name, resource=resource)
                    if not (use.has_started or self._lacks_class(pod)):
                        yield JudgedUse(use=use, way=self.way(use))

    def _lacks_class(self, pod: PodView) -> bool:
        """Whether what would start a pod is known to be missing: then nothing else is judged."""
        named, node = pod.spec.runtime_class_name, pod.spec.node_name
        found = self.facts.runtime_classes.find(named) if named else None
        if not isinstance(found, Known):
            return False
        if found.value is None or not node:
            return found.value is None
        runtime = self.node(node).runtime_read
        return isinstance(runtime, Known) and runtime.value.handler(found.value.handler) is None

    @cached_property
    def odd(self) -> tuple[OddRequest, ...]:
        """Each container on a node whose request is taken in another way than it reads."""
        return tuple(
            odd
            for pod in self._pods.views
            if pod.stage is not Stage.OVER and pod.spec.node_name
            for view in pod.containers()
            if view.container.env
            for odd in odd_requests(
                GpuUse(pod=pod, view=view, node=pod.spec.node_name, resource=self.resource_of(view))
            )
        )

    def uses_of(self, pod: PodView, resource: ResourceName) -> Iterator[GpuUse]:
        """Give the containers of a pod that request a GPU resource, started or not."""
        for view in pod.containers():
            if self.resource_of(view) == resource:
                yield GpuUse(pod=pod, view=view, node=pod.spec.node_name, resource=resource)

    def resource_of(self, view: ContainerView) -> ResourceName | None:
        """The GPU resource that a container requests."""
        resources = view.container.resources
        for name in dict.fromkeys((*resources.limits, *resources.requests)):
            resource = ResourceName.maybe(name)
            if resource is not None and self.plugins.serves(resource):
                return resource
        return None

    def way(self, use: GpuUse) -> Answer[Way]:
        """Follow a use on its node; one without a node on each that it may go to."""
        if use.node:
            return self._way_on(use)
        key = (
            self._nodes.candidates(use.pod).key,
            msgspec.json.encode(use.view.container),
            use.pod.namespace,
            use.pod.spec.runtime_class_name,
        )
        if key not in self._ways:
            self._ways[key] = self._way_anywhere(use)
        return self._ways[key]

    def _way_anywhere(self, use: GpuUse) -> Answer[Way]:
        """Take the first node where it works; else say what is wrong, if it is so on each."""
        candidates = self._nodes.candidates(use.pod)
        worst: Known[Way] | None = None
        gaps: list[Unknown] = [] if candidates.rest is None else [candidates.rest]
        for name in candidates.names:
            if not self._may_serve(name, use.resource):
                continue
            way = self._way_on(msgspec.structs.replace(use, node=name))
            if isinstance(way, Unknown):
                gaps.append(way)
            elif not way.value.fault:
                return way
            else:
                worst = worst or way
        if gaps:
            return joined(gaps)
        return worst or Unknown(
            reason=f"which node will offer {use.resource} to {use.full_name}: none does now",
            fact="the nodes with GPUs",
        )

    def _may_serve(self, name: str, resource: ResourceName | None) -> bool:
        """Whether a node has a GPU resource, or nobody read what it has."""
        node = self._nodes.node(name)
        capacity = node.status.capacity if node else None
        return capacity is None or str(capacity.get(str(resource), "0")) != "0"

    def _way_on(self, use: GpuUse) -> Answer[Way]:
        if use.resource is not None:
            plugin = self.plugins.serving(use.node, use.resource)
            if isinstance(plugin, Unknown):
                return plugin
            use = msgspec.structs.replace(use, plugin=plugin.value)
        return way_of(use, self.node(use.node), facts=self.facts)

    @cached_property
    def plugins_own(self) -> tuple[PluginSight, ...]:
        """Each plugin that is given a list of GPUs, on each of its nodes, with what it sees."""
        return tuple(
            PluginSight(
                at=at, wanted=at.plugin.own_list, way=self.way(own_use(at.pod, view, at.node))
            )
            for at in self.plugins.on_nodes
            if at.plugin.own_list is not None and not at.plugin.is_operators and at.pod is not None
            for view in at.own_view
        )

    def known_way(self, sight: PluginSight) -> Answer[Way]:
        """Give a plugin's own way; where it is not known, all that is missing of it."""
        if isinstance(sight.way, Known):
            return sight.way
        gap = self.node(sight.at.node).mode_gap
        return joined((sight.way, gap)) if gap else sight.way

    def giver(self, use: GpuUse, way: Way) -> Registrant | None:
        """Name the plugin that handed over what nobody finds; None: the container asks itself."""
        return way.plugin if use.resource is not None and is_handed(way) else None

    def asked_evidence(self, use: GpuUse, way: Way) -> Iterator[Shown]:
        """Show how a container came by the names of its GPUs."""
        return asked_evidence(use, way, self.giver(use, way))

    def kind_evidence(self, kind: str, way: Way) -> Iterator[Shown]:
        """Show what made the kind of a name, and what the node offers of it."""
        return kind_evidence(self.node(way.node), kind, way)

    def default_places(self, way: Way, *, has_class: bool) -> tuple[Place, ...]:
        """Where it stands what starts a container."""
        runtime = self.node(way.node).runtime
        default = runtime.value.default_place if isinstance(runtime, Known) else None
        return way.places if has_class or default is None else (default,)

    def nvidia_class(self, node: str) -> str | None:
        """Name a RuntimeClass that NVIDIA's runtime stands behind on a node."""
        runtime = self.node(node).runtime
        if isinstance(runtime, Unknown):
            return None
        for each in self.facts.runtime_classes.items:
            handler = runtime.value.handler(each.handler)
            if each.handler and handler is not None and handler.is_nvidia:
                return each.metadata.name
        return None

    @cached_property
    def broken_specs(self) -> tuple[NodeSpec, ...]:
        """CDI specs that a node's runtime does not load, or that contradict one another."""
        return tuple(
            spec for name in self.plugins.node_names for spec in broken_specs(self.node(name))
        )

    def starved_by(self, spec: NodeSpec) -> Iterator[Ref]:
        """Name the containers that ask for nothing but what a broken spec would offer."""
        for judged in self.known_ways:
            way = judged.known
            is_here = way.node == spec.node and bool(way.unresolved)
            if is_here and all(map(spec.would_offer, way.unresolved)):
                yield judged.ref

    def wired_to(self, pod: PodView) -> tuple[Ref, ...]:
        """Name what a pod's GPUs hang on: the plugins on its node, and who serves them there."""
        node = pod.spec.node_name
        plugins = (each.ref for each in self.plugins.by_node.get(node, ()))
        return (*plugins, *((Ref(kind="Node", name=node).at(str(GPU)),) if node else ()))


def _asks_itself(view: ContainerView) -> bool:
    """Whether a container sets the variable by which NVIDIA's runtime is asked."""
    return any(v.name == VARIABLE and v.value for v in view.container.env)
