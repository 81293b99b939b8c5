"""The symptom of a network that takes no device: those that its pods request stay unused."""

from collections.abc import Iterable

from podwire.findings.model import Symptom
from podwire.model.names import ResourceName
from podwire.wire.joined.pods import WiredPod


def unused(pods: Iterable[WiredPod], resources: tuple[ResourceName, ...]) -> tuple[Symptom, ...]:
    """Account for what is said of devices that no network of these pods takes."""
    return tuple(
        Symptom(slug="device-without-attachment", of=pod.ref.at(str(resource)))
        for pod in pods
        for resource in resources
    )
