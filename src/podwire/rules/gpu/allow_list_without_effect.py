"""A device plugin has a list of GPUs and sees every GPU all the same.

What you see
    The node offers all GPUs, not those of the list: 8 and not 2.

Why
    NVIDIA_VISIBLE_DEVICES decides which device nodes the NVIDIA runtime puts
    into a container. A privileged container has all devices of the host
    anyway, and the plugin serves what the driver shows it. The GPU
    Operator's plugin is privileged, whatever its variables say, and the
    operator takes back what others change on its DaemonSets.

Fix
    Run a plugin of your own without privileges for the list, and label the
    node nvidia.com/gpu.deploy.device-plugin=false.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.plugin_configs import GpuList
    from podwire.wire.gpu.registrants import Registrant

_LABEL = "nvidia.com/gpu.deploy.device-plugin"


def check(plugin: "Registrant", picture: Picture) -> Iterator[Finding]:
    """Look for a list in a container that has every device."""
    if not plugin.is_privileged or picture.gpus is None:
        return
    for found in picture.gpus.plugins.lists_of(plugin):
        if picture.gpus.plugins.is_all_there(plugin, found.devices):
            continue
        yield Finding(
            severity=Severity.ERROR,
            message=f"{found.owner} lists {found.text} for {_whom(plugin, found)} privileged: the "
            "list has no effect, every GPU of the node is offered",
            evidence=tuple(_evidence(plugin, found)),
            sees="the nvidia.com/gpu of the node counts all of its GPUs",
            fix=tuple(_fixes(plugin)),
            also=(plugin.ref,),
        )


def _whom(plugin: "Registrant", found: "GpuList") -> str:
    return "itself and is" if found.owner == plugin.ref else f"{plugin.text}, which is"


def _evidence(plugin: "Registrant", found: "GpuList") -> Iterator[Evidence]:
    yield Evidence(at=found.place, saw=f"NVIDIA_VISIBLE_DEVICES={found.text}")
    if plugin.container is not None:
        yield Evidence(at=plugin.place("securityContext", "privileged"), saw="true")


def _fixes(plugin: "Registrant") -> Iterator[Fix]:
    if plugin.is_operators:
        yield Fix(
            text=f"label the node {_LABEL}=false and run an unprivileged plugin of your own there, "
            "with the list"
        )
    else:
        yield Fix(
            text="set privileged: false and drop all capabilities",
            breaks="MIG devices need SYS_ADMIN; where the toolkit ignores the variable of "
            "unprivileged containers the list has to be volume mounts",
        )
    yield Fix(text="or take the GPUs that are to stay away from the nvidia driver")


RULE = Rule(
    id="PW508",
    slug="allow-list-without-effect",
    title="Privileged device plugin has a list of GPUs",
    since="0.1",
    joint=Joint.SEEN,
    refs=(
        "gpu-operator v26.7.0 assets/state-device-plugin/0500_daemonset.yaml",
        "nvidia-container-toolkit v1.20.2 internal/config/image/privileged.go",
    ),
    over=lambda picture: picture.gpus.plugins.registrants if picture.gpus else (),
    check=check,
)
