"""What rules about GPUs are asked about."""

import re
from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Node, PodSpec, Taint
from podwire.facts.workloads import ContainerView, PodView
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.peers import hami, scheduler
from podwire.peers.gpu_operator import Policy
from podwire.peers.nvidia_plugin import Share, shares
from podwire.wire.gpu.node_gpus import NodeGpus
from podwire.wire.gpu.plugin_configs import ConfigText, GpuList
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.uses import Way


def is_to_come(pod: PodView) -> bool:
    """Whether a pod has still to pass admission: a template, or a manifest of one."""
    return pod.is_template or not (pod.of.document.origin.is_observed or pod.of.metadata.uid)


class PluginOnNode(msgspec.Struct, frozen=True):
    """A device plugin on a node that it runs on, or whose labels it asks for."""

    plugin: Registrant
    node: str
    object: Node | None
    runs: Answer[bool]

    @property
    def ref(self) -> Ref:
        """The plugin, and the node as a part of it."""
        return self.plugin.ref.at(self.node)

    @property
    def is_running(self) -> bool:
        """It is known to run there."""
        return isinstance(self.runs, Known) and self.runs.value

    @property
    def is_there(self) -> bool:
        """Its pod on the node is in sight."""
        return self.node in self.plugin.pods

    @property
    def stays(self) -> bool:
        """It serves the node, or will: a DaemonSet takes its pod from a node that it is not for."""
        template = self.plugin.template
        if template is not None and template.is_template and self.object is not None:
            return self.plugin.is_meant_for(self.object)
        return self.is_running

    @property
    def pod(self) -> PodView | None:
        """Its pod there, else its template."""
        return self.plugin.pods.get(self.node, self.plugin.template)

    @property
    def own_view(self) -> tuple[ContainerView, ...]:
        """The plugin's container in that pod."""
        name = self.plugin.container.container.name if self.plugin.container else ""
        return tuple(
            v for v in (self.pod.containers() if self.pod else ()) if v.container.name == name
        )

    @property
    def picks_nodes(self) -> bool:
        """Its pods ask for certain nodes, so that one which they pick is surely meant."""
        spec = self.plugin.template.spec if self.plugin.template else PodSpec()
        return bool(spec.node_selector or spec.affinity.node_affinity.required)

    @property
    def barring(self) -> tuple[Taint, ...]:
        """The taints that keep it away and that nobody takes away by and by."""
        if self.plugin.template is None or self.object is None:
            return ()
        spec = self.plugin.template.spec
        tolerated = scheduler.daemon_tolerations(spec)
        found = scheduler.obstacles(spec, self.object, also_tolerates=tolerated)
        return tuple(o.taint for o in found if o.taint and not o.passes_by_itself)


class PluginSight(msgspec.Struct, frozen=True):
    """A plugin that is given a list of GPUs, on a node, with what its own container gets."""

    at: PluginOnNode
    wanted: GpuList
    way: Answer[Way]

    @property
    def ref(self) -> Ref:
        """The plugin, and the node as a part of it."""
        return self.at.ref

    @property
    def is_by_annotation(self) -> bool:
        """It asks for its devices by a CDI annotation, whoever reads that."""
        keys = self.at.pod.metadata.annotations if self.at.pod else {}
        return any("cdi.k8s.io/" in key for key in keys)


class NodePlugins(msgspec.Struct, frozen=True):
    """A node, and the plugins that serve one resource there or are meant to."""

    name: str
    object: Node | None
    resource: ResourceName
    rivals: tuple[PluginOnNode, ...]

    @property
    def ref(self) -> Ref:
        """The resource on the node."""
        return Ref(kind="Node", name=self.name).at(str(self.resource))

    @property
    def has_operators(self) -> bool:
        """One of them is the GPU Operator's."""
        return any(each.plugin.is_operators for each in self.rivals)


class SharedEntry(msgspec.Struct, frozen=True):
    """One entry under `sharing` of a plugin's configuration."""

    config: ConfigText
    share: Share

    @classmethod
    def of(cls, config: ConfigText) -> "Iterator[SharedEntry]":
        """List those of a configuration."""
        tree = config.tree
        for share in shares(tree) if isinstance(tree, dict) else ():
            yield cls(config=config, share=share)

    @property
    def ref(self) -> Ref:
        """The entry, as a part of the ConfigMap."""
        return self.config.ref.at(".".join(map(str, self.share.path)))


class NamedClass(msgspec.Struct, frozen=True):
    """A pod that names a runtime class."""

    pod: PodView
    name: str

    @property
    def ref(self) -> Ref:
        """The pod."""
        return self.pod.ref


class HamiPod(msgspec.Struct, frozen=True):
    """A pod that asks for one of HAMi's resources."""

    pod: PodView
    setup: hami.Setup

    @property
    def ref(self) -> Ref:
        """The pod."""
        return self.pod.ref

    @property
    def is_to_come(self) -> bool:
        """It has still to pass admission."""
        return is_to_come(self.pod)

    @property
    def share(self) -> tuple[str, Place] | None:
        """The first of its requests that no other program than HAMi knows."""
        for view in self.pod.containers():
            for name in sorted(self.setup.shares.intersection(view.container.resources.limits)):
                return name, self.pod.place(*view.path, "resources", "limits", name)
        return None

    @property
    def has_gpus(self) -> bool:
        """HAMi chose GPUs for it, whoever placed it."""
        return hami.chosen(self.pod.metadata.annotations) is not None


class HamiNode(msgspec.Struct, frozen=True):
    """A node with GPUs that a pod may run on, as HAMi's scheduler sees it."""

    object: Node

    @property
    def name(self) -> str:
        """Its name."""
        return self.object.metadata.name

    @property
    def is_registered(self) -> bool:
        """HAMi's plugin wrote its GPUs down there."""
        return hami.registered(self.object.metadata.annotations) is not None


class Policies(msgspec.Struct, frozen=True):
    """The ClusterPolicies in sight; the operator acts on the first of a cluster."""

    each: tuple[Policy, ...] = ()


class NodeSpec(msgspec.Struct, frozen=True):
    """A CDI spec of a node that is not loaded, or a name (`name`) that two specs give.

    `text` is what stands in the file. `unknown` is why that is not known for sure: what the
    library takes differs by version.
    """

    node: str
    path: str = ""
    name: str = ""
    sentence: str = ""
    places: tuple[Place, ...] = ()
    text: str = ""
    unknown: Unknown | None = None

    @property
    def ref(self) -> Ref:
        """The file, or the name, on the node."""
        return Ref(kind="Node", name=self.node).at(self.path or self.name)

    def would_offer(self, name: str) -> bool:
        """Whether a qualified name stands in it, and would resolve if it were loaded."""
        kind, _, device = name.partition("=")
        entry = rf"""name["']?\s*:\s*["']?{re.escape(device)}["']?\s*(?:[,}}\n]|$)"""
        return name == self.name or (kind in self.text and bool(re.search(entry, self.text)))


def broken_specs(node: NodeGpus) -> Iterator[NodeSpec]:
    """List what of a node's CDI specs does not count for its container runtime."""
    registry = node.specs_of_runtime
    if registry is None or (registry.faults == {} and registry.conflicts == {}):
        return
    version = node.library_gap
    for path, fault in registry.faults.items():
        yield NodeSpec(
            node=node.name,
            path=path,
            sentence=fault.sentence.partition(": ")[2] or fault.sentence,
            places=(fault.place,),
            text=node.text_of(fault.place),
            unknown=version,
        )
    for name, places in registry.conflicts.items():
        yield NodeSpec(node=node.name, name=name, places=places)
