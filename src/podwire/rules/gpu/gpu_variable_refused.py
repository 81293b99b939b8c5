"""A container's GPUs are handed over in a variable that the toolkit refuses.

What you see
    The pod has a GPU by its request and none inside: no nvidia-smi, no
    libcuda.so.1. Toolkits before v1.18 may refuse the container instead.

Why
    accept-nvidia-visible-devices-envvar-when-unprivileged = false closes the
    way by which pods help themselves to GPUs, and the device plugin's
    strategy envvar uses the same way.

Fix
    Set the plugin's strategy to volume-mounts, which the toolkit has to
    accept, or to cdi-cri.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.uses import JudgedUse

_ACCEPT = "accept-nvidia-visible-devices-envvar-when-unprivileged"


def check(judged: "JudgedUse", picture: Picture) -> Iterator[Finding]:
    """Look whether NVIDIA's runtime takes what the plugin hands over."""
    use, gpus = judged.use, picture.gpus
    way = judged.known
    plugin = way.plugin
    if gpus is None or plugin is None:
        return
    if way.fault != "variable refused":
        return
    place = gpus.node(way.node).setting(_ACCEPT)
    yield Finding(
        severity=Severity.ERROR,
        message=f"{use.full_name} gets no GPU on {way.node}: {plugin.text} hands it over by "
        f"NVIDIA_VISIBLE_DEVICES (strategy {plugin.strategy}), which the toolkit there ignores in "
        f"unprivileged containers ({_ACCEPT} = false)",
        evidence=(
            Evidence(at=use.place("resources"), saw=f"requests {use.resource}"),
            Evidence(at=plugin.settings_place, saw=plugin.strategy_shown),
            *((Evidence(at=place, saw=f"{_ACCEPT} = false"),) if place else ()),
        ),
        sees="the container starts without a GPU: nvidia-smi and libcuda.so.1 are missing in it",
        fix=(
            Fix(
                text="set DEVICE_LIST_STRATEGY of the plugin to cdi-cri (HAMi: "
                "devicePlugin.deviceListStrategy)",
                breaks="needs CDI in the container runtime: containerd 2.0 and newer have it on",
            ),
            Fix(
                text="or to volume-mounts, with accept-nvidia-visible-devices-as-volume-mounts = "
                "true",
                breaks="a pod that may use hostPath can then mount its way to a GPU: forbid that "
                "by Pod Security (baseline)",
            ),
        ),
        assumes=way.assumes,
        also=(plugin.ref,),
        group=f"{plugin.ref} {way.node}",
    )


RULE = Rule(
    id="PW507",
    slug="gpu-variable-refused",
    title="GPUs are handed over in a variable that the toolkit refuses",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go VisibleDevices",
        "k8s-device-plugin v0.20.0 internal/plugin/server.go getAllocateResponse",
    ),
    over=lambda picture: picture.gpus.known_ways if picture.gpus else (),
    check=check,
)
