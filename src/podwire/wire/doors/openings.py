"""What lets anybody in who may make a pod: each way in, by the settings of one node."""

from collections.abc import Callable, Iterator

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Namespace
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Path, Place, Unknown, joined
from podwire.peers.gpu_operator import Policy
from podwire.peers.nvidia_plugin import VARIABLE, VOLUME_MOUNTS_FOLDER
from podwire.peers.nvidia_toolkit import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    ANNOTATION_PREFIXES,
    Request,
    ToolkitConfig,
)
from podwire.wire.doors.gates import Asking, Gate, Gates, by_mount, by_variable, keys_of
from podwire.wire.doors.records import Opening, in_order
from podwire.wire.gpu.node_gpus import NodeGpus

NRI = "nvidia.cdi.k8s.io"
MANAGEMENT = "management.nvidia.com/gpu"
_POD_SECURITY = "pod-security.kubernetes.io/enforce"
_FORBIDS_HOST_PATH = frozenset({"baseline", "restricted"})
_SYSTEM = frozenset({"kube-system", "kube-public", "kube-node-lease"})
_NO_POLICY = "no admission policy refuses such a pod"

Found = Answer[Opening | None]
AskingAt = Callable[[Gate], Asking | None]
_CLOSED: Known[Opening | None] = Known(value=None)


def by_the_variable(gates: Gates) -> Found:
    """Look whether the toolkit takes the variable of containers without privilege."""
    config = gates.node.toolkit
    if isinstance(config, Unknown):
        return config
    if not config.value.accept_variable:
        return _CLOSED
    return _through(gates, config.value, wants=ACCEPT_VARIABLE, asking=lambda _: by_variable)


def by_a_mount(gates: Gates, facts: Inventory) -> Found:
    """Look whether the toolkit takes mounts, and whether a namespace allows hostPath."""
    config = gates.node.toolkit
    if isinstance(config, Unknown):
        return config
    if not config.value.accept_mounts:
        return _CLOSED
    lax = lax_namespaces(facts)
    if isinstance(lax, Known) and not lax.value:
        return _CLOSED
    return _through(
        gates,
        config.value,
        wants=ACCEPT_MOUNTS,
        asking=lambda _: by_mount,
        assumes=() if isinstance(lax, Known) else ("Pod Security lets pods use hostPath",),
    )


def by_an_annotation(gates: Gates) -> Found:
    """Look whether a pod's own annotations reach NVIDIA's runtime."""
    every = gates.every
    if isinstance(every, Unknown):
        return every
    if not any(gate.handler.pod_annotations for gate in every.value):
        return _CLOSED
    config = gates.node.toolkit
    if isinstance(config, Unknown):
        return config
    return _through(gates, config.value, wants=ANNOTATION_PREFIXES, asking=_annotated(config.value))


def by_nri(node: NodeGpus, policies: tuple[Policy, ...], gpus: tuple[GpuUuid, ...]) -> Found:
    """Look whether the toolkit's NRI plugin finds GPUs of any kind but the management one.

    Source: nvidia-container-toolkit v1.20.2 cmd/nvidia-ctk-installer/container/runtime/nri.
    """
    policy = next((each for each in policies if each.uses_nri), None)
    if policy is None:
        return _CLOSED
    registry = node.specs_of_runtime
    if registry is None:
        return Unknown(
            reason=f"the CDI specs of node {node.name} were not collected",
            give="ls /etc/cdi /var/run/cdi, and the files in them",
            fact="the CDI specs of a node",
        )
    names = [n for n in registry.devices if not n.startswith(f"{MANAGEMENT}=")]
    reached = tuple(_named(node, names, gpus))
    if not reached:
        return _CLOSED
    place = policy.object.place("spec", "cdi", "nriPluginEnabled")
    return Known(
        value=Opening(
            by=f"annotation {NRI}/pod: {reached[0][1]}",
            through="the toolkit's NRI plugin",
            gpus=in_order(gpus, (gpu for gpu, _ in reached)),
            opens=((place, "nriPluginEnabled: true"),),
            assumes=(_NO_POLICY,),
        )
    )


def _named(
    node: NodeGpus, names: list[str], gpus: tuple[GpuUuid, ...]
) -> Iterator[tuple[GpuUuid, str]]:
    """Give each GPU that a name of a spec stands for."""
    cards = node.cards.value if isinstance(node.cards, Known) else ()
    for gpu in gpus:
        index = {str(c.index) for c in cards if c.uuid == gpu}
        wanted = {gpu.text, "all", *index}
        found = next((n for n in names if n.partition("=")[2] in wanted), None)
        if found is not None:
            yield gpu, found


def _annotated(config: ToolkitConfig) -> AskingAt:
    """Ask by annotation, under a key that the handler passes on and the toolkit reads."""

    def asking(gate: Gate) -> Asking | None:
        key = next(iter(keys_of(config, gate.handler)), None)
        return None if key is None else lambda name: Request(annotations={key: name})

    return asking


def _through(
    gates: Gates,
    config: ToolkitConfig,
    *,
    wants: Path,
    asking: AskingAt,
    assumes: tuple[str, ...] = (),
) -> Found:
    """Try every gate; the first that gives a GPU opens the door."""
    every = gates.every
    if isinstance(every, Unknown):
        return every
    assumes = tuple(dict.fromkeys((*gates.assumes, *every.assumes, *assumes, _NO_POLICY)))
    gaps = []
    for gate in every.value:
        request = asking(gate)
        works = gates.tried(gate.handler, request) if request else Known(value={})
        if isinstance(works, Unknown):
            gaps.append(works)
        elif works.value:
            return Known(
                value=Opening(
                    by=_written(wants, next(iter(works.value.values()))),
                    through=gate.through,
                    gpus=in_order(gates.gpus, works.value),
                    opens=tuple(_opens(config, wants, gate)),
                    assumes=assumes,
                )
            )
    return joined(gaps) if gaps else _CLOSED


def _written(wants: Path, name: str) -> str:
    """Say what a pod would write."""
    if wants == ACCEPT_VARIABLE:
        return f"{VARIABLE}={name}"
    if wants == ACCEPT_MOUNTS:
        return f"hostPath /dev/null at {VOLUME_MOUNTS_FOLDER}/{name}"
    return f"an annotation with {name}"


def _opens(config: ToolkitConfig, wants: Path, gate: Gate) -> Iterator[tuple[Place, str]]:
    setting = config.place(wants)
    is_written = setting is not None and bool(setting.path)
    if setting is not None and wants != ANNOTATION_PREFIXES:
        yield setting, f"{wants[-1]} = true" if is_written else f"no {wants[-1]}: true by default"
    if wants == ANNOTATION_PREFIXES and gate.handler.place is not None:
        yield gate.handler.place, f"pod_annotations {', '.join(gate.handler.pod_annotations)}"
    if gate.place is not None:
        yield gate.place, gate.through


def lax_namespaces(facts: Inventory) -> Answer[tuple[str, ...]]:
    """Name the namespaces, the system's aside, in which Pod Security allows hostPath."""
    every = facts.namespaces.all_in()
    if isinstance(every, Unknown):
        return every
    return Known(value=tuple(each.metadata.name for each in every.value if _is_lax(each)))


def _is_lax(namespace: Namespace) -> bool:
    if namespace.metadata.name in _SYSTEM:
        return False
    return namespace.metadata.labels.get(_POD_SECURITY) not in _FORBIDS_HOST_PATH
