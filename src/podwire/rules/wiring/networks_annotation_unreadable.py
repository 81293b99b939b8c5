"""Multus cannot read the networks annotation.

What you see
    The pod is scheduled and stays in ContainerCreating. The event
    FailedCreatePodSandBox says that the annotation failed to parse, or
    quotes the value that is refused.

Why
    A value with a bracket, a brace or a double quote is read as a JSON list
    of objects, anything else as `[namespace/]name[@interface], ...` in
    lower-case letters. One item that fits neither fails the whole pod, and
    so do two networks with a default-route of one family.

Fix
    Correct the annotation. A pod that hangs is tried again by itself once
    its annotation is right.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.multus import NETWORKS, Unreadable
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_SHOWN = 60  # characters of the text around the fault


def check(pod: WiredPod, picture: Picture) -> Iterator[Finding]:
    """State what Multus refuses."""
    fault = pod.networks
    if not isinstance(fault, Unreadable) or pod.is_over or pod.is_on_host_network:
        return
    is_up = pod.pod.stage is Stage.UP
    place = pod.pod.place("metadata", "annotations", NETWORKS, inner=fault.path or None)
    yield Finding(
        severity=Severity.WARNING if is_up else Severity.ERROR,
        message=f"Multus refuses the networks annotation of {pod}{_where(fault)}"
        f": {fault.hint or fault.reason}",
        evidence=(Evidence(at=place, saw=_saw(pod.annotation(), fault)),),
        sees=_sees(fault, is_up=is_up),
        fix=(Fix(text="correct the annotation" + (f": {fault.hint}" if fault.hint else "")),),
        group=f"{picture.kin(pod.pod)}",
    )


def _where(fault: Unreadable) -> str:
    return "" if fault.at is None else f" at character {fault.at + 1}"


def _saw(text: str, fault: Unreadable) -> str:
    if fault.at is None or len(text) <= _SHOWN:
        return text if fault.path is None else text[: 4 * _SHOWN]
    start = max(0, fault.at - _SHOWN // 2)
    return f"...{text[start : start + _SHOWN]}..."


def _sees(fault: Unreadable, *, is_up: bool) -> str:
    if is_up:
        return f"the pod runs on; one made anew stays in ContainerCreating: {fault.message}"
    return f"the pod stays in ContainerCreating: FailedCreatePodSandBox, {fault.message}"


RULE = Rule(
    id="PW108",
    slug="networks-annotation-unreadable",
    title="Multus cannot read the networks annotation",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go parsePodNetworkAnnotation",
        "multus-cni v4.3.0 pkg/types/conf.go CheckGatewayConfig",
    ),
    over=lambda picture: picture.wired,
    check=check,
)
