"""Pods can take a GPU that is kept for the host, by a mount of /dev/null.

What you see
    nvidia-smi in a pod that requests no GPU lists a GPU that the spec keeps
    for the host.

Why
    With accept-nvidia-visible-devices-as-volume-mounts NVIDIA's runtime gives
    a container the GPU after which a mount below
    /var/run/nvidia-container-devices is named. It is meant for device plugins;
    that a pod wrote the mount itself nobody looks at.

Fix
    Keep ordinary pods from hostPath: Pod Security, baseline.
"""

from collections.abc import Iterator

from podwire.findings import door_words as words
from podwire.findings.model import Finding, Fix, Joint, Rule, Severity
from podwire.wire.doors.records import Door, Kind
from podwire.wire.picture import Picture

_ACCEPT = "accept-nvidia-visible-devices-as-volume-mounts"


def check(door: Door, picture: Picture) -> Iterator[Finding]:
    """An error where a pod does it, a note where the settings and Pod Security let it."""
    doors = picture.doors
    opening = door.opening.need().value
    if doors is None or not (opening or door.ordinary):
        return
    reached = words.gpus_text(door.reached)
    takers = door.ordinary
    yield Finding(
        severity=Severity.ERROR if takers else Severity.NOTE,
        message=f"{words.pods_text(takers)} on {door.node} can take {reached}, kept for the host: "
        f"mounts below /var/run/nvidia-container-devices name it ({_ACCEPT} = true)"
        if takers
        else f"a pod that may use hostPath can take {reached} of {door.node}, kept for the host: "
        f"NVIDIA's runtime takes {opening.by if opening else ''} for a request",
        evidence=(
            *words.taker_evidence(takers),
            *words.opening_evidence(opening),
            *words.reserved_evidence(doors.reserved[door.node]),
        ),
        sees=words.SEEN,
        fix=(
            words.POD_SECURITY,
            Fix(
                text=f"or set {_ACCEPT} = false, where the device plugin's strategy is cdi-cri",
                breaks="a plugin with strategy volume-mounts gives pods no GPU then",
            ),
        ),
        assumes=opening.assumes if opening and not takers else door.assumes,
        also=words.everybody(door),
    )


RULE = Rule(
    id="PW513",
    slug="reserved-gpu-by-mount",
    title="Pods can take a reserved GPU by a mount of /dev/null",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go requestsFromMounts",
    ),
    over=lambda picture: picture.doors.to_reserved(Kind.MOUNT) if picture.doors else (),
    check=check,
)
