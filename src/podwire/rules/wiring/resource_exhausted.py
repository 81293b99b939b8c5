"""A pod requests more devices of a network than a node has, or has left.

What you see
    The pod stays Pending. The event FailedScheduling says "Insufficient"
    and the resource.

Why
    All devices of a pod come from one node. When it requests more than any
    node has, it never fits; when other pods hold them, it waits for one of
    those to end. What a pod may have held is counted from all pods on the
    node that request the resource.

Fix
    Request fewer devices, make more of them, or end a pod that holds some.
"""

from collections.abc import Iterator
from itertools import islice

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.unused import unused
from podwire.peers.event_texts import unschedulable_event
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.reach import Reach, is_to_be_placed
from podwire.wire.picture import Picture

_MOST = 20  # pods that are named as holders


def check(part: PodResource, picture: Picture) -> Iterator[Finding]:
    """Compare the demand with the most that a node has, then with what is left."""
    pod, resource = part.pod, part.resource
    wanted = pod.demand(resource)
    if resource not in picture.network_resources or not wanted or not is_to_be_placed(pod):
        return
    reach = picture.reach(pod.pod, resource)
    if not reach.is_offered.need().value:
        return
    is_planned = pod.pod.stage is Stage.PLANNED
    if wanted > reach.capacity:
        if reach.unsure is not None:
            reach.unsure.need()
        says = f"and no node has more than {reach.capacity}: it never fits"
        yield _finding(part, reach, picture, says=says, severity=Severity.ERROR)
        return
    if is_planned or reach.unsure is not None:
        return  # What is in use when it is applied, nobody knows.
    picture.facts.pods.all_in().need()
    if wanted > reach.idle:
        says = "and other pods hold what the nodes have"
        yield _finding(part, reach, picture, says=says, severity=Severity.NOTE)
    elif wanted > reach.free:
        says = f"and of what is left no node has more than {max(reach.free, 0)} in health"
        yield _finding(part, reach, picture, says=says, severity=Severity.WARNING)


def _finding(
    part: PodResource, reach: Reach, picture: Picture, *, says: str, severity: Severity
) -> Finding:
    pod, resource = part.pod, part.resource
    never = severity is Severity.ERROR
    holders = () if never else _holders(part, reach, picture)
    nodes = [(s, picture.node(s.node)) for s in reach.shares[:3]]
    return Finding(
        severity=severity,
        message=f"{pod} requests {pod.demand(resource)} of {resource}, {says}",
        evidence=(
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in part.requests),
            *(
                Evidence(
                    at=node.place("status", "allocatable", str(resource)),
                    saw=f"{s.offer.allocatable} of {s.offer.capacity}, {s.used} requested",
                )
                for s, node in nodes
                if node is not None
            ),
            *(
                Evidence(at=r.place, saw=f"{r.count} ({h.full_name})")
                for h in holders[:3]
                for r in h.requests
                if r.resource == resource
            ),
        ),
        sees="the pod stays Pending: FailedScheduling, "
        + unschedulable_event(str(resource), nodes=reach.judged or None),
        fix=(
            Fix(text=f"request at most {reach.capacity}, or make more devices on a node")
            if never
            else Fix(text=f"end a pod that holds {resource}, or wait for one"),
        ),
        assumes=reach.assumes if never else (),
        also=tuple(h.ref for h in holders),
        group=f"{picture.kin(pod.pod)} {resource}",
        explains=unused((pod,), (resource,)) if never else (),
    )


def _holders(part: PodResource, reach: Reach, picture: Picture) -> tuple[WiredPod, ...]:
    pods = (pod for s in reach.shares for pod in picture.on_node.get(s.node, ()))
    return tuple(islice((pod for pod in pods if pod.demand(part.resource)), _MOST))


RULE = Rule(
    id="PW121",
    slug="resource-exhausted",
    title="Pod requests more devices than a node has, or has left",
    since="0.1",
    joint=Joint.OFFER,
    refs=("kubernetes v1.37.2 pkg/scheduler/framework/plugins/noderesources/fit.go",),
    over=lambda picture: picture.pod_resources,
    check=check,
    is_symptom=True,
    shows_as=("insufficient-resource",),
)
