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
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.patches import and_remove, annotate
from podwire.findings.unused import unused
from podwire.model.names import ResourceName
from podwire.peers.multus import RESOURCE_NAME
from podwire.wire.joined.claims import CLAIMED, are_in_use, has_claims
from podwire.wire.joined.pods import WiredPod, resource_named_by
from podwire.wire.networks.meant import candidates, unread_resource
from podwire.wire.networks.nads import needs_device, no_device_sentence, pods_on
from podwire.wire.networks.uses import Use, pods_hang, use_of
from podwire.wire.picture import Picture


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Ask whether the CNI needs a device, and the annotation for where to take it."""
    if resource_named_by(nad) is not None or not needs_device(nad, picture).need().value:
        return
    pods = pods_on(nad, picture)
    if pods and not any(_waits_for_one(nad, pod) for pod in pods):
        return  # Each names its device in the annotation, or calls no CNI.
    if any(has_claims(pod.pod) for pod in pods):
        CLAIMED.need()
    if not pods and are_in_use(picture.facts):
        return  # A claim names the network, and its driver calls the CNI.
    written = nad.metadata.annotations.get(RESOURCE_NAME)
    meant = candidates(nad, pods, picture)
    spare = tuple(r for r in meant if any(r in pod.resources for pod in pods))
    says = "names no resource" if written is None else f"names {written!r} as its resource"
    wrong = "" if written is None else ", which is no domain/name"
    yield Finding(
        severity=Severity.ERROR if use_of(nad, picture) is Use.WAITING else Severity.WARNING,
        message=f"network {nad.ref.full_name} {says}{wrong}: its CNI gets no device"
        + (f"; its pods request {', '.join(map(str, spare))}" if spare else ""),
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:2]),
            _seen(nad),
        ),
        sees=f"{pods_hang(nad, picture)}: " + no_device_sentence(nad, picture),
        cause=_cause(nad),
        fix=tuple(_fixes(nad, meant)),
        also=tuple(pod.ref for pod in pods),
        explains=unused(pods, spare),
    )


def _waits_for_one(nad: Network, pod: WiredPod) -> bool:
    ref = nad.ref
    mine = (a.selection for a in pod.attachments if a.selection.ref == ref)
    return not pod.is_on_host_network and any(not s.device_id for s in mine)


def _seen(nad: Network) -> Evidence:
    unread, written = unread_resource(nad), nad.metadata.annotations.get(RESOURCE_NAME)
    if unread and not written:
        return Evidence(at=nad.place(*unread.path), saw=unread.value)
    at = nad.place("metadata", "annotations", RESOURCE_NAME)
    return Evidence(at=at, saw=written or "no annotation")


def _cause(nad: Network) -> Cause | None:
    unread = unread_resource(nad)
    if unread is None:
        return None
    spelt = f"the annotation is spelt {unread.key}, not {RESOURCE_NAME}"
    text = f"{RESOURCE_NAME} stands among the labels" if unread.is_label else spelt
    return Cause(text=text, proven=True)


def _fixes(nad: Network, meant: tuple[ResourceName, ...]) -> Iterator[Fix]:
    unread = unread_resource(nad)
    written = ResourceName.maybe(unread.value) if unread else None
    names = meant or ((written,) if written else ())
    instead = f" in place of {unread.key}" if unread and not unread.is_label else ""
    for name in names:
        patch = annotate(nad.ref, RESOURCE_NAME, str(name), have=nad.metadata.annotations)
        if unread:
            patch = and_remove(patch, unread.path)
        yield Fix(
            text=f"annotate {nad.ref.full_name} with {RESOURCE_NAME}: {name}{instead}",
            patch=patch if len(names) == 1 else None,
        )
    if not names:
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
    shows_as=("no-device",),
)
