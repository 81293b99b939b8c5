"""A pod names a network that does not exist.

What you see
    The pod is scheduled and stays in ContainerCreating. The event
    NoNetworkFound says "cannot find a network-attachment-definition"; the
    sandbox is tried again for ever, and each try may take an address from
    the first network's pool.

Why
    A network without a namespace is looked up in the pod's own. Multus asks
    the API server for exactly that name and fails the whole sandbox when
    there is none.

Fix
    Write `namespace/name` where the network lives elsewhere, correct the
    name, or create the network in the pod's namespace.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.patches import annotate
from podwire.model.evidence import Known
from podwire.model.names import Ref
from podwire.peers.event_texts import missing_network_event
from podwire.peers.multus import NETWORKS
from podwire.wire.joined.pods import Attachment, requests_of
from podwire.wire.networks.looked_up import network_of
from podwire.wire.picture import Picture


def check(attachment: Attachment, picture: Picture) -> Iterator[Finding]:
    """Look the network up in the namespace that the annotation means."""
    pod, selection = attachment.pod, attachment.selection
    if pod.spec.host_network or pod.metadata.deletion_timestamp:
        return
    found = network_of(attachment, picture).need()
    if found.value is not None:
        return
    is_up = pod.stage is Stage.UP
    if is_up and found.assumes:
        return  # It was there when the pod started.
    named = picture.namesakes(selection.ref)
    yield Finding(
        severity=Severity.WARNING if is_up or (found.assumes and not named) else Severity.ERROR,
        message=f"network {attachment.full_name} does not exist, and {pod} names it"
        + (f"; there is {' and '.join(r.full_name for r in named[:3])}" if named else ""),
        evidence=(
            Evidence(at=attachment.place, saw=selection.text or selection.name),
            *(
                Evidence(at=nad.place("metadata", "name"), saw=nad.ref.full_name)
                for nad in map(picture.find, named[:2])
                if nad is not None
            ),
            *(Evidence(at=p, saw=f"no {attachment.full_name}") for p in found.places if not named),
        ),
        sees=_sees(attachment, picture),
        fix=tuple(_fixes(attachment, named)),
        assumes=found.assumes,
        also=named,
        group=attachment.full_name,
        explains=tuple(
            Symptom(slug="device-without-attachment", of=pod.ref.at(str(resource)))
            for resource in sorted({r.resource for r in requests_of(pod)})
            if resource in picture.network_resources
        ),
    )


def _sees(attachment: Attachment, picture: Picture) -> str:
    pod, selection = attachment.pod, attachment.selection
    if pod.stage is Stage.UP:
        return "the pod runs on; one made anew stays in ContainerCreating"
    completed = picture.is_completed(pod)
    if isinstance(completed, Known) and completed.value:
        return (
            "the pod is refused: the network-resources-injector says could not find network "
            f"attachment definition '{attachment.full_name}'"
        )
    event = missing_network_event(
        selection.name,
        network_namespace=selection.namespace,
        namespace=pod.namespace,
        pod="" if pod.is_template else pod.metadata.name,
    )
    return f"the pod stays in ContainerCreating; events NoNetworkFound and {event}"


def _fixes(attachment: Attachment, named: tuple[Ref, ...]) -> Iterator[Fix]:
    pod, selection = attachment.pod, attachment.selection
    have = pod.metadata.annotations
    is_alone = have[NETWORKS].strip() == selection.text == selection.name
    for ref in named[:2]:
        is_near = ref.namespace == pod.namespace
        name = ref.name if is_near else ref.full_name
        patch = annotate(pod.of.ref, NETWORKS, name, have=have, at=(*pod.path, "metadata"))
        yield Fix(
            text=f"name {name} in the annotation in place of {selection.name}",
            breaks="" if is_near else "namespaceIsolation, where it is on, forbids it",
            patch=patch if is_alone else None,
        )
    yield Fix(text=f"create NetworkAttachmentDefinition {attachment.full_name}")


RULE = Rule(
    id="PW101",
    slug="network-missing",
    title="Pod names a network that does not exist",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",
        "network-resources-injector v1.9.0 pkg/webhook/webhook.go",
    ),
    over=lambda picture: picture.attachments,
    check=check,
    shows_as=("network-missing",),
)
