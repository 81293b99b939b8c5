"""What a pod asks the Topology Manager for: containers in kubelet's order, with their devices.

Source: kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/scope_container.go (init containers
first), cpumanager/policy_static.go guaranteedCPUs, memorymanager/policy_static.go.
"""

from collections.abc import Mapping

import msgspec

from podwire.facts.node import KubeletConfig
from podwire.facts.objects import Container, Quantity
from podwire.facts.workloads import ContainerView
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers import k8s_quantity
from podwire.peers.kubelet_topology import Kind, Request
from podwire.wire.joined.pods import WiredPod


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A pod's requests; `beside` says that a container without devices asks for CPUs or memory."""

    requests: tuple[Request, ...]
    beside: Unknown | None = None


def ask_of(pod: WiredPod, kubelet: KubeletConfig) -> Answer[Ask]:
    """Gather what each container wants; one without devices is left out."""
    for request in pod.requests:
        if request.count is None:
            return Unknown(reason=f"{pod} requests no whole number of {request.resource}")
    status = pod.pod.status
    if status is not None and status.extended_resource_claim_status:
        return Unknown(reason=f"devices of {pod} are allocated by DRA, not by device plugins")
    wants: dict[tuple[object, ...], dict[ResourceName, int]] = {}
    for request in pod.requests:
        wants.setdefault(request.at, {})[request.resource] = request.count or 0
    views = tuple(pod.pod.containers())
    hinted = _hinted(views, kubelet)
    ordered = sorted(views, key=lambda view: view.path[1] != "initContainers")
    requests, beside = [], None
    for view in ordered:
        unread = _unread(view.container.name) if view.path in hinted else None
        mine = wants.get(view.path)
        if mine is None:
            beside = beside or unread
            continue
        requests.append(
            Request(
                container=view.container.name,
                wants=tuple(sorted(mine.items())),
                kind=_kind(view),
                unread=unread,
            )
        )
    return Known(value=Ask(requests=tuple(requests), beside=beside))


def _kind(view: ContainerView) -> Kind:
    if view.path[1] == "containers":
        return "app"
    return "init" if view.is_early else "sidecar"


def _hinted(views: tuple[ContainerView, ...], kubelet: KubeletConfig) -> frozenset[object]:
    """Give the containers for which the CPU or the memory manager may have hints."""
    if not all(_may_be_guaranteed(view.container) for view in views):
        return frozenset()
    if kubelet.memory_manager_policy == "Static":
        return frozenset(view.path for view in views)
    if kubelet.cpu_manager_policy != "static":
        return frozenset()
    return frozenset(view.path for view in views if _is_whole(view.container))


def _may_be_guaranteed(container: Container) -> bool:
    limits, requests = container.resources.limits, container.resources.requests
    return all(name in limits and _may_equal(requests, limits, name) for name in ("cpu", "memory"))


def _may_equal(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity], name: str) -> bool:
    """Two quantities that are no whole numbers may be one, differently written."""
    if name not in requests:
        return True
    try:
        return k8s_quantity.count(requests[name]) == k8s_quantity.count(limits[name])
    except ValueError:
        return True


def _is_whole(container: Container) -> bool:
    try:
        return k8s_quantity.count(container.resources.limits["cpu"]) > 0
    except ValueError:
        return False


def _unread(container: str) -> Unknown:
    return Unknown(
        reason=f"container {container} gets CPUs or memory of its own, whose NUMA nodes podwire "
        "does not follow",
        fact="the hints of the CPU and memory managers",
    )
