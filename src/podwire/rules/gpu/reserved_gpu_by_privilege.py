"""A privileged pod reaches a GPU that is kept for the host.

What you see
    The pod finds every /dev/nvidia* of the node. NVIDIA's runtime moreover
    obeys its NVIDIA_VISIBLE_DEVICES, whatever the toolkit refuses others.

Why
    A privileged container has all devices of the host, and nothing limits
    which of them it opens. No setting of NVIDIA's changes that. The node's own
    software (kube-system, DaemonSets, static pods) and what serves and watches
    GPUs need it and are not reported. A hostPath of /dev alone is no way in:
    without privilege the device cgroup does not let a container open them.

Fix
    Pod Security (baseline) in the namespaces of ordinary pods; or keep such
    pods from nodes with reserved GPUs by a taint.
"""

from collections.abc import Iterator

from podwire.findings import door_words as words
from podwire.findings.model import Finding, Fix, Joint, Rule, Severity
from podwire.wire.doors.records import Door, Kind
from podwire.wire.picture import Picture


def check(door: Door, picture: Picture) -> Iterator[Finding]:
    """Name ordinary pods that are privileged, all of a node in one finding."""
    doors, takers = picture.doors, door.ordinary
    if doors is None or not takers:
        return
    verb = "are" if len({str(taker.pod) for taker in takers}) > 1 else "is"
    yield Finding(
        severity=Severity.ERROR,
        message=f"{words.pods_text(takers)} {verb} privileged on {door.node} and so can "
        f"take {words.gpus_text(door.reached)}, kept for the host",
        evidence=(
            *words.taker_evidence(takers),
            *words.reserved_evidence(doors.reserved[door.node]),
        ),
        sees="the pod can open every GPU of the node, and jobs of the host share theirs with it",
        fix=(
            words.POD_SECURITY,
            Fix(
                text=f"or keep them from {door.node} by a taint that they do not tolerate",
                breaks="pods that are to run there need the toleration",
            ),
        ),
        also=words.everybody(door),
    )


RULE = Rule(
    id="PW515",
    slug="reserved-gpu-by-privilege",
    title="Privileged pod reaches a reserved GPU",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "containerd v2.4.2 internal/cri/server/container_create.go WithAllDevicesAllowed",
        "nvidia-container-toolkit v1.20.2 internal/config/image/privileged.go",
    ),
    over=lambda picture: picture.doors.to_reserved(Kind.PRIVILEGE) if picture.doors else (),
    check=check,
)
