"""A network whose CNI needs a device names no resource to take it from.

What you see
    Pods that name the network stay in ContainerCreating, although they
    request virtual functions and hold them. The event
    FailedCreatePodSandBox ends with the CNI's sentence that it got no
    device.

Why
    Multus hands over a device only where the network's annotation
    resourceName says of which resource, as domain/name. Without it, or with
    a name that no resource can have, it passes none and says nothing;
    ib-sriov and sriov then refuse.

Fix
    Annotate the network with the resource that its pods request, in full.
"""

from collections.abc import Iterator

from podwire.facts.objects import Network
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.patches import annotate
from podwire.model.names import ResourceName
from podwire.peers.multus import RESOURCE_NAME, near_miss_key
from podwire.wire.joined.pods import WiredPod, resource_of
from podwire.wire.networks.nads import (
    Use,
    needs_device,
    no_device_sentence,
    pods_on,
    spare_resources,
    use_of,
)
from podwire.wire.picture import Picture


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Ask whether the CNI needs a device, and the annotation for where to take it."""
    if resource_of(nad) is not None or not needs_device(nad).need().value:
        return
    pods = pods_on(nad, picture)
    if pods and not any(_waits_for_one(nad, pod) for pod in pods):
        return  # Each names its device in the annotation, or calls no CNI.
    written = nad.metadata.annotations.get(RESOURCE_NAME)
    spare = spare_resources(pods, picture)
    says = "names no resource" if written is None else f"names {written!r} as its resource"
    wrong = "" if written is None else ", which is no domain/name"
    yield Finding(
        severity=Severity.ERROR if use_of(nad, picture) is Use.WAITING else Severity.WARNING,
        message=f"network {nad.ref.full_name} {says}{wrong}: its CNI gets no device"
        + (f"; its pods request {', '.join(map(str, spare))}" if spare else ""),
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:2]),
            Evidence(
                at=nad.place("metadata", "annotations", RESOURCE_NAME),
                saw=written or "no annotation",
            ),
        ),
        sees=f"pods on {nad.metadata.name} stay in ContainerCreating: "
        + no_device_sentence(nad, picture),
        cause=_cause(nad),
        fix=tuple(_fixes(nad, spare, picture)),
        also=tuple(pod.ref for pod in pods),
        explains=tuple(
            Symptom(slug="device-without-attachment", of=pod.ref.at(str(resource)))
            for pod in pods
            for resource in spare
        ),
    )


def _waits_for_one(nad: Network, pod: WiredPod) -> bool:
    ref = nad.ref
    mine = (a.selection for a in pod.attachments if a.selection.ref == ref)
    return not pod.is_on_host_network and any(not s.device_id for s in mine)


def _cause(nad: Network) -> Cause | None:
    for key in nad.metadata.annotations:
        if near_miss_key(key) == RESOURCE_NAME:
            return Cause(text=f"the annotation is spelt {key}, not {RESOURCE_NAME}", proven=True)
    if RESOURCE_NAME in nad.metadata.labels:
        return Cause(text=f"{RESOURCE_NAME} stands among the labels", proven=True)
    return None


def _fixes(nad: Network, spare: tuple[ResourceName, ...], picture: Picture) -> Iterator[Fix]:
    written = nad.metadata.annotations.get(RESOURCE_NAME, "")
    named = [r for r in sorted(picture.pools_of) if written and r.name == written]
    for resource in dict.fromkeys((*spare, *named)):
        yield Fix(
            text=f"annotate {nad.ref.full_name} with {RESOURCE_NAME}: {resource}",
            patch=annotate(nad.ref, RESOURCE_NAME, str(resource), have=nad.metadata.annotations),
        )
    if not (spare or named):
        yield Fix(text=f"annotate {nad.ref.full_name} with {RESOURCE_NAME}: domain/name of a pool")


RULE = Rule(
    id="PW102",
    slug="nad-without-resource",
    title="Network whose CNI needs a device names no resource",
    since="0.1",
    joint=Joint.NAME,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",
        "ib-sriov-cni v1.3.0 pkg/config/config.go LoadConf",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
)
