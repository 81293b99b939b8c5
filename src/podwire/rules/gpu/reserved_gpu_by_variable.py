"""Pods can take a GPU that is kept for the host, by a variable.

What you see
    nvidia-smi in a pod that requests no GPU, or another one, lists a GPU
    that the spec keeps for the host. No event and no count says so.

Why
    NVIDIA's runtime gives a container what NVIDIA_VISIBLE_DEVICES names, and
    most CUDA images name all. Who requested what it does not ask. Unless
    accept-nvidia-visible-devices-envvar-when-unprivileged is false it does so
    for every container; with it for those that have CAP_SYS_ADMIN. A
    RuntimeClass of its own closes nothing: any pod may name it. A quota counts
    requests, and these pods make none.

Fix
    Set it to false, after the device plugin hands GPUs over in another way;
    podwire guard simulate shows who would lose theirs.
"""

from collections.abc import Iterator

from podwire.findings import door_words as words
from podwire.findings.model import Finding, Fix, Joint, Rule, Severity
from podwire.wire.doors.records import Door, Kind
from podwire.wire.picture import Picture

_ACCEPT = "accept-nvidia-visible-devices-envvar-when-unprivileged"


def check(door: Door, picture: Picture) -> Iterator[Finding]:
    """Look whether the settings let anybody in, or CAP_SYS_ADMIN lets a pod in."""
    doors = picture.doors
    opening = door.opening.need().value
    if doors is None or not (opening or door.ordinary):
        for gap in door.gaps[:1]:
            gap.need()
        return
    reached = words.gpus_text(door.reached)
    pods = words.pods_text(door.ordinary)
    yield Finding(
        severity=Severity.ERROR,
        message=(
            f"any pod on {door.node} can take {reached}, kept for the host: {opening.through} "
            f"leads to NVIDIA's runtime, which obeys {opening.by} of any container there"
            + (f"; already taken so by {pods}" if pods else "")
            if opening
            else f"CAP_SYS_ADMIN lets {pods} on {door.node} take {reached}, kept for the host: "
            "with it NVIDIA's runtime obeys NVIDIA_VISIBLE_DEVICES of a container although "
            f"{_ACCEPT} is false"
        ),
        evidence=(
            *words.taker_evidence(door.ordinary),
            *words.opening_evidence(opening),
            *words.reserved_evidence(doors.reserved[door.node]),
        ),
        sees=words.SEEN,
        fix=(_close(door, picture), _void()) if opening else (words.POD_SECURITY,),
        assumes=opening.assumes if opening else door.assumes,
        also=words.everybody(door),
    )


def _close(door: Door, picture: Picture) -> Fix:
    doors = picture.doors
    plugins = doors.gpus.plugins.by_node.get(door.node, ()) if doors else ()
    by_variable = [at.plugin.text for at in plugins if at.plugin.strategy in {"", "envvar"}]
    whose = words.listed(by_variable) or "a device plugin"
    return Fix(
        text=f"set {_ACCEPT} = false on {door.node} (GPU Operator: toolkit.env, in capitals with "
        "underscores), after DEVICE_LIST_STRATEGY of the device plugin is cdi-cri, or "
        "volume-mounts with accept-nvidia-visible-devices-as-volume-mounts = true",
        breaks=f"pods that get their GPUs from {whose} by strategy envvar, and unprivileged "
        "exporters and plugins with the variable, get none: podwire guard simulate names them",
    )


def _void() -> Fix:
    return Fix(
        text="or let an admission policy write NVIDIA_VISIBLE_DEVICES=void into each container "
        "that requests no GPU, and refuse pods that set it otherwise",
        breaks="it has to write, not only refuse: what an image sets is not in the pod",
    )


RULE = Rule(
    id="PW512",
    slug="reserved-gpu-by-variable",
    title="Pods can take a reserved GPU by NVIDIA_VISIBLE_DEVICES",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go, privileged.go",
        "kubernetes v1.37.2 plugin/pkg/admission/runtimeclass/admission.go",
    ),
    over=lambda picture: picture.doors.to_reserved(Kind.VARIABLE) if picture.doors else (),
    check=check,
)
