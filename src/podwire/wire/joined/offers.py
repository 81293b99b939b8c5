"""What a node offers of a resource, by the most direct evidence there is."""

import enum
from collections.abc import Mapping

import msgspec

from podwire.facts.node import Device, NodeFiles
from podwire.facts.objects import Node, Quantity
from podwire.model.evidence import Answer, Known, Unknown, first_known
from podwire.model.names import ResourceName
from podwire.peers import k8s_quantity


class Source(enum.Enum):
    """Where a count was read, most direct first."""

    NODE = "status of the Node"
    POD_RESOURCES = "kubelet's PodResources service"
    MODEL = "what the device plugin would find"


class Offer(msgspec.Struct, frozen=True, gc=False):
    """Devices of one resource on one node.

    `allocatable` are those in health, free or not; `capacity` is None where the evidence
    does not tell (PodResources counts healthy devices only).
    """

    allocatable: int
    capacity: int | None
    source: Source

    @property
    def is_any(self) -> bool:
        """The node has the resource, in health or not."""
        return bool(self.capacity or self.allocatable)


def offer_of(
    resource: ResourceName,
    *,
    node: Node | None,
    files: NodeFiles | None,
    name: str,
    model: Answer[int],
    is_planned: bool,
) -> Answer[Offer]:
    """Say what a node offers.

    `model` is the answer of the pool models, the last resort; it comes first where a pool
    of the resource `is_planned` only and the node has none yet.
    """
    seen = by_node(resource, node, name)
    if isinstance(seen, Unknown):
        seen = first_known(seen, _by_pod_resources(resource, files, name))
    if is_planned and not (isinstance(seen, Known) and seen.value.is_any):
        return by_model(model)
    return seen if isinstance(seen, Known) else first_known(seen, by_model(model))


def by_node(resource: ResourceName, node: Node | None, name: str) -> Answer[Offer]:
    """Read what the Node itself says."""
    if node is None or node.status.capacity is None:
        return no_capacity(name)
    status = node.status
    capacity = _count(status.capacity or {}, resource)
    allocatable = capacity if status.allocatable is None else _count(status.allocatable, resource)
    return Known(
        value=Offer(allocatable=allocatable, capacity=capacity, source=Source.NODE),
        places=(node.place("status", "capacity", str(resource)),),
    )


def no_capacity(name: str) -> Unknown:
    """Say what is missing where nobody read a node's status."""
    return Unknown(
        reason=f"capacity of node {name} was not read",
        give="kubectl get nodes -o json",
        fact="the capacity of nodes",
    )


def _count(quantities: Mapping[str, Quantity], resource: ResourceName) -> int:
    quantity = quantities.get(str(resource))
    if quantity is None:
        return 0
    try:
        return k8s_quantity.count(quantity)
    except ValueError:
        return 0


def _by_pod_resources(resource: ResourceName, files: NodeFiles | None, name: str) -> Answer[Offer]:
    if files is None:
        return Unknown(reason=f"no files of node {name} were given", fact="the files of nodes")
    devices = files.allocatable
    if isinstance(devices, Unknown):
        return devices
    count = len(ids_of(devices.value, resource))
    return Known(
        value=Offer(allocatable=count, capacity=None, source=Source.POD_RESOURCES),
        places=devices.places,
    )


def ids_of(devices: tuple[Device, ...], resource: ResourceName) -> tuple[str, ...]:
    """Gather the device IDs of one resource from an answer of PodResources."""
    return tuple(i for d in devices if d.resource_name == str(resource) for i in d.ids)


def by_model(model: Answer[int]) -> Answer[Offer]:
    """Turn a count of the pool model into an offer."""
    if isinstance(model, Unknown):
        return model
    offer = Offer(allocatable=model.value, capacity=model.value, source=Source.MODEL)
    return Known(value=offer, places=model.places, assumes=model.assumes)
