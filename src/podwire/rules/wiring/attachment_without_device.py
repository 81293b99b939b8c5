"""A pod names more networks on a resource than it requests devices of it.

What you see
    The pod is scheduled and stays in ContainerCreating. The event
    FailedCreatePodSandBox ends with the CNI's sentence that it got no
    device. Each retry takes a new address from the first network's pool.

Why
    Multus hands the pod's devices of a resource out one for each network
    that names it, in the order of the annotation. When none is left it
    passes none and says nothing; ib-sriov and sriov then refuse, and with
    one interface the whole sandbox fails. The devices of all containers
    count together.

Fix
    Request as many devices as networks name the resource, or drop a
    network. The network-resources-injector would add a request that is
    missing altogether.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, all_of
from podwire.model.names import ResourceName
from podwire.peers.resources_injector import NOT_HONORING
from podwire.wire.joined.claims import CLAIMED, has_claims
from podwire.wire.joined.passed import lacking
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.networks.meant import meant_by
from podwire.wire.networks.nads import no_device_event
from podwire.wire.picture import Picture


def check(part: PodResource, picture: Picture) -> Iterator[Finding]:
    """Count the networks that ask for a resource against the requests for it."""
    pod, resource, attaching = part.pod, part.resource, part.attaching
    if not attaching or pod.pod.stage is Stage.UP or pod.is_on_host_network:
        return
    held = pod.visible(resource).need()
    short = lacking(pod, picture.passed(pod), resource)
    if not short or not all_of([a.needs_device for a in short]).need().value:
        return
    completed = picture.is_completed(pod.pod).need()
    if completed.value and not held.value:
        return
    if has_claims(pod.pod):
        CLAIMED.need()
    first = short[0]
    wrong = _unmade(part, picture)
    yield Finding(
        severity=Severity.ERROR,
        message=f"{pod.full_name} names {_networks(len(attaching))} on {resource} and requests "
        f"{held.value or _none(part)}: {first.interface} ({first.selection.name}) gets no device",
        evidence=(
            Evidence(at=pod.annotation_place(), saw=pod.annotation()),
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in part.requests),
        ),
        sees=f"the pod stays Pending for want of {wrong}; where a node has that, it "
        f"stays in ContainerCreating: {no_device_event(first, picture)}"
        if wrong
        else f"the pod stays in ContainerCreating: {no_device_event(first, picture)}",
        fix=tuple(_fixes(part, wrong)),
        assumes=(
            *held.assumes,
            *completed.assumes,
            *((NOT_HONORING,) if completed.value else ()),
        ),
        also=(first.selection.ref,),
        group=f"{picture.kin(pod.pod)} {resource}",
    )


def _none(part: PodResource) -> str:
    return "them in an init container only" if part.requests else "none"


def _networks(count: int) -> str:
    return "1 network" if count == 1 else f"{count} networks"


def _unmade(part: PodResource, picture: Picture) -> ResourceName | None:
    """Find a request that means this resource and names one that nothing makes."""
    for resource in part.pod.resources:
        made = picture.makes(resource)
        is_nowhere = isinstance(made, Known) and not made.value
        if is_nowhere and meant_by(part.pod, resource, picture) == part.resource:
            return resource
    return None


def _fixes(part: PodResource, wrong: ResourceName | None) -> Iterator[Fix]:
    count, last = len(part.attaching), part.attaching[-1]
    instead = f" in place of {wrong}" if wrong else " in one container"
    yield Fix(text=f"request {count} of {part.resource}{instead}")
    yield Fix(
        text=f"drop the network {last.selection.name} from the annotation",
        breaks=f"the pod has no {last.interface} then",
    )


RULE = Rule(
    id="PW104",
    slug="attachment-without-device",
    title="Pod names more networks on a resource than it requests devices",
    since="0.1",
    joint=Joint.COUNT,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",
        "network-resources-injector v1.9.0 pkg/webhook/webhook.go",
    ),
    over=lambda picture: picture.pod_resources,
    check=check,
    is_symptom=True,
    shows_as=("no-device",),
)
