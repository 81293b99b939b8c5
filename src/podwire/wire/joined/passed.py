"""Which device Multus passes to each network of a pod."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from podwire.facts.node import NodeFiles
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.peers.multus import DEFAULT_NETWORK, Handed, Lacking, devices_for
from podwire.wire.joined.pods import Attachment, WiredPod

Passed: TypeAlias = Answer[Handed | Lacking | None]

_DEFAULT_FIRST = Unknown(reason=f"whether the network in {DEFAULT_NETWORK} takes a device first")


def passed_to(
    pod: WiredPod, *, files: NodeFiles | None, version: Answer[Version]
) -> tuple[Passed, ...]:
    """Say what each attachment gets, in their order; None: it asks for no device.

    `version` is Multus' on the pod's node. Which devices there are is known where kubelet's
    PodResources lists as many as the pod requests, else only their number. Something unknown
    before an attachment may take its device, and never gives it one.
    """
    resources = tuple(
        a.resource.value if isinstance(a.resource, Known) else None for a in pod.attachments
    )
    counts = {resource: pod.visible(resource) for resource in resources if resource is not None}
    ids = _ids_of(pod, files)
    given = {
        resource: listed if len(listed := ids.get(resource, ())) == count.value else count.value
        for resource, count in counts.items()
        if isinstance(count, Known)
    }
    is_default_first = DEFAULT_NETWORK in pod.pod.metadata.annotations
    doubt: Unknown | None = _DEFAULT_FIRST if is_default_first else None
    found: list[Passed] = []
    passed = devices_for(resources, given=given, version=version)
    for attachment, resource, device in zip(pod.attachments, resources, passed, strict=True):
        count: Answer[int] = counts[resource] if resource is not None else Known(value=0)
        if isinstance(attachment.resource, Unknown):
            doubt = doubt or attachment.resource
            found.append(attachment.resource)
        elif isinstance(count, Unknown):
            found.append(count)
        elif doubt is not None and isinstance(device, Handed):
            found.append(doubt)
        else:
            found.append(Known(value=device, assumes=count.assumes))
    return tuple(found)


def lacking(
    pod: WiredPod, passed: tuple[Passed, ...], resource: ResourceName
) -> tuple[Attachment, ...]:
    """Give the attachments that ask for a resource of which nothing is left."""
    return tuple(
        attachment
        for attachment, answer in zip(pod.attachments, passed, strict=True)
        if isinstance(answer, Known) and isinstance(answer.value, Lacking)
        if answer.value.resource == resource
    )


def _ids_of(pod: WiredPod, files: NodeFiles | None) -> Mapping[ResourceName, tuple[str, ...]]:
    """Gather the devices of all containers, in the order in which kubelet lists them."""
    found: dict[ResourceName, tuple[str, ...]] = {}
    held = files.held if files else None
    for entry in held.value if isinstance(held, Known) else ():
        if (entry.namespace, entry.name) != (pod.pod.namespace, pod.pod.metadata.name):
            continue
        for device in (device for each in entry.containers for device in each.devices):
            resource = ResourceName.maybe(device.resource_name)
            if resource is not None:
                found[resource] = (*found.get(resource, ()), *device.ids)
    return found


def functions_passed(
    pod: WiredPod, passed: tuple[Passed, ...]
) -> Iterator[tuple[PciAddress, Attachment]]:
    """Give the functions that are known to go to an attachment."""
    for attachment, answer in zip(pod.attachments, passed, strict=True):
        if isinstance(answer, Known) and isinstance(answer.value, Handed):
            device = answer.value.device
            address = PciAddress.maybe(device.value) if isinstance(device, Known) else None
            if address is not None:
                yield address, attachment
