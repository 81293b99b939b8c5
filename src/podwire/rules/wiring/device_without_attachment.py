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

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, joined
from podwire.peers.multus import DEFAULT_NETWORK, NETWORKS, Unreadable
from podwire.wire.joined.pod_parts import PodResource
from podwire.wire.joined.pods import Attachment
from podwire.wire.networks.annotations import unseen_mutators
from podwire.wire.networks.nads import network_resources
from podwire.wire.picture import Picture


def check(share: PodResource, picture: Picture) -> Iterator[Finding]:
    """Count the requests for a network resource against the networks that take it."""
    pod, resource = share.pod, share.resource
    if resource not in network_resources(picture) or isinstance(pod.networks, Unreadable):
        return
    if pod.is_on_host_network:
        return  # Its interfaces stay on the node, where the pod is as well.
    if DEFAULT_NETWORK in pod.pod.metadata.annotations:
        return  # The pod's main interface may be the one that takes it.
    held, taken = pod.demand(resource), len(share.attaching)
    if held <= taken:
        return
    if any(a.is_reported and _is_gone(a) for a in pod.attachments):
        return  # It is attached, and what the network said cannot be read any more.
    if pod.unknown_resources:
        joined(pod.unknown_resources).need()
    count = str(held) if held > 1 else "one of the"
    waiting = picture.waiting.get(resource, 0)
    yield Finding(
        severity=Severity.WARNING,
        message=f"{pod.ref.full_name} requests {held} of {resource} and "
        f"{f'its networks take {taken}' if taken else 'names no network that takes any'}",
        evidence=(
            Evidence(at=pod.annotation_place(), saw=pod.annotation() or "no annotation"),
            *(Evidence(at=r.place, saw=f"{r.count} ({r.container})") for r in share.requests),
        ),
        sees=f"the pod runs and holds {held - taken} of {resource} unused"
        + (f", while {_counted(waiting, 'pod waits', 'pods wait')} for some" if waiting else ""),
        fix=(
            Fix(text=f"name {count} networks on {resource} in the pod's annotation {NETWORKS}"),
            Fix(text=f"request {taken} of {resource}" if taken else "drop the request"),
        ),
        assumes=(
            *unseen_mutators(pod.pod, picture),
            *(
                x
                for a in pod.attachments
                if isinstance(a.resource, Known)
                for x in a.resource.assumes
            ),
        ),
        group=f"{picture.root(pod.pod)} {resource}",
    )


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
