"""A device plugin that is given a list of GPUs sees none of them.

What you see
    The node offers no GPU. The plugin's log ends with "No devices found.
    Waiting indefinitely", or it restarts over and over.

Why
    A plugin without privileges learns its GPUs like any other container: the
    NVIDIA runtime puts into it what NVIDIA_VISIBLE_DEVICES names. Where
    accept-nvidia-visible-devices-envvar-when-unprivileged is false, to stop
    pods, the plugin's own is ignored too; other runtimes never read it.

Fix
    Give the plugin its cards as volume mounts, which the toolkit takes from
    unprivileged containers too. Do not make it privileged: then it sees the
    GPUs that it is to leave alone.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.cdi_names import sentence
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import PluginSight
    from podwire.wire.gpu.uses import Way

_ACCEPT = "accept-nvidia-visible-devices-envvar-when-unprivileged"
_MOUNTS = "accept-nvidia-visible-devices-as-volume-mounts"
_FOLDER = "/var/run/nvidia-container-devices"


def check(sight: "PluginSight", picture: Picture) -> Iterator[Finding]:
    """Ask what the plugin's own container gets; where the node has GPUs by it, it sees them."""
    gpus, at = picture.gpus, sight.at
    if gpus is None or gpus.plugins.is_served_by(at) or sight.is_by_annotation:
        return
    way = gpus.known_way(sight).need().value
    if not way.says and way.handler.is_nvidia and not way.is_refused:
        return
    wanted, node = sight.wanted, gpus.node(at.node)
    pod = at.pod.ref if at.pod else at.plugin.ref
    yield Finding(
        severity=Severity.ERROR,
        message=f"{at.plugin.ref} sees no GPU on {at.node}: {_why(way)}",
        evidence=(
            Evidence(at=wanted.place, saw=f"NVIDIA_VISIBLE_DEVICES={wanted.text}"),
            *(Evidence(at=p, saw=f"starts it: {way.handler.name}") for p in way.places[:1]),
            *(
                (Evidence(at=place, saw=f"{_ACCEPT} = false"),)
                if way.is_refused and (place := node.setting(_ACCEPT))
                else ()
            ),
        ),
        sees=f"the plugin finds no device and waits or restarts; {at.node} offers no nvidia.com/gpu"
        + (
            "; pods would fail likewise by its strategy envvar"
            if at.plugin.strategy == "envvar"
            else ""
        ),
        fix=tuple(_fixes(sight, way, accepts_mounts=node.accepts_mounts)),
        assumes=way.assumes,
        also=(*((at.object.ref,) if at.object else ()), pod),
        group=f"{at.plugin.ref} {way.fault}",
    )


def _why(way: "Way") -> str:
    if way.says:
        return f"its container does not start there ({sentence(way.says)})"
    if way.is_refused:
        return (
            "it is not privileged, and the toolkit there ignores NVIDIA_VISIBLE_DEVICES in such "
            f"containers ({_ACCEPT} = false)"
        )
    return (
        f"{way.handler.name} starts it, which is not NVIDIA's runtime and does not read "
        "NVIDIA_VISIBLE_DEVICES"
    )


def _fixes(sight: "PluginSight", way: "Way", *, accepts_mounts: bool) -> Iterator[Fix]:
    if way.says:
        yield Fix(
            text="set NVIDIA_CONTAINER_RUNTIME_MODE=auto for the toolkit: it then resolves bare "
            "numbers and UUIDs",
            breaks="then any pod under that runtime can take any GPU by the variable",
        )
    elif not way.is_refused:
        yield Fix(text="set runtimeClassName: nvidia in the plugin's template")
    else:
        before = "" if accepts_mounts else f"set {_MOUNTS} = true, and "
        yield Fix(
            text=f"{before}give the plugin its cards as volume mounts: hostPath /dev/null mounted "
            f"at {_FOLDER}/{sight.wanted.devices[0]}; and set DEVICE_LIST_STRATEGY to "
            "volume-mounts or cdi-cri, so that pods get theirs",
            breaks="a pod that may use hostPath can mount the same: forbid that by Pod Security "
            "(baseline)",
        )
        yield Fix(
            text=f"or set {_ACCEPT} = true again",
            breaks="then every pod under the NVIDIA runtime can take any GPU by the variable",
        )


RULE = Rule(
    id="PW506",
    slug="gpu-plugin-blind",
    title="Device plugin with a list of GPUs sees none of them",
    since="0.1",
    joint=Joint.SEEN,
    refs=(
        "nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go, privileged.go",
        "k8s-device-plugin v0.17.1 cmd/nvidia-device-plugin/main.go startPlugins",
    ),
    over=lambda picture: picture.gpus.plugins_own if picture.gpus else (),
    check=check,
)
