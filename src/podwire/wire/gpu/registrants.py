"""Who serves GPUs to kubelet: device plugins in sight, and where each of them runs.

A plugin is told by its container's image and command. One that is not in sight shows in
what it leaves on nodes: HAMi's annotation, the label by which the GPU Operator sets its own.
"""

import enum
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Container, EnvVar, Node
from podwire.facts.workloads import ContainerView, PodView, Stage
from podwire.model.evidence import Answer, Known, Place, Step, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.peers import gpu_operator, hami, nvidia_plugin, scheduler
from podwire.peers.nvidia_plugin import KUBELET_FOLDER, Settings
from podwire.wire.gpu.plugin_configs import GpuList, config_of
from podwire.wire.joined.command_line import flag
from podwire.wire.joined.images import Sighting
from podwire.wire.joined.plugins import is_applied

# Other programs in the plugin's image: gpu-operator v25.10.0 assets, k8s-device-plugin v0.17.1
# deployments/helm.
_OTHERS = frozenset({"gpu-feature-discovery", "config-manager", "mps-control-daemon"})
_OTHER_NAMES = ("feature-discovery", "config-manager", "mps-control", "imex", "init", "sidecar")
# rocm/k8s-device-plugin serves amd.com/gpu. Where a mirror drops the folder the names tell:
# amdgpu-dp-cntr in amdgpu-device-plugin-daemonset (ROCm/k8s-device-plugin 0374957
# k8s-ds-amdgpu-dp.yaml).
_AMD = re.compile(r"(?:^|/)(?:rocm|amd)/|^amdgpu-")
_PLUGIN_COMMAND = "nvidia-device-plugin"


class Program(enum.Enum):
    """Whose plugin it is, as messages name it."""

    NVIDIA = "NVIDIA's device plugin"
    OPERATOR = "the GPU Operator's device plugin"
    HAMI = "HAMi's device plugin"


