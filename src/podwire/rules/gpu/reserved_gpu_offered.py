"""The device plugin offers a GPU to pods that is kept for the host.

What you see
    The node offers as many nvidia.com/gpu as it has GPUs, and a pod that
    requests one may get the reserved GPU: by the front door.

Why
    NVIDIA's device plugin offers what it sees, and has no list of what to
    leave out. The GPU Operator's is privileged and sees every GPU, whatever its
    NVIDIA_VISIBLE_DEVICES says.

Fix
    Serve the node by a plugin that leaves GPUs out: one without privileges
    and with a list of UUIDs, HAMi with filterdevices, or podwire's agent.
"""

from collections.abc import Iterator

from podwire.findings import door_words as words
from podwire.findings.model import Finding, Fix, Joint, Rule, Severity
from podwire.wire.doors.records import Door, Kind
from podwire.wire.picture import Picture


def check(door: Door, picture: Picture) -> Iterator[Finding]:
    """Compare what kubelet was told, or the plugin sees, with what is reserved."""
    doors = picture.doors
    opening = door.opening.need().value
    if doors is None or opening is None:
        return
    yield Finding(
        severity=Severity.ERROR,
        message=f"{opening.through} offers {words.gpus_text(opening.gpus)} of {door.node} to "
        "pods, which the spec keeps for the host",
        evidence=(
            *words.opening_evidence(opening),
            *words.reserved_evidence(doors.reserved[door.node]),
        ),
        sees="a pod that requests nvidia.com/gpu may get the reserved GPU; the node counts it",
        fix=(
            Fix(
                text=f"kubectl label node {door.node} nvidia.com/gpu.deploy.device-plugin=false "
                "--overwrite, and serve it by an unprivileged k8s-device-plugin whose "
                "NVIDIA_VISIBLE_DEVICES lists the other GPUs' UUIDs",
                breaks="it needs a runtime that resolves UUIDs (mode auto or legacy), and its own "
                "strategy has to be one that the runtime of pods reads",
            ),
            Fix(text="or with HAMi: filterdevices.uuid for this node in its device configuration"),
        ),
        assumes=opening.assumes,
        also=words.everybody(door),
    )


RULE = Rule(
    id="PW516",
    slug="reserved-gpu-offered",
    title="Device plugin offers a reserved GPU",
    since="0.1",
    joint=Joint.SERVER,
    refs=(
        "k8s-device-plugin v0.20.0 internal/rm, cmd/nvidia-device-plugin/main.go",
        "gpu-operator v26.7.0 assets/state-device-plugin/0500_daemonset.yaml",
    ),
    over=lambda picture: picture.doors.to_reserved(Kind.PLUGIN) if picture.doors else (),
    check=check,
)
