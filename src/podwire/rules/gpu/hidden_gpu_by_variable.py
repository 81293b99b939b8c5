"""A device plugin leaves GPUs out, and any pod can take them by a variable.

What you see
    Nothing, until somebody sets NVIDIA_VISIBLE_DEVICES=all or uses an image
    that does: that pod has the GPUs which the plugin's list hides.

Why
    A list for the device plugin decides what kubelet counts, not what NVIDIA's
    runtime gives. Where accept-nvidia-visible-devices-envvar-when-unprivileged
    is true, which is the default, the runtime obeys the variable of any
    container that it starts, by default or by RuntimeClass.

Fix
    Set it to false; before that let the plugin hand GPUs over in another way,
    or legitimate pods get none. Name the hidden GPUs in podwire's spec
    (reserveForHost): then every door to them is judged.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Unknown
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import PluginSight

_ACCEPT = "accept-nvidia-visible-devices-envvar-when-unprivileged"
_MOUNTS = "accept-nvidia-visible-devices-as-volume-mounts"


def check(sight: "PluginSight", picture: Picture) -> Iterator[Finding]:
    """Look at the toolkit of a node on which a plugin is given a list of GPUs."""
    gpus, doors, at = picture.gpus, picture.doors, sight.at
    if gpus is None or doors is None or at.node in doors.reserved:
        return
    if gpus.plugins.is_all_there(at.plugin, sight.wanted.devices):
        return
    config = gpus.node(at.node).toolkit
    if isinstance(config, Unknown) or not config.value.accept_variable:
        return  # A note: not worth asking for a file.
    place = config.value.place((_ACCEPT,)) or sight.wanted.place
    yield Finding(
        severity=Severity.NOTE,
        message=f"any pod under NVIDIA's runtime on {at.node} can take any GPU by "
        f"NVIDIA_VISIBLE_DEVICES, also those that {at.plugin.ref} leaves out: the toolkit there "
        "obeys it in unprivileged containers",
        evidence=(
            Evidence(at=place, saw=f"{_ACCEPT} = true"),
            Evidence(at=sight.wanted.place, saw=f"NVIDIA_VISIBLE_DEVICES={sight.wanted.text}"),
        ),
        sees="nvidia-smi in a pod that sets the variable, or whose image does, lists hidden GPUs; "
        "a RuntimeClass of its own or a ResourceQuota changes nothing",
        fix=(
            Fix(
                text=f"set DEVICE_LIST_STRATEGY of the plugin to cdi-cri, or to volume-mounts with "
                f"{_MOUNTS} = true, make its pods anew, then set {_ACCEPT} = false",
                breaks="legitimate pods and the plugin itself get no GPU where it is set to false "
                "first; privileged containers and those with CAP_SYS_ADMIN keep the way in",
            ),
        ),
        also=((at.object.ref,) if at.object else ()),
        group=f"{at.plugin.ref}",
    )


RULE = Rule(
    id="PW517",
    slug="hidden-gpu-by-variable",
    title="Pods can take GPUs by NVIDIA_VISIBLE_DEVICES that a plugin's list hides",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=("nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go, privileged.go",),
    over=lambda picture: picture.gpus.plugins_own if picture.gpus else (),
    check=check,
)
