"""A pod's own end of the wire: the networks it names and the devices it requests."""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Network, Quantity
from podwire.facts.workloads import PodView, Stage
from podwire.model.evidence import Answer, Known, Path, Place, Unknown, derived
from podwire.model.names import Ref, ResourceName
from podwire.peers import k8s_quantity
from podwire.peers.multus import (
    NETWORK_STATUS,
    NETWORKS,
    RESOURCE_NAME,
    Interface,
    Selection,
    Selections,
    Unreadable,
    read_networks,
    read_status,
)
from podwire.wire.joined.cnis import Cni, needs_device

BY_POD_RESOURCES = "Multus asks kubelet's PodResources service, which leaves init containers out"


class Request(msgspec.Struct, frozen=True, gc=False):
    """An extended resource in one container.

    `count` is None where the quantity is no whole number. `at` leads to the container in
    the pod. `is_early` marks init containers that end before the others start; their
    devices are gone from PodResources then.
    """

    resource: ResourceName
    container: str
    at: Path
    count: int | None
    place: Place
    is_early: bool = False


class Attachment(msgspec.Struct, frozen=True, gc=False):
    """One network of one pod, from the annotation to the NAD and its CNI configuration."""

    pod: PodView
    selection: Selection
    interface: str
    network: Answer[Network | None]
    cni: Answer[Cni]
    resource: Answer[ResourceName | None]
    place: Place

    @property
    def ref(self) -> Ref:
        """The interface, as a part of the pod, or of the workload that makes it."""
        return self.pod.ref.at(self.interface)

    @property
    def full_name(self) -> str:
        """The network, `namespace/name`."""
        return f"{self.selection.namespace}/{self.selection.name}"

    @property
    def is_reported(self) -> bool:
        """Multus reported that the pod has this network."""
        value = self.pod.metadata.annotations.get(NETWORK_STATUS, "")
        return any(i.network == self.full_name for i in read_status(value) or ())

    @property
    def needs_device(self) -> Answer[bool]:
        """Whether its CNI refuses to work without a device that Multus passes."""
        cni, network = self.cni, self.network
        if isinstance(cni, Unknown):
            return cni
        if self.selection.device_id or (isinstance(network, Known) and network.value is None):
            return Known(value=False)  # A network that is missing is a finding of its own.
        return needs_device(self.selection.ref, cni.value)


class WiredPod(msgspec.Struct, frozen=True, gc=False):
    """A pod that names networks or requests devices.

    `networks` is what Multus makes of the annotation: None where there is none.
    """

    pod: PodView
    networks: Selections | Unreadable | None
    attachments: tuple[Attachment, ...]
    requests: tuple[Request, ...]

    @property
    def ref(self) -> Ref:
        """The pod, or the workload that makes it."""
        return self.pod.ref

    @property
    def full_name(self) -> str:
        """`namespace/name`, with the role where a workload has several templates."""
        return self.pod.full_name

    def __str__(self) -> str:
        return str(self.pod)

    @property
    def is_over(self) -> bool:
        """It ended, or was rejected: it holds nothing and attaches nothing any more."""
        return self.pod.stage is Stage.OVER

    @property
    def is_on_host_network(self) -> bool:
        """No CNI is called for it at all."""
        return self.pod.spec.host_network

    def demand(self, resource: ResourceName) -> int:
        """Count the devices that the scheduler has to find: early containers give theirs back.

        Source: kubernetes v1.36.2 component-helpers resource PodRequests.
        """
        mine = [r for r in self.requests if r.resource == resource]
        main = sum(r.count or 0 for r in mine if not r.is_early)
        return max([main, *(r.count or 0 for r in mine if r.is_early)])

    def visible(self, resource: ResourceName) -> Answer[int]:
        """Count the devices that Multus can hand out.

        Kubelet's PodResources leaves ordinary init containers out; their devices are used
        again by the others (v1.36.2 devicemanager; seen with v1.37.2 and Multus v4.2.2: a
        pod whose init container alone requests a device gets none).
        """
        mine = [r for r in self.requests if r.resource == resource]
        for request in mine:
            if request.count is None:
                return Unknown(reason=f"{self} requests no whole number of {resource}")
        main = [r for r in mine if not r.is_early]
        count = sum(r.count or 0 for r in main)
        # Without kubelet's socket Multus reads the checkpoint, which has the early ones too.
        is_more = any((r.count or 0) > count for r in mine if r.is_early)
        return Known(
            value=count,
            places=tuple(r.place for r in main[:3]),
            assumes=(BY_POD_RESOURCES,) if is_more else (),
        )

    def attaching(self, resource: ResourceName) -> tuple[Attachment, ...]:
        """Its attachments that are known to ask for this resource, in order."""
        return tuple(
            a
            for a in self.attachments
            if isinstance(a.resource, Known) and a.resource.value == resource
        )

    @property
    def resources(self) -> tuple[ResourceName, ...]:
        """What it requests, each once."""
        return tuple(dict.fromkeys(r.resource for r in self.requests))

    @property
    def unknown_resources(self) -> tuple[Unknown, ...]:
        """What is missing to know the resources of all its attachments."""
        return tuple(a.resource for a in self.attachments if isinstance(a.resource, Unknown))

    @property
    def interfaces(self) -> tuple[Interface, ...] | None:
        """What Multus reported to have attached; None where it reported nothing readable."""
        value = self.pod.metadata.annotations.get(NETWORK_STATUS)
        return None if value is None else read_status(value)

    @property
    def is_attached(self) -> bool:
        """Every network that it names is attached: what the models say no longer matters."""
        reported = [i.network for i in self.interfaces or () if not i.default]
        wanted = [a.full_name for a in self.attachments]
        return bool(wanted) and all(reported.count(n) >= wanted.count(n) for n in wanted)

    def annotation_place(self) -> Place:
        """Where the networks annotation stands, or would have to."""
        return self.pod.place("metadata", "annotations", NETWORKS)

    def annotation(self) -> str:
        """The networks annotation as written, empty where there is none."""
        return self.pod.metadata.annotations.get(NETWORKS, "")


