"""A pod requests a device of a network that no node has.

What you see
    The pod stays Pending. The event FailedScheduling says "Insufficient"
    and the resource, as it does when all are in use. Kubernetes 1.37 ends
    it with "Preemption is not helpful for scheduling."

Why
    The scheduler counts what nodes advertise: a resource that no node has
    looks to it like one that is used up. Waiting does not help; another
    name, another node, or a device plugin that makes the resource does.

Fix
    Request the name that nodes have. Where the name is right, look why the
    device plugin does not advertise it.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.unused import unused
from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.event_texts import unschedulable_event
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.reach import is_to_be_placed
from podwire.wire.networks.meant import meant_by
from podwire.wire.picture import Picture


def check(part: PodResource, picture: Picture) -> Iterator[Finding]:
    """Look for one node that the pod may run on and that has the resource."""
    pod, resource = part.pod, part.resource
    if not part.requests or not is_to_be_placed(pod):
        return
    is_ours = resource in picture.network_resources
    meant = None if resource in picture.pools_of else meant_by(pod, resource, picture)
    if not is_ours and (meant is None or meant not in picture.network_resources):
        return
    reach = picture.reach(pod.pod, resource)
    if isinstance(reach.is_offered, Unknown) and meant is not None:
        yield from _by_name(part, meant, picture)
    if reach.is_offered.need().value or reach.barred or not reach.judged:
        return
    nodes = picture.candidates(pod.pod)
    whole = not nodes.excluded
    where = "no node has" if whole else "no node that it may run on has"
    judged = reach.judged if whole else None
    capacity = [n for n in map(picture.node, nodes.names[:2]) if n is not None]
    seen = (
        Evidence(at=n.place("status", "capacity", str(resource)), saw=f"no {resource}")
        for n in capacity
    )
    finding = _finding(part, meant, picture, where=where, nodes=judged)
    yield replace(finding, evidence=(*finding.evidence, *seen), assumes=reach.assumes)


def _by_name(part: PodResource, meant: ResourceName, picture: Picture) -> Iterator[Finding]:
    """Tell a slip by the names of the pools alone, where not all nodes can be asked."""
    made = picture.makes(part.resource)
    if isinstance(made, Known) and not made.value:
        finding = _finding(part, meant, picture, where="nothing makes", nodes=None)
        yield replace(finding, assumes=made.assumes)


def _finding(
    part: PodResource,
    meant: ResourceName | None,
    picture: Picture,
    *,
    where: str,
    nodes: int | None,
) -> Finding:
    pod, resource = part.pod, part.resource
    return Finding(
        severity=Severity.ERROR,
        message=f"{pod} requests {resource}, which {where}"
        + (f"; {meant} is made" if meant else ""),
        evidence=tuple(
            Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in part.requests
        ),
        sees="the pod stays Pending: FailedScheduling, beginning as it does when all are in "
        "use: " + unschedulable_event(str(resource), nodes=nodes),
        fix=tuple(_fixes(resource, meant)),
        group=f"{picture.kin(pod.pod)} {resource}",
        explains=(
            *unused((pod,), (resource,)),
            Symptom(slug="attachment-without-device", of=pod.ref.at(str(meant or resource))),
        ),
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
    shows_as=("insufficient-resource",),
)
