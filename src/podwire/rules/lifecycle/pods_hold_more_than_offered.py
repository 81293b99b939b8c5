"""Pods on a node hold more devices of a resource than the node has.

What you see
    The pods run. To the scheduler more is requested than there is, so
    nothing else is placed there; a pod that is made again on the node is
    rejected, or stays Pending.

Why
    Kubelet takes the count from the device plugin, and a pod keeps what it
    was given. When the plugin comes back with fewer devices, or not at all,
    the count falls below what is in use.

Fix
    Bring the plugin's pool back to its size; the pods need nothing.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.starved import starving
from podwire.wire.joined.supply import served_by_class
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import NodeResource, node_resources, offer_at
from podwire.wire.pools.on_nodes import holding, waiting


def check(at: NodeResource, picture: Picture) -> Iterator[Finding]:
    """Add up what the pods on the node request."""
    holders = holding(at.resource, picture, node=at.node)
    if not holders or served_by_class(at.resource, facts=picture.facts) is not None:
        return
    capacity = offer_at(at, picture).need().value.capacity or 0
    held = sum(pod.demand(at.resource) for pod in holders)
    if held <= capacity:
        return
    node = picture.node(at.node)
    pods = waiting(at.resource, picture, node=at.node)
    yield Finding(
        severity=Severity.WARNING,
        message=f"pods on {at.node} hold {held} of {at.resource}, of which the node has "
        f"{capacity or 'none'}",
        evidence=(
            *(
                Evidence(at=r.place, saw=f"{r.count}")
                for pod in holders[:3]
                for r in pod.requests
                if r.resource == at.resource
            ),
            *(
                Evidence(
                    at=n.place("status", "capacity", str(at.resource)), saw=str(capacity or "none")
                )
                for n in (node,)
                if n is not None
            ),
        ),
        sees="these pods keep running; no other is placed on the node, and one of them that is "
        "made again there gets no device",
        fix=(Fix(text=f"see why {at.node} lost devices: the device plugin's log since its start"),),
        also=(*(pod.ref for pod in holders), *(pod.ref for pod in pods)),
        group=str(at.resource),
        explains=starving(pods, at.resource),
    )


RULE = Rule(
    id="PW1004",
    slug="pods-hold-more-than-offered",
    title="Pods on a node hold more devices than the node has",
    since="0.1",
    joint=Joint.OFFER,
    refs=("kubernetes v1.36.2 pkg/kubelet/cm/devicemanager/manager.go",),
    over=node_resources,
    check=check,
    is_symptom=True,
)
