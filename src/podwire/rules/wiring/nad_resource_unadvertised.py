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
from podwire.model.names import ResourceName
from podwire.peers.event_texts import unschedulable_event
from podwire.peers.multus import RESOURCE_NAME
from podwire.wire.joined.pods import resource_of
from podwire.wire.networks.nads import (
    Use,
    meant_resource,
    needs_device,
    no_device_sentence,
    pods_on,
    spare_resources,
    use_of,
)
from podwire.wire.picture import Picture

_SYMPTOMS = ("attachment-without-device", "resource-nowhere")
_SPARE = "device-without-attachment"


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Look the annotated name up among the names that anything makes."""
    wanted = resource_of(nad)
    if wanted is None or not needs_device(nad).need().value:
        return  # A network without a resource is legal: bridge, macvlan.
    made = picture.makes(wanted).need()
    if made.value:
        return
    pods, meant = pods_on(nad, picture), meant_resource(wanted, picture)
    spare = tuple(r for r in spare_resources(pods, picture) if r in picture.all_made)
    yield Finding(
        severity=Severity.ERROR if use_of(nad, picture) is Use.WAITING else Severity.WARNING,
        message=f"{nad.ref.full_name} wants {wanted}, which nothing advertises"
        + (f"; its pods request {', '.join(map(str, spare))}" if spare else ""),
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:2]),
            Evidence(at=nad.place("metadata", "annotations", RESOURCE_NAME), saw=str(wanted)),
            *(
                Evidence(at=pools[0].place("resourceName"), saw=str(name))
                for name, pools in sorted(picture.pools_of.items())[:3]
            ),
        ),
        sees=_sees(nad, wanted, picture),
        fix=tuple(_fixes(nad, wanted, spare or ((meant,) if meant else ()), picture)),
        assumes=made.assumes,
        also=tuple(pod.ref for pod in pods),
        explains=(
            *(Symptom(slug=s, of=pod.ref.at(str(wanted))) for pod in pods for s in _SYMPTOMS),
            *(Symptom(slug=_SPARE, of=pod.ref.at(str(r))) for pod in pods for r in spare),
        ),
    )


def _sees(nad: Network, wanted: ResourceName, picture: Picture) -> str:
    pods = pods_on(nad, picture)
    asking = [pod for pod in pods if wanted in pod.resources]
    pending = f"pods that request it stay Pending: {unschedulable_event(str(wanted))}"
    if asking and len(asking) == len(pods):
        return pending
    hanging = f"its pods stay in ContainerCreating: {no_device_sentence(nad, picture)}"
    return f"{hanging}; {pending}" if asking else hanging


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
            patch=set_annotation(nad.ref, RESOURCE_NAME, str(name)),
        )
    if not names:
        made = sorted(r for r in picture.on_nodes if r.prefix == wanted.prefix)
        others = ", ".join(map(str, made[:3])) or "one that exists"
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
)
