"""A pod requests a device of a network that no node has.

What you see
    The pod stays Pending. The event FailedScheduling says "Insufficient"
    and the resource, in the same words as when all are in use.

Why
    The scheduler counts what nodes advertise. A resource that no node has
    is none short of anything to it: not waiting but another name, another
    node, or a device plugin that makes the resource helps.

Fix
    Request the name that nodes have. Where the name is right, look why the
    device plugin does not advertise it.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.names import ResourceName
from podwire.peers.event_texts import unschedulable_event
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.reach import is_to_be_placed
from podwire.wire.networks.nads import meant_by
from podwire.wire.picture import Picture


def check(share: PodResource, picture: Picture) -> Iterator[Finding]:
    """Look for one node that the pod may run on and that has the resource."""
    pod, resource = share.pod, share.resource
    if not share.requests or not is_to_be_placed(pod):
        return
    is_ours = resource in picture.network_resources
    meant = None if resource in picture.pools_of else meant_by(pod, resource, picture)
    if not is_ours and (meant is None or meant not in picture.network_resources):
        return
    reach = picture.reach(pod.pod, resource)
    if reach.is_offered.need().value or reach.barred or not reach.judged:
        return
    nodes = picture.candidates(pod.pod)
    whole = not nodes.excluded
    capacity = [n for n in map(picture.node, nodes.names[:2]) if n is not None]
    yield Finding(
        severity=Severity.ERROR,
        message=f"{pod.ref} requests {resource}, which no node "
        + ("has" if whole else "that it may run on has")
        + (f"; {meant} is made" if meant else ""),
        evidence=(
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in share.requests),
            *(
                Evidence(at=n.place("status", "capacity", str(resource)), saw=f"no {resource}")
                for n in capacity
            ),
        ),
        sees="the pod stays Pending: FailedScheduling, in the words that also stand for all in "
        "use: " + unschedulable_event(str(resource), nodes=reach.judged if whole else None),
        fix=tuple(_fixes(resource, meant)),
        assumes=reach.assumes,
        group=f"{picture.root(pod.pod)} {resource}",
        explains=(Symptom(slug="attachment-without-device", of=pod.ref.at(str(meant))),)
        if meant
        else (),
    )


def _fixes(resource: ResourceName, meant: ResourceName | None) -> Iterator[Fix]:
    if meant:
        yield Fix(text=f"request {meant} in place of {resource}")
    else:
        yield Fix(text=f"make a pool for {resource}, or see why its device plugin has none")


RULE = Rule(
    id="PW120",
    slug="resource-nowhere",
    title="Pod requests a device that no node has",
    since="0.1",
    joint=Joint.OFFER,
    refs=("kubernetes v1.37.2 pkg/scheduler/framework/plugins/noderesources/fit.go",),
    over=lambda picture: picture.pod_resources,
    check=check,
    is_symptom=True,
)
