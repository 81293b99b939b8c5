"""A pod on the host network names networks.

What you see
    The pod runs and has the interfaces of the node, and none of the
    networks that it names. No event says so; virtual functions that it
    requests are held, with their interfaces left on the node.

Why
    With hostNetwork the pod has no network namespace of its own, so the
    runtime calls no CNI for it, Multus neither.

Fix
    Drop hostNetwork, or drop the annotation and use the node's interfaces.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.multus import NETWORKS, Selections
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture


def check(pod: WiredPod, picture: Picture) -> Iterator[Finding]:
    """See whether a pod without a network namespace names networks."""
    networks = pod.networks
    if not pod.is_on_host_network or pod.is_over or networks is None:
        return
    if isinstance(networks, Selections) and not networks.items:
        return
    held = [r for r in pod.requests if r.resource in picture.network_resources]
    yield Finding(
        severity=Severity.ERROR if held else Severity.WARNING,
        message=f"{pod} is on the host network and names the networks {pod.annotation()[:80]}: "
        "no CNI is called for it",
        evidence=(
            Evidence(at=pod.annotation_place(), saw=pod.annotation()),
            Evidence(at=pod.pod.place("spec", "hostNetwork"), saw="true"),
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in held),
        ),
        sees="the pod runs with the node's interfaces and none of those networks, and no event "
        "says so",
        fix=(
            Fix(
                text="drop hostNetwork",
                breaks="the pod no longer has the node's addresses and ports",
            ),
            Fix(text=f"drop the annotation {NETWORKS}"),
        ),
        group=f"{picture.kin(pod.pod)}",
    )


RULE = Rule(
    id="PW113",
    slug="networks-on-host-network",
    title="Pod on the host network names networks",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=("containerd v2.4.2 internal/cri/server/sandbox_run.go RunPodSandbox",),
    over=lambda picture: picture.wired,
    check=check,
)