def wired(pod: PodView, *, facts: Inventory, cnis: Mapping[Ref, Cni]) -> WiredPod | None:
    """Wire one pod; None where it neither names networks nor requests devices."""
    value = pod.metadata.annotations.get(NETWORKS)
    requests = tuple(requests_of(pod))
    if value is None and not requests:
        return None
    networks = None if value is None else read_networks(value, namespace=pod.namespace)
    return WiredPod(
        pod=pod,
        networks=networks,
        attachments=tuple(_attachments(pod, networks, facts=facts, cnis=cnis)),
        requests=requests,
    )


def requests_of(pod: PodView) -> Iterator[Request]:
    """List the extended resources of all containers; limits count, requests equal them."""
    for view in pod.containers():
        resources = view.container.resources
        for name in {**resources.limits, **resources.requests}:
            if (resource := _extended(name)) is None:
                continue
            field = "limits" if name in resources.limits else "requests"
            yield Request(
                resource=resource,
                container=view.container.name,
                at=view.path,
                count=_count(getattr(resources, field)[name]),
                place=pod.place(*view.path, "resources", field, name),
                is_early=view.is_early,
            )


def _extended(name: str) -> ResourceName | None:
    """Tell an extended resource from cpu, memory and Kubernetes' own names."""
    if "/" not in name:
        return None
    resource = ResourceName.maybe(name)
    if resource is None or resource.prefix == "kubernetes.io":
        return None
    return None if resource.prefix.endswith(".kubernetes.io") else resource


def _count(quantity: Quantity) -> int | None:
    try:
        return k8s_quantity.count(quantity)
    except ValueError:
        return None


def _attachments(
    pod: PodView,
    networks: Selections | Unreadable | None,
    *,
    facts: Inventory,
    cnis: Mapping[Ref, Cni],
) -> Iterator[Attachment]:
    if not isinstance(networks, Selections):
        return
    for selection in networks.items:
        network = facts.network(selection.name, namespace=selection.namespace)
        yield Attachment(
            pod=pod,
            selection=selection,
            interface=selection.interface_name(),
            network=network,
            cni=derived(network, lambda nad: cnis.get(nad.ref) if nad else None),
            resource=derived(network, resource_named_by),
            place=pod.place("metadata", "annotations", NETWORKS, inner=selection.path),
        )


def resource_named_by(network: Network | None) -> ResourceName | None:
    """Read the resource that a NAD names; None: it names none, or nothing of that form."""
    if network is None:
        return None
    return ResourceName.maybe(network.metadata.annotations.get(RESOURCE_NAME, ""))
