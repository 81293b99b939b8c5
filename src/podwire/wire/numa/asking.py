"""What a pod asks the Topology Manager for: containers in kubelet's order, with their devices.

Source: kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/scope_container.go (init containers
first), cpumanager/policy_static.go guaranteedCPUs, memorymanager/policy_static.go.
"""

import msgspec

from podwire.facts.node import KubeletConfig
from podwire.facts.workloads import ContainerView
from podwire.model.evidence import Answer, Known, Path, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import CPU, Kind, Request, exclusive_cpus, static_memory
from podwire.peers.kubelet_topology.records import Wants
from podwire.wire.joined.pods import WiredPod

_MANAGERS = "the hints of the CPU and memory managers"
_Wants = dict[ResourceName, int]


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A pod's requests.

    `beside` says that a container without devices asks for CPUs or memory whose NUMA nodes
    are not known: a strict policy may reject it. `besides_cores` says why even one that fits
    may be refused CPUs.
    """

    requests: tuple[Request, ...]
    beside: Unknown | None = None
    besides_cores: Unknown | None = None


def asks_of(pod: WiredPod) -> tuple[tuple[ResourceName, int | None], ...]:
    """Say how many of each resource a pod needs at a time; None: a request is no whole number."""
    odd = {request.resource for request in pod.requests if request.count is None}
    return tuple((name, None if name in odd else pod.demand(name)) for name in pod.resources)


class Hinted(msgspec.Struct, frozen=True, gc=False):
    """What the CPU and memory managers give to a container alone, or why that is not known."""

    cpus: int = 0
    memory: Wants = ()
    unread: Unknown | None = None


def ask_of(
    pod: WiredPod,
    kubelet: KubeletConfig,
    *,
    cpus: Unknown | None,
    memory: Unknown | None,
    cores: Unknown | None = None,
) -> Answer[Ask]:
    """Gather what each container wants; one that wants nothing of its own is left out.

    `cpus` and `memory` say why those of the node are not known, where they are not, `cores`
    why it is not known by how many CPUs are given.
    """
    for request in pod.requests:
        if request.count is None:
            return Unknown(reason=f"{pod} requests no whole number of {request.resource}")
    status = pod.pod.status
    if status is not None and status.extended_resource_claim_status:
        return Unknown(reason=f"devices of {pod} are allocated by DRA, not by device plugins")
    wants: dict[Path, _Wants] = {}
    for each in pod.requests:
        wants.setdefault(each.at, {})[each.resource] = each.count or 0
    views = sorted(pod.pod.containers(), key=lambda view: view.path[1] != "initContainers")
    hinted = _hinted(pod, tuple(views), kubelet, (cpus, memory))
    requests, beside = [], None
    for view, mine in zip(views, hinted, strict=True):
        own = wants.get(view.path, {}) | ({CPU: mine.cpus} if mine.cpus else {})
        if own or mine.memory:
            requests.append(_request(view, own, mine))
        else:
            beside = beside or mine.unread
    besides = cores if any(mine.cpus for mine in hinted) else None
    return Known(value=Ask(requests=tuple(requests), beside=beside, besides_cores=besides))


def _request(view: ContainerView, wants: _Wants, hinted: Hinted) -> Request:
    return Request(
        container=view.container.name,
        wants=tuple(sorted(wants.items())),
        memory=hinted.memory,
        kind=_kind(view),
        unread=hinted.unread,
    )


def _kind(view: ContainerView) -> Kind:
    if view.path[1] == "containers":
        return "app"
    return "init" if view.is_early else "sidecar"


def _hinted(
    pod: WiredPod,
    views: tuple[ContainerView, ...],
    kubelet: KubeletConfig,
    missing: tuple[Unknown | None, Unknown | None],
) -> tuple[Hinted, ...]:
    """Say for each container what the CPU and the memory manager have hints for."""
    none = (0,) * len(views), ((),) * len(views)
    is_static = kubelet.cpu_manager_policy == "static"
    has_memory = kubelet.memory_manager_policy == "Static"
    if not (is_static or has_memory):
        return (Hinted(),) * len(views)
    whole = pod.pod.spec.resources
    if whole.limits or whole.requests:
        why = (
            f"{pod} has resources of the pod as a whole, for which kubelet's CPU and memory "
            "managers have rules of their own"
        )
        return (Hinted(unread=_unread(why)),) * len(views)
    limits = [view.container.resources.limits for view in views]
    requests = [view.container.resources.requests for view in views]
    try:
        cpus = exclusive_cpus(limits, requests) if is_static else none[0]
        memory = static_memory(limits, requests) if has_memory else none[1]
    except ValueError as error:
        return (Hinted(unread=_unread(f"resources of {pod}: {error}")),) * len(views)
    return tuple(
        _of_container(view, Hinted(cpus=count, memory=sizes), missing)
        for view, count, sizes in zip(views, cpus, memory, strict=True)
    )


def _of_container(
    view: ContainerView, hinted: Hinted, missing: tuple[Unknown | None, Unknown | None]
) -> Hinted:
    """Leave out what is not known of the node."""
    no_cpus, no_memory = missing
    name, replace = view.container.name, msgspec.structs.replace
    if hinted.memory and no_memory is not None:
        unread = _unread(
            f"container {name} gets memory of its own, and {no_memory.reason}", no_memory.give
        )
        hinted = replace(hinted, memory=(), unread=unread)
    if hinted.cpus and no_cpus is not None:
        unread = _unread(
            f"container {name} gets CPUs of its own, and {no_cpus.reason}", no_cpus.give
        )
        hinted = replace(hinted, cpus=0, unread=unread)
    return hinted


def _unread(reason: str, give: str = "") -> Unknown:
    return Unknown(reason=reason, give=give, fact=_MANAGERS)
