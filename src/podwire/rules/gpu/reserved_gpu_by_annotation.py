"""Pods can take a GPU that is kept for the host, by an annotation.

What you see
    nvidia-smi in a pod that requests no GPU lists a GPU that the spec keeps
    for the host.

Why
    Kubelet does not hand a pod's cdi.k8s.io/ annotations to the container
    runtime, but containerd and CRI-O can be told to pass those of pods on
    (pod_annotations, allowed_annotations), and NVIDIA's runtime obeys them.
    The toolkit's NRI plugin obeys nvidia.cdi.k8s.io/ annotations of any pod;
    only the kind management.nvidia.com/gpu it keeps to some namespaces.

Fix
    Take the pattern out of pod_annotations: device plugins need
    container_annotations alone. With NRI, refuse the annotation at admission.
"""

from collections.abc import Iterator

from podwire.findings import door_words as words
from podwire.findings.model import Finding, Fix, Joint, Rule, Severity
from podwire.wire.doors.records import Door, Kind
from podwire.wire.picture import Picture


def check(door: Door, picture: Picture) -> Iterator[Finding]:
    """Look whether a pod's own annotations reach somebody who obeys them."""
    doors = picture.doors
    opening = door.opening.need().value
    if doors is None or opening is None:
        return
    pods = words.pods_text(door.ordinary)
    yield Finding(
        severity=Severity.ERROR,
        message=f"any pod on {door.node} can take {words.gpus_text(door.reached)}, kept for the "
        f"host, by {opening.by}: {opening.through} obeys it"
        + (f"; already taken so by {pods}" if pods else ""),
        evidence=(
            *words.taker_evidence(door.ordinary),
            *words.opening_evidence(opening),
            *words.reserved_evidence(doors.reserved[door.node]),
        ),
        sees=words.SEEN,
        fix=tuple(_fixes(door)),
        assumes=opening.assumes,
        also=words.everybody(door),
    )


def _fixes(door: Door) -> Iterator[Fix]:
    if door.kind is Kind.ANNOTATION:
        yield Fix(
            text="take cdi.k8s.io/* out of the handler's pod_annotations (CRI-O: "
            "allowed_annotations): what device plugins hand over comes by container_annotations",
            breaks="pods that ask for CDI devices by their own annotations get none",
        )
        return
    yield Fix(
        text="refuse the annotations nvidia.cdi.k8s.io, nvidia.cdi.k8s.io/pod and "
        "nvidia.cdi.k8s.io/container.* by an admission policy, the GPU Operator's namespace aside",
    )
    yield Fix(
        text="or set cdi.nriPluginEnabled=false in the ClusterPolicy",
        breaks="the operator's own pods come to their GPUs by a RuntimeClass again, which any pod "
        "may name",
    )


RULE = Rule(
    id="PW514",
    slug="reserved-gpu-by-annotation",
    title="Pods can take a reserved GPU by an annotation",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go",
        "nvidia-container-toolkit v1.20.2 cmd/nvidia-ctk-installer/container/runtime/nri/plugin.go",
        "containerd v2.4.2 internal/cri/opts/spec_linux.go WithCDI",
    ),
    over=lambda picture: (
        (*picture.doors.to_reserved(Kind.ANNOTATION), *picture.doors.to_reserved(Kind.NRI))
        if picture.doors
        else ()
    ),
    check=check,
)