class Registrant(msgspec.Struct, frozen=True):
    """A device plugin for GPUs.

    `template` and `container` are None where it is not in sight and only what it leaves on
    nodes tells of it: then `only_on` names those. `pods` are its living pods by node;
    `settings` are what decides how it hands GPUs over.
    """

    program: Program
    ref: Ref
    settings: Answer[Settings]
    template: PodView | None = None
    container: ContainerView | None = None
    pods: Mapping[str, PodView] = {}
    are_pods_listed: bool = False
    only_on: Mapping[str, Place] = {}
    count_resource: ResourceName = nvidia_plugin.GPU

    @property
    def text(self) -> str:
        """The plugin with what runs it, as messages write it."""
        return str(self.ref) if self.template else self.program.value

    def serves(self, resource: ResourceName) -> bool:
        """Whether it registers a resource; what is not known of its settings has defaults."""
        if self.program is Program.HAMI:
            return resource == self.count_resource
        settings = self.settings.value if isinstance(self.settings, Known) else Settings()
        return settings.serves(resource)

    def place(self, *path: Step) -> Place:
        """Name a value in its container, or what tells of it where it is not in sight."""
        if self.template is None or self.container is None:
            return next(iter(self.only_on.values()))
        return self.template.place(*self.container.path, *path)

    def variable(self, name: str) -> tuple[EnvVar, Place] | None:
        """Find a variable of its container; the last of several counts."""
        env = self.container.container.env if self.container else ()
        for index in range(len(env) - 1, -1, -1):
            if env[index].name == name:
                return env[index], self.place("env", index)
        return None

    @property
    def is_hami(self) -> bool:
        """It is HAMi's."""
        return self.program is Program.HAMI

    @property
    def strategy(self) -> str:
        """How it hands GPUs over, as it is written: `envvar`, `cdi-annotations,cdi-cri`."""
        return self.settings.value.strategy_text if isinstance(self.settings, Known) else ""

    @property
    def settings_place(self) -> Place:
        """Where the strategy stands; its container where it is the default."""
        found = self.variable("DEVICE_LIST_STRATEGY")
        places = self.settings.places if isinstance(self.settings, Known) else ()
        return found[1] if found else next(iter(places), self.place("image"))

    @property
    def strategy_shown(self) -> str:
        """The strategy, and whether anybody wrote it."""
        is_written = isinstance(self.settings, Known) and bool(self.settings.value.written)
        return f"strategy {self.strategy}" + ("" if is_written else " (its default)")

    @property
    def is_operators(self) -> bool:
        """The GPU Operator made it and takes back what others change."""
        return self.program is Program.OPERATOR

    @property
    def is_privileged(self) -> bool:
        """It has every device of the host, as the operator's plugin always has."""
        if self.container is None:
            return self.is_operators
        return self.container.container.security_context.privileged

    @property
    def reaches_kubelet(self) -> bool:
        """Whether kubelet's folder of the host is in its container, or another socket is named."""
        if self.template is None or self.container is None:
            return True
        volumes = {v.name for v in self.template.spec.volumes if v.host_path is not None}
        mounts = self.container.container.volume_mounts
        paths = (m.mount_path.rstrip("/") for m in mounts if m.name in volumes)
        return bool(self.variable("KUBELET_SOCKET")) or any(
            f"{KUBELET_FOLDER}/".startswith(f"{path}/") for path in paths
        )

    @property
    def own_list(self) -> GpuList | None:
        """The GPUs that it is given by its own variable; None: all, none, or no list."""
        found = self.variable(nvidia_plugin.VARIABLE)
        if found is None or found[0].value_from is not None:
            return None
        return GpuList.of(found[0].value, place=found[1], owner=self.ref)

    def is_meant_for(self, node: Node) -> bool:
        """Whether its node selector and affinity pick a node, taints aside."""
        name = node.metadata.name
        if self.template is None:
            return name in self.only_on
        found = scheduler.obstacles(self.template.spec, node)
        is_made = not self.template.is_template and name in self.pods
        return is_made or all(o.kind in {"taint", "cordoned"} for o in found)

    def runs_on(self, node: Node | None, name: str) -> Answer[bool]:
        """Say whether it runs on a node; `node` is None where only its files are in sight."""
        if name in self.pods:
            return Known(value=True, places=(self.pods[name].place("spec", "nodeName"),))
        if self.template is None:
            places = (self.only_on[name],) if name in self.only_on else ()
            return Known(value=name in self.only_on, places=places)
        if self.are_pods_listed and is_applied(self.template.of.document.origin):
            return Known(value=False, places=(self.template.place(),))
        if node is None:
            return Unknown(
                reason=f"whether {self.ref} runs on {name}",
                give="kubectl get nodes,pods -A -o json",
                fact=f"the nodes of {self.ref}",
            )
        spec = self.template.spec
        tolerated = scheduler.daemon_tolerations(spec)
        found = scheduler.obstacles(spec, node, also_tolerates=tolerated)
        return Known(value=not found, places=(self.template.place("spec"),))


def registrants_in(
    facts: Inventory, *, seen: Iterable[Sighting], setup: hami.Setup
) -> tuple[Registrant, ...]:
    """Find plugins by their containers, then those that only nodes tell of."""
    named = tuple(s for s in seen if s.component in {nvidia_plugin.COMPONENT, hami.COMPONENT})
    found = tuple(
        _registrant(sightings, facts=facts, setup=setup)
        for sightings in _by_workload(s for s in named if _is_plugin(s)).values()
    )
    return (*found, *_unseen(facts, found))


def _by_workload(sightings: Iterable[Sighting]) -> dict[tuple[str, ...], list[Sighting]]:
    """Put a workload's pods together, with its template first."""
    runs: dict[tuple[str, ...], list[Sighting]] = {}
    for sighting in sorted(sightings, key=lambda s: not s.pod.is_template):
        pod = sighting.pod.of
        owner = pod.metadata.controller if not sighting.pod.is_template else None
        by = (owner.kind, owner.name) if owner else (pod.kind, pod.metadata.name)
        runs.setdefault((sighting.pod.namespace, *by), []).append(sighting)
    return runs


