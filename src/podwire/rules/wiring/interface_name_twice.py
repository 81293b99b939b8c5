"""Two networks of one pod ask for the same interface name.

What you see
    The pod stays in ContainerCreating. Each try attaches the networks before
    the second one, and then FailedCreatePodSandBox says that the interface
    name already exists.

Why
    Multus makes one interface after the other in the pod and refuses a name
    that is there. Networks without a name of their own become net1, net2, ...
    by their position, so a written net2 can meet a counted one; eth0 is the
    pod's first interface.

Fix
    Give each network a name of its own after the @, or leave all names out.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_FIRST = "eth0"  # what containerd and CRI-O call the interface of the cluster's network


def check(pod: WiredPod, picture: Picture) -> Iterator[Finding]:
    """Look for a name that comes a second time."""
    if pod.is_attached or pod.is_over or pod.is_on_host_network:
        return
    taken = {_FIRST: "the cluster's network"}
    for attachment in pod.attachments:
        name, network = attachment.interface, attachment.full_name
        if name in taken:
            yield Finding(
                severity=Severity.ERROR,
                message=f"{pod.full_name} asks for the interface {name} twice: for "
                f"{taken[name]} and for {network}",
                evidence=(Evidence(at=attachment.place, saw=pod.annotation()),),
                sees="the pod stays in ContainerCreating: FailedCreatePodSandBox, ending "
                f'"validateIfName: interface name {name} already exists"',
                fix=(
                    Fix(text=f"give {network} another name after the @"),
                    Fix(text="leave the names out: the interfaces become net1, net2, ..."),
                ),
                group=f"{picture.kin(pod.pod)} {name}",
            )
            return
        taken[name] = network


RULE = Rule(
    id="PW116",
    slug="interface-name-twice",
    title="Two networks of one pod ask for the same interface name",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=("multus-cni v4.2.2 pkg/multus/multus.go validateIfName",),
    over=lambda picture: picture.wired,
    check=check,
)
