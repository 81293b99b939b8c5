"""A network asks for a resource name that nothing makes.

What you see
    Pods that name the network are scheduled and then stay in
    ContainerCreating. The event FailedCreatePodSandBox ends with the CNI's
    sentence that it got no device, and names neither resource. Pods that
    request the unadvertised name as well stay Pending.

Why
    Multus looks the annotated resource up among the devices that kubelet
    gave the pod. When it is not among them, Multus passes no device and says
    nothing; ib-sriov and sriov refuse. Prefix and name both have to match.

Fix
    Set the annotation to the name that the pool advertises. Change the
    annotation, not the pool: pods already request the pool's name.
"""

from collections.abc import Iterator

from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.patches import set_annotation
from podwire.findings.unused import unused
from podwire.model.names import ResourceName
from podwire.peers.event_texts import unschedulable_event
from podwire.peers.multus import RESOURCE_NAME
from podwire.wire.joined.claims import CLAIMED, has_claims
from podwire.wire.joined.pods import WiredPod, resource_named_by
from podwire.wire.networks.meant import candidates
from podwire.wire.networks.nads import needs_device, no_device_sentence, pods_on
from podwire.wire.networks.uses import Use, pods_hang, use_of
from podwire.wire.picture import Picture

_SYMPTOMS = ("attachment-without-device", "resource-nowhere")


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Look the annotated name up among the names that anything makes."""
    wanted = resource_named_by(nad)
    if wanted is None or not needs_device(nad, picture).need().value:
        return  # A network without a resource is legal: bridge, macvlan.
    made = picture.makes(wanted).need()
    if made.value:
        return
    pods = pods_on(nad, picture)
    if any(_has_another_device(pod) for pod in pods):
        CLAIMED.need()
    meant = candidates(nad, pods, picture)
    pools = sorted(picture.pools_of.items())[:3]
    spare = tuple(r for r in meant if any(r in pod.resources for pod in pods))
    yield Finding(
        severity=Severity.ERROR if use_of(nad, picture) is Use.WAITING else Severity.WARNING,
        message=f"{nad.ref.full_name} wants {wanted}, which nothing advertises"
        + (f"; its pods request {', '.join(map(str, spare))}" if spare else ""),
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:2]),
            Evidence(at=nad.place("metadata", "annotations", RESOURCE_NAME), saw=str(wanted)),
            *(Evidence(at=p[0].place("resourceName"), saw=str(r)) for r, p in pools),
        ),
        sees=_sees(nad, wanted, picture),
        fix=tuple(_fixes(nad, wanted, meant, picture)),
        assumes=made.assumes,
        also=tuple(pod.ref for pod in pods),
        explains=(
            *(Symptom(slug=s, of=pod.ref.at(str(wanted))) for pod in pods for s in _SYMPTOMS),
            *unused(pods, spare),
        ),
    )


def _has_another_device(pod: WiredPod) -> bool:
    """Whether its device comes by a claim, or from nothing that it requests."""
    return has_claims(pod.pod) or (pod.is_attached and not pod.resources)


def _sees(nad: Network, wanted: ResourceName, picture: Picture) -> str:
    pods = pods_on(nad, picture)
    asking = [pod for pod in pods if wanted in pod.resources]
    event = unschedulable_event(str(wanted))
    if asking and len(asking) == len(pods):
        return f"{pods_hang(nad, picture, how='Pending')}: {event}"
    hanging = f"{pods_hang(nad, picture)}: {no_device_sentence(nad, picture)}"
    return f"{hanging}; pods that request it stay Pending: {event}" if asking else hanging


def _fixes(
    nad: Network, wanted: ResourceName, names: tuple[ResourceName, ...], picture: Picture
) -> Iterator[Fix]:
    asking = any(wanted in pod.resources for pod in pods_on(nad, picture))
    for name in names:
        if asking and name.name == wanted.name and name in picture.pools_of:
            pool = picture.pools_of[name][0].ref
            text = f"set resourcePrefix {wanted.prefix} in {pool}"
            yield Fix(text=text, breaks=f"whatever requests {name}")
        yield Fix(
            text=f"set {RESOURCE_NAME} of {nad.ref.full_name} to {name}"
            + (", and request that in its pods" if asking else ""),
            patch=set_annotation(nad.ref, RESOURCE_NAME, str(name)) if len(names) == 1 else None,
        )
    if not names:
        others = ", ".join(map(str, picture.names_on_nodes.beside(wanted)[:3])) or "one that exists"
        yield Fix(text=f"make a pool of that name, or annotate it with {others}")


RULE = Rule(
    id="PW103",
    slug="nad-resource-unadvertised",
    title="Network asks for a resource that nothing advertises",
    since="0.1",
    joint=Joint.NAME,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",
        "ib-sriov-cni v1.3.0 pkg/config/config.go LoadConf",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
    is_symptom=True,  # Of a pool whose name was lost or refused.
    shows_as=("no-device",),
)