def _registrant(sightings: list[Sighting], *, facts: Inventory, setup: hami.Setup) -> Registrant:
    first = sightings[0]
    pod = first.pod
    view = next(v for v in pod.containers() if v.container is first.container)
    program = Program.HAMI if first.component == hami.COMPONENT else Program.NVIDIA
    if program is Program.NVIDIA and _is_operators(pod):
        program = Program.OPERATOR
    living = (s.pod for s in sightings if s.node and s.pod.stage is not Stage.OVER)
    return Registrant(
        program=program,
        ref=pod.ref,
        settings=_settings(pod, first.container, program, facts),
        template=pod,
        container=view,
        pods={p.spec.node_name: p for p in living if not p.is_template},
        are_pods_listed=facts.pods.is_complete(pod.namespace),
        count_resource=setup.count,
    )


def _settings(
    pod: PodView, container: Container, program: Program, facts: Inventory
) -> Answer[Settings]:
    """Read what the plugin is told; a file that is not in sight may say anything."""
    env = {v.name: v.value for v in container.env if v.value_from is None}
    no_file: Answer[object] = Known(value=None)
    config = no_file if program is Program.HAMI else config_of(pod, container, facts)
    is_told = bool(flag(container, "device-list-strategy") or env.get("DEVICE_LIST_STRATEGY"))
    if isinstance(config, Unknown) and not is_told:
        return config
    tree = config.value if isinstance(config, Known) else None
    settings = nvidia_plugin.read_settings(lambda name: flag(container, name), env, tree)
    return Known(value=settings, places=config.places if isinstance(config, Known) else ())


def _is_plugin(sighting: Sighting) -> bool:
    """Tell the plugin from the other programs in its image."""
    container = sighting.container
    if any(map(_AMD.search, (container.image, container.name, sighting.pod.of.metadata.name))):
        return False
    words = {w.rpartition("/")[2] for w in (*container.command, *container.args)}
    if words & _OTHERS or sighting.pod.of.kind == "Job":
        return False
    if sighting.component == nvidia_plugin.COMPONENT:
        return not any(name in container.name for name in _OTHER_NAMES)
    mounts = {m.mount_path.rstrip("/") for m in container.volume_mounts}
    return _PLUGIN_COMMAND in words or KUBELET_FOLDER in mounts


def _is_operators(pod: PodView) -> bool:
    owner = pod.of.metadata.controller
    names = {pod.of.metadata.name, owner.name if owner else "", pod.metadata.labels.get("app", "")}
    is_owned = owner is not None and owner.kind == "ClusterPolicy"
    return is_owned or gpu_operator.PLUGIN_DAEMONSET in names


def _unseen(facts: Inventory, found: tuple[Registrant, ...]) -> Iterator[Registrant]:
    """Give the plugins that only what they leave on nodes tells of."""
    programs = {each.program for each in found}
    nodes = facts.nodes.items
    if Program.HAMI not in programs:
        path = ("metadata", "annotations", hami.REGISTERED)
        marked = {
            n.metadata.name: n.place(*path)
            for n in nodes
            if hami.registered(n.metadata.annotations)
        }
        if marked:
            yield _known_by(Program.HAMI, marked, "DaemonSet hami-device-plugin")
    policies = [gpu_operator.read_policy(p) for p in facts.cluster_policies.items]
    is_off = bool(policies) and not any(policy.runs_plugin for policy in policies)
    daemons = facts.workloads.get("DaemonSet")
    is_absent = daemons is not None and daemons.is_complete()
    if Program.OPERATOR not in programs and not is_off and not is_absent:
        path = ("metadata", "labels", gpu_operator.DEVICE_PLUGIN)
        marked = {
            n.metadata.name: n.place(*path)
            for n in nodes
            if gpu_operator.runs_plugin_on(n.metadata.labels)
        }
        if marked:
            yield _known_by(Program.OPERATOR, marked, "the GPU Operator's DaemonSet")


def _known_by(program: Program, marked: Mapping[str, Place], what: str) -> Registrant:
    return Registrant(
        program=program,
        ref=Ref(kind="Node", name=next(iter(marked))),
        settings=Unknown(
            reason=f"how {program.value} hands GPUs over: {what} is not in sight",
            give="kubectl get daemonsets -A -o json",
            fact=f"the settings of {program.value}",
        ),
        only_on=marked,
    )
