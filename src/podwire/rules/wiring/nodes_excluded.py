"""Nodes have the device that a pod requests, and the pod may run on none of them.

What you see
    The pod stays Pending. The event FailedScheduling counts nodes that did
    not match the selector or had a taint; the nodes that are left are
    "Insufficient".

Why
    Node selector, affinity, taints and a cordon keep a pod from a node
    before devices are counted. Here they keep it from every node that has
    the resource, and let it go only where there is none.

Fix
    Tolerate the taint, correct the selector, label or uncordon the node.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.unused import unused
from podwire.model.evidence import Path
from podwire.peers.scheduler import Kind, Obstacle, written_taint
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.reach import is_to_be_placed
from podwire.wire.picture import Picture

_IN_POD: Mapping[Kind, Path] = {
    "node-selector": ("spec", "nodeSelector"),
    "node-affinity": ("spec", "affinity"),
    "taint": ("spec", "tolerations"),
}
_IN_NODE: Mapping[Kind, Path] = {
    "node-selector": ("metadata", "labels"),
    "node-affinity": ("metadata", "labels"),
    "taint": ("spec", "taints"),
    "cordoned": ("spec", "unschedulable"),
}
Pairs: TypeAlias = list[tuple[Obstacle, str]]


def check(part: PodResource, picture: Picture) -> Iterator[Finding]:
    """See whether every node that has the resource keeps the pod away."""
    pod, resource = part.pod, part.resource
    if resource not in picture.network_resources or not part.requests:
        return
    if not is_to_be_placed(pod):
        return
    reach = picture.reach(pod.pod, resource)
    if not reach.barred or reach.is_offered.need().value:
        return
    if pod.pod.spec.scheduling_gates:
        return  # Whoever holds it back tells it where to go when letting it go.
    passing = [why for _, why in reach.barred if all(o.passes_by_itself for o in why)]
    is_brief = pod.pod.is_template or any(all(o.taint for o in why) for why in passing)
    severity = (Severity.NOTE if is_brief else Severity.WARNING) if passing else Severity.ERROR
    pairs = [(o, name) for name, obstacles in reach.barred[:3] for o in obstacles]
    whys = "; ".join(o.text for _, obstacles in reach.barred[:3] for o in obstacles[:1])
    more = len(reach.barred) - 3
    yield Finding(
        severity=severity,
        message=f"{pod} may run on no node that has {resource}: {whys[:250]}"
        + (f"; and {more} more nodes" if more > 0 else ""),
        evidence=(
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in part.requests[:1]),
            *_seen(pod, pairs, picture),
        ),
        sees=f"the pod stays Pending{' until that passes' if passing else ''}: FailedScheduling, "
        "and not for want of devices"
        + (" on the nodes that have them" if len(picture.node_names) > len(reach.barred) else ""),
        fix=tuple(_fixes(pairs)),
        assumes=reach.assumes,
        also=tuple(n.ref for n in map(picture.node, (name for name, _ in reach.barred)) if n),
        group=f"{picture.kin(pod.pod)} {resource}",
        explains=unused((pod,), (resource,)),
    )


def _seen(pod: WiredPod, pairs: Pairs, picture: Picture) -> Iterator[Evidence]:
    spec = pod.pod.spec
    wants = ", ".join(f"{key}={value}" for key, value in sorted(spec.node_selector.items()))
    saw: Mapping[Kind, str] = {
        "node-selector": wants,
        "node-affinity": "required",
        "taint": f"{len(spec.tolerations) or 'no'} tolerations",
    }
    for kind in dict.fromkeys(obstacle.kind for obstacle, _ in pairs):
        if kind in _IN_POD:
            yield Evidence(at=pod.pod.place(*_IN_POD[kind]), saw=saw[kind])
    for obstacle, name in pairs:
        node = picture.node(name)
        if node is not None and obstacle.kind in _IN_NODE:
            yield Evidence(at=node.place(*_IN_NODE[obstacle.kind]), saw=obstacle.text)


def _fixes(pairs: Pairs) -> Iterator[Fix]:
    every = {kind: [p for p in pairs if p[0].kind == kind] for kind in _IN_NODE}
    for taint in dict.fromkeys(o.taint for o, _ in every["taint"] if o.taint):
        yield Fix(text=f"tolerate {written_taint(taint)} in the pod")
    for _, name in every["cordoned"]:
        yield Fix(text=f"kubectl uncordon {name}", breaks="what it was cordoned for")
    labels = dict.fromkeys(n for _, n in (*every["node-selector"], *every["node-affinity"]))
    if labels:
        yield Fix(text=f"correct the pod's selector, or the labels of {', '.join(labels)}")


RULE = Rule(
    id="PW122",
    slug="nodes-excluded",
    title="Pod may run on no node that has the device it requests",
    since="0.1",
    joint=Joint.PLACEMENT,
    refs=(
        "kubernetes v1.37.2 pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go",
        "kubernetes v1.37.2 pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go",
    ),
    over=lambda picture: picture.pod_resources,
    check=check,
)
