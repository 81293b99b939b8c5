"""A container's GPUs are handed over in a variable that its runtime does not read.

What you see
    The pod runs, has a GPU by its request, and none inside: nvidia-smi is
    not found, CUDA finds no device. No event says so.

Why
    The device plugin's strategy envvar, and volume-mounts as well, speak to
    the NVIDIA runtime. A pod without a RuntimeClass is started by the node's
    default runtime, which is runc since the GPU Operator uses CDI.

Fix
    Let the plugin speak CDI, or start the pod by NVIDIA's runtime:
    runtimeClassName: nvidia.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.patches import add_value
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.uses import JudgedUse, Way


def check(judged: "JudgedUse", picture: Picture) -> Iterator[Finding]:
    """Look who starts a container whose GPUs are for NVIDIA's runtime to read."""
    use, gpus = judged.use, picture.gpus
    if gpus is None or use.resource is None:
        return
    way = judged.way.need().value
    plugin = way.plugin
    if way.fault != "variable unread" or plugin is None:
        return
    has_class = bool(use.pod.spec.runtime_class_name)
    nodes = (
        "device files without the driver's libraries" if way.handed.has_device_nodes else ("no GPU")
    )
    yield Finding(
        severity=Severity.ERROR,
        message=f"{use.full_name} gets no GPU on {way.node}: {plugin.text} hands it over by "
        f"{plugin.strategy} for the NVIDIA runtime to read, and {way.handler.name} starts the "
        "container",
        evidence=(
            Evidence(at=use.place("resources"), saw=f"requests {use.resource}"),
            Evidence(at=plugin.settings_place, saw=plugin.strategy_shown),
            *(
                Evidence(at=p, saw=f"{'its class' if has_class else 'default'}: {way.handler.name}")
                for p in gpus.default_places(way, has_class=has_class)
            ),
        ),
        sees=f"the container starts with {nodes}, and no event says so",
        fix=tuple(_fixes(judged, way, picture)),
        assumes=way.assumes,
        also=(plugin.ref,),
        group=f"{plugin.ref} {way.node} {way.handler.name}",
    )


def _fixes(judged: "JudgedUse", way: "Way", picture: Picture) -> Iterator[Fix]:
    yield Fix(
        text="set DEVICE_LIST_STRATEGY of the plugin to cdi-cri (HAMi: "
        "devicePlugin.deviceListStrategy)",
        breaks="needs CDI in the container runtime: containerd 2.0 and newer have it on",
    )
    pod = judged.use.pod
    name = picture.gpus.nvidia_class(way.node) if picture.gpus else None
    if name and not pod.spec.runtime_class_name:
        is_exchangeable = pod.is_template or pod.stage is Stage.PLANNED
        path = (*pod.path, "spec", "runtimeClassName")
        yield Fix(
            text=f"write runtimeClassName: {name} into the pod",
            patch=add_value(pod.of.ref, path, name) if is_exchangeable else None,
        )
    yield Fix(
        text="or make NVIDIA's the default runtime of the node",
        breaks="then every pod of the node can take GPUs by NVIDIA_VISIBLE_DEVICES, images that "
        "set it do so unasked",
    )


RULE = Rule(
    id="PW509",
    slug="gpu-variable-unread",
    title="GPUs are handed over in a variable that the runtime does not read",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "k8s-device-plugin v0.20.0 internal/plugin/server.go getAllocateResponse",
        "gpu-operator v25.10.0 controllers/object_controls.go",
    ),
    over=lambda picture: picture.gpus.judged if picture.gpus else (),
    check=check,
)
