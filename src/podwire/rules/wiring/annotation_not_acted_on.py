"""Pods run on a node, and Multus did not attach the networks that they name.

What you see
    The pods are Running with one interface, and have no network-status
    annotation. No event says so. It shows after a node was set up or
    booted.

Why
    Multus writes network-status on every pod that it handles. Without it
    the runtime called another CNI: it takes the first file in
    /etc/cni/net.d, and before Multus has written its own that is another
    one.

Fix
    Make Multus' file the first in /etc/cni/net.d, then make the pods anew.
    Keep pods away from a node until Multus is ready on it, by a taint.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Place
from podwire.peers.multus import NETWORK_STATUS
from podwire.wire.joined.pods import WiredPod
from podwire.wire.networks.cni_folder import CONFIGS, first_config, folder_place
from podwire.wire.networks.handled import NodePods, node_pods
from podwire.wire.picture import Picture


def check(node: NodePods, picture: Picture) -> Iterator[Finding]:
    """Count the running pods that name networks, by whether Multus handled them."""
    if not node.passed_over:
        return
    pods = node.passed_over
    count = "1 pod runs" if len(pods) == 1 else f"{len(pods)} pods run"
    names = "names networks and has" if len(pods) == 1 else "name networks and have"
    first = first_config(node.name, picture)
    is_other = first is not None and "multus" not in first.lower()
    place = folder_place(node.name, picture, folder=CONFIGS)
    yield Finding(
        severity=Severity.ERROR,
        message=f"{count} on {node.name}, {names} no network-status: Multus did not attach them "
        f"({', '.join(p.full_name for p in pods[:3])}{', ...' if len(pods) > 3 else ''})",
        evidence=(
            *(Evidence(at=p.annotation_place(), saw=p.annotation()) for p in pods[:2]),
            *(Evidence(at=_status(p), saw="handled") for p in node.handled[:1]),
            *((Evidence(at=place, saw=f"{first} is first"),) if is_other else ()),
        ),
        sees="the pods run without the interfaces of their networks, and no event says so",
        cause=_cause(node, first if is_other else None),
        fix=tuple(_fixes(node)),
        also=tuple(pod.ref for pod in pods),
    )


def _status(pod: WiredPod) -> Place:
    return pod.pod.place("metadata", "annotations", NETWORK_STATUS)


def _cause(node: NodePods, first: str | None) -> Cause:
    if first is not None:
        text = f"the runtime takes {first}, the first file in /{CONFIGS}, and not Multus' own"
    elif node.handled:
        text = "these pods started before Multus was ready on the node"
    else:
        text = "Multus is not the CNI that the runtime calls on this node"
    return Cause(text=text, proven=False)


def _fixes(node: NodePods) -> Iterator[Fix]:
    if not node.handled:
        yield Fix(text=f"see that Multus runs on {node.name} and its file is first in /{CONFIGS}")
    then = "" if node.handled else "then "
    yield Fix(text=f"{then}delete the pods, so that they are made anew")
    yield Fix(text="taint nodes at boot until Multus is ready there")


RULE = Rule(
    id="PW114",
    slug="annotation-not-acted-on",
    title="Pods run without the networks that they name: Multus did not handle them",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=(
        "multus-cni v4.3.0 pkg/multus/multus.go CmdAdd",
        "containerd/go-cni v1.1.12 opts.go loadFromConfDir",
    ),
    over=node_pods,
    check=check,
)
