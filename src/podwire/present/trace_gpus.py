"""The GPU end of a pod's wire: plugin, strategy, name, runtime and device of each container."""

from collections.abc import Iterator

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.uses import GpuUse, Way
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

Lines = Iterator[tuple[str, list[str]]]


def gpu_lines(pod: WiredPod, resource: ResourceName, *, picture: Picture) -> Lines:
    """Give labels with texts, in the order of the wire; nothing for what is no GPU."""
    gpus = picture.gpus
    if gpus is None:
        return
    if str(resource) in gpus.hami.setup.value.shares:
        yield "HAMi", ["its scheduler counts this; no node advertises it"]
    if not gpus.plugins.serves(resource):
        return
    for use in gpus.uses_of(pod.pod, resource):
        yield from _of_container(use, gpus)


def _of_container(use: GpuUse, gpus: Gpus) -> Lines:
    name = use.view.container.name
    way = gpus.way(use)
    if isinstance(way, Unknown):
        yield "plugin", [_plugin(use, gpus)]
        yield "GPU", [f"{name}: not known: {way.reason}"]
        return
    yield "plugin", [_plugin(use, gpus)]
    yield "handed", [f"{name}: {_handed(way.value)}"]
    yield "runtime", [_runtime(use, way.value, gpus)]
    if names := _names(way.value):
        yield "name", [names]
    yield "GPU", [_gpus(use, way.value)]


def _plugin(use: GpuUse, gpus: Gpus) -> str:
    if not use.node or use.resource is None:
        return "by the node that the pod goes to"
    found = gpus.plugins.serving(use.node, use.resource)
    if isinstance(found, Unknown):
        return found.reason
    plugin = found.value
    return f"{plugin.program.value} ({plugin.ref}), strategy {plugin.strategy or 'not known'}"


def _handed(way: Way) -> str:
    handed = way.handed
    parts = [
        *([f"NVIDIA_VISIBLE_DEVICES={handed.variable}"] if handed.variable is not None else []),
        *(f"mount of {name}" for name in handed.mounts),
        *([f"CDI {', '.join(handed.named or handed.annotated)}"] if _cdi_names(way) else []),
    ]
    example = " (for example)" if way.is_example else ""
    return (", ".join(parts) or "nothing") + example


def _cdi_names(way: Way) -> tuple[str, ...]:
    """Give the CDI names that the plugin hands over."""
    return way.handed.named or way.handed.annotated


def _runtime(use: GpuUse, way: Way, gpus: Gpus) -> str:
    named = use.pod.spec.runtime_class_name
    by = f"RuntimeClass {named}" if named else "no RuntimeClass"
    mode = way.outcome.mode if way.outcome else None
    whose = "NVIDIA's" if way.handler.is_nvidia else "not NVIDIA's"
    runtime = gpus.node(way.node).runtime
    where = f" in {runtime.value.runtime}" if isinstance(runtime, Known) else ""
    return f"{by}: {way.handler.name}{where}, {whose}" + (f", mode {mode.value}" if mode else "")


def _names(way: Way) -> str:
    asked = way.outcome.asked if way.outcome else ()
    if way.unresolved:
        offered = ", ".join(way.offered[:4]) or "nothing of that kind"
        return f"{', '.join(way.unresolved)}: --x-- no spec has it (offered: {offered})"
    if way.unread:
        return f"{', '.join(way.unread)}: --x-- nobody looks it up, CDI is off"
    return ", ".join(asked)


def _gpus(use: GpuUse, way: Way) -> str:
    name = use.view.container.name
    if use.has_started:
        return f"{name} started with them"
    words = {
        "unresolved": f"{name} does not start",
        "refused": f"{name} does not start: {way.says}",
        "variable unread": f"none in {name}: --x-- its runtime does not read the variable",
        "variable refused": f"none in {name}: --x-- the toolkit ignores the variable",
        "names unread": f"none in {name}",
    }
    if way.fault:
        return words[way.fault]
    found = way.outcome.gpus if way.outcome else None
    given = ", ".join(map(str, found.value)) if isinstance(found, Known) else ""
    return f"{name}: {given or 'as named'}"
