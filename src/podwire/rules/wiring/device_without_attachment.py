"""A pod requests more devices of a network resource than its networks take.

What you see
    The pod runs and nothing complains. It holds virtual functions that no
    interface in it uses, and other pods wait for them.

Why
    Kubelet hands out what is requested; Multus attaches what the networks
    annotation names. Nobody compares the two, so a device that no network
    asks for is held until the pod ends.

Fix
    Name one network for each device in the pod's own annotation, or request
    fewer devices.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, joined
from podwire.peers.multus import DEFAULT_NETWORK, NETWORKS, Unreadable
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.pods import Attachment, WiredPod
from podwire.wire.networks.annotations import unseen_mutators
from podwire.wire.networks.drivers import have_kernel_driver, is_for_rdma_alone, passes_rdma
from podwire.wire.picture import Picture


def check(part: PodResource, picture: Picture) -> Iterator[Finding]:
    """Count the requests for a network resource against the networks that take it."""
    pod, resource = part.pod, part.resource
    if resource not in picture.network_resources or not _may_waste(pod):
        return
    held, taken = pod.demand(resource), len(part.attaching)
    if held <= taken:
        return
    if any(a.is_reported and _is_gone(a) for a in pod.attachments):
        return  # It is attached, and what the network said cannot be read any more.
    if pod.unknown_resources:
        joined(pod.unknown_resources).need()
    kernel = have_kernel_driver(resource, picture).need()
    if not kernel.value:
        return  # A user-space driver needs no interface.
    count = str(held) if held > 1 else "one of the"
    yield Finding(
        severity=Severity.NOTE if is_for_rdma_alone(resource, picture) else Severity.WARNING,
        message=f"{pod.full_name} requests {held} of {resource} and "
        f"{f'its networks take {taken}' if taken else 'names no network that takes any'}",
        evidence=(
            Evidence(at=pod.annotation_place(), saw=pod.annotation() or "no annotation"),
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in part.requests),
        ),
        sees=_sees(part, unused=held - taken, picture=picture),
        fix=(
            Fix(text=f"name {count} networks on {resource} in the pod's annotation {NETWORKS}"),
            Fix(text=f"request {taken} of {resource}" if taken else "drop the request"),
        ),
        assumes=(
            *kernel.assumes,
            *unseen_mutators(pod.pod, picture),
            *(
                x
                for a in pod.attachments
                if isinstance(a.resource, Known)
                for x in a.resource.assumes
            ),
        ),
        group=f"{picture.kin(pod.pod)} {resource}",
    )


def _may_waste(pod: WiredPod) -> bool:
    """Leave out pods that are on the host's network, go away, or name their main interface."""
    named = DEFAULT_NETWORK in pod.pod.metadata.annotations  # It may take the device.
    is_going = pod.pod.metadata.deletion_timestamp is not None
    return not (named or is_going or pod.is_on_host_network or isinstance(pod.networks, Unreadable))


def _sees(part: PodResource, *, unused: int, picture: Picture) -> str:
    """Say what the pod does by how far it has come; one that holds some has others wait."""
    stage = part.pod.pod.stage
    state = "without an interface" if passes_rdma(part.resource, picture) else "unused"
    what = f"{unused} of {part.resource} {state}"
    if stage < Stage.BOUND:
        return f"once it runs, the pod would hold {what}, and no event would say so"
    pending = picture.pending.get(part.resource, 0)
    does = "runs and holds" if stage is Stage.UP else "holds"
    waits = f", while {_counted(pending, 'pod waits', 'pods wait')} for some" if pending else ""
    return f"the pod {does} {what}{waits}"


def _is_gone(attachment: Attachment) -> bool:
    return isinstance(attachment.network, Known) and attachment.network.value is None


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


RULE = Rule(
    id="PW105",
    slug="device-without-attachment",
    title="Pod requests devices of a network resource that no network takes",
    since="0.1",
    joint=Joint.COUNT,
    refs=("multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",),
    over=lambda picture: picture.pod_resources,
    check=check,
    is_symptom=True,
)
