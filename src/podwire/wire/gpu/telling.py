"""What shows how a container came by the names of its GPUs, in the order of the wire."""

from collections.abc import Iterator

from podwire.model.evidence import Known, Place
from podwire.peers import hami
from podwire.peers.nvidia_plugin import VARIABLE
from podwire.peers.nvidia_toolkit import DEFAULT_KIND, Door
from podwire.wire.gpu.node_gpus import NodeGpus
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.uses import GpuUse, Way

Shown = tuple[Place, str]


def is_handed(way: Way) -> bool:
    """Whether the names that nobody finds are those that the plugin handed over."""
    handed = way.handed
    if way.outcome is None or way.outcome.door in {Door.VOLUME_MOUNT, Door.ANNOTATION}:
        return True
    given = (handed.variable or "").split(",")
    return any(name.partition("=")[2] in given for name in way.unresolved)


def asked_evidence(use: GpuUse, way: Way, plugin: Registrant | None) -> Iterator[Shown]:
    """Show the request, the choice of the GPU and the strategy, or the container's own variable."""
    if plugin is None and use.resource is not None:
        yield use.place("resources"), f"requests {use.resource}"
    if plugin is None:
        for index, variable in enumerate(use.view.container.env):
            if variable.name == VARIABLE:
                yield use.place("env", index), f"{VARIABLE}={variable.value}"
        return
    yield use.place("resources"), f"requests {use.resource}"
    if plugin.is_hami and hami.ALLOCATED in use.pod.metadata.annotations:
        given = way.handed.variable or ", ".join(way.handed.named or way.handed.annotated)
        yield use.pod.place("metadata", "annotations", hami.ALLOCATED), given
    yield plugin.settings_place, plugin.strategy_shown


def kind_evidence(node: NodeGpus, kind: str, way: Way) -> Iterator[Shown]:
    """Show what made the kind of a bare name, and the spec that offers something of it."""
    config = node.toolkit
    if way.outcome is not None and isinstance(config, Known):
        place = config.value.place(DEFAULT_KIND)
        if place is not None and config.value.default_kind == kind:
            yield place, f"default-kind {kind}"
    registry = node.specs
    if registry is not None:
        for name, device in registry.devices.items():
            if name.partition("=")[0] == kind:
                yield device.place, ", ".join(registry.kinds[kind][:4])
                return
