"""The parts of a pod that verdicts are about: a resource of it, a container of it."""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Container
from podwire.facts.workloads import ContainerView
from podwire.model.evidence import Known, Path, Place, Step
from podwire.model.names import Ref, ResourceName
from podwire.wire.joined.by_key import by_key
from podwire.wire.joined.pods import Attachment, Request, WiredPod


class PodResource(msgspec.Struct, frozen=True, gc=False):
    """One resource of one pod: what it requests of it, and which networks take it."""

    pod: WiredPod
    resource: ResourceName

    @property
    def ref(self) -> Ref:
        """The resource, as a part of the pod."""
        return self.pod.ref.at(str(self.resource))

    @property
    def attaching(self) -> tuple[Attachment, ...]:
        """The networks that are known to ask for it."""
        return self.pod.attaching(self.resource)

    @property
    def requests(self) -> tuple[Request, ...]:
        """The containers' requests for it."""
        return tuple(r for r in self.pod.requests if r.resource == self.resource)


class PodContainer(msgspec.Struct, frozen=True, gc=False):
    """One container of a pod, with what it requests."""

    pod: WiredPod
    view: ContainerView
    requests: tuple[Request, ...]

    @property
    def container(self) -> Container:
        """The container as written."""
        return self.view.container

    @property
    def path(self) -> Path:
        """What leads to it in the pod."""
        return self.view.path

    @property
    def ref(self) -> Ref:
        """The container, as a part of the pod."""
        return self.pod.ref.at(self.container.name)

    @property
    def full_name(self) -> str:
        """The container with its pod, as messages write it."""
        return f"container {self.container.name} of {self.pod.full_name}"

    @property
    def is_early(self) -> bool:
        """An init container that ends before the others start."""
        return self.view.is_early

    def place(self, *path: Step) -> Place:
        """Name a value in the container."""
        return self.pod.pod.place(*self.path, *path)


def resources_of(pod: WiredPod) -> Iterator[PodResource]:
    """Give each resource that a pod requests or that its networks are known to ask for."""
    attached = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    for resource in dict.fromkeys((*pod.resources, *attached)):
        if resource is not None:
            yield PodResource(pod=pod, resource=resource)


def containers_of(pod: WiredPod) -> Iterator[PodContainer]:
    """Give each container of a pod, init containers last."""
    requests = by_key((request.at, request) for request in pod.requests)
    for view in pod.pod.containers():
        yield PodContainer(pod=pod, view=view, requests=requests.get(view.path, ()))
