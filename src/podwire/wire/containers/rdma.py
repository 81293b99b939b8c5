"""What rules ask about RDMA: what a pool's functions are, what a container gets of them."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.node import Function
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.model.names import ResourceName
from podwire.peers import ib_sriov
from podwire.peers.pci_ids import MELLANOX
from podwire.peers.sriovdp.keys import NET_DEVICE
from podwire.peers.sriovdp.records import Selector
from podwire.peers.sriovdp.start import USERSPACE
from podwire.wire.containers import pod_outputs
from podwire.wire.joined.claims import CLAIMED
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.pod_parts import PodContainer, containers_of
from podwire.wire.joined.pods import Request
from podwire.wire.networks.links import link_of
from podwire.wire.networks.nads import main_plugin
from podwire.wire.picture import Picture

FOLDER = "/dev/infiniband"
_SHARED = "rdma"  # default prefix: k8s-rdma-shared-dev-plugin pkg/resources/resources_manager.go
KERNEL_DRIVER = "the functions of {} have a kernel driver, not vfio-pci"
_PASSES = "the pool of {} passes RDMA devices (isRdma)"

_INFINIBAND = "infiniband"
_INJECTORS = (
    "cdi.k8s.io/",
    "io.kubernetes.cri-o.Devices",
    "devices.crio.io",
    "devices.nri.io",
    "devices.noderesource.dev",
)
_GPU = re.compile(r"(nvidia\.com/(gpu|mig-)|amd\.com/|.*\.intel\.com/).*")


class Observed(msgspec.Struct, frozen=True, gc=False):
    """A value, and where it stands."""

    value: str
    place: Place


# --- pools --------------------------------------------------------------------------------


class Bare(msgspec.Struct, frozen=True):
    """A selector that passes no RDMA devices, and what shows that its functions have them."""

    selector: Selector
    shows: Observed


def infiniband_without_rdma(pool: Pool, picture: Picture) -> Answer[tuple[Bare, ...]]:
    """Pick a pool's selectors that take InfiniBand functions and do not say isRdma."""
    asked = [(s, _serves_infiniband(pool, s, picture=picture)) for s in _without_rdma(pool)]
    known = [(s, answer) for s, answer in asked if isinstance(answer, Known)]
    found = tuple(Bare(selector=s, shows=shows) for s, answer in known for shows in answer.value)
    unknown = [answer for _, answer in asked if isinstance(answer, Unknown)]
    if unknown and not found:
        return joined(unknown)
    return Known(value=found, assumes=tuple(dict.fromkeys(a for _, k in known for a in k.assumes)))


def _without_rdma(pool: Pool) -> tuple[Selector, ...]:
    """Give the selectors that could say isRdma and do not; none of a pool that is not made."""
    config, entry = pool.plugin.config, pool.entry
    is_fatal = config.value.is_fatal if isinstance(config, Known) else config
    ends = isinstance(is_fatal, Known) and is_fatal.value
    if ends or not entry.is_kept or entry.device_type != NET_DEVICE or entry.resource is None:
        return ()
    return tuple(s for s in entry.selectors if not s.is_rdma and _has_kernel_driver(s))


def _has_kernel_driver(selector: Selector) -> bool:
    is_userspace = bool(selector.drivers) and set(selector.drivers) <= USERSPACE
    return not is_userspace and not selector.vdpa_type


def users_of(pool: Pool, picture: Picture) -> tuple[PodContainer, ...]:
    """Give the containers that hold, or will hold, devices of a pool while they run."""
    return tuple(
        container
        for pod in (picture.by_resource.get(pool.resource, ()) if pool.resource else ())
        for container in containers_of(pod)
        if not container.is_early
        and any(r.resource == pool.resource and r.count != 0 for r in container.requests)
    )


def _serves_infiniband(
    pool: Pool, selector: Selector, *, picture: Picture
) -> Answer[tuple[Observed, ...]]:
    """Say by what it shows that a selector takes InfiniBand functions; empty: it takes others.

    What the selector says comes first, then its functions on the nodes, then the networks
    that ask for the pool's resource. linkTypes are the PF's: what is for virtual machines
    has a user-space driver, or its networks say so, and no RDMA device on the host.
    """
    if selector.link_types and _INFINIBAND not in selector.link_types:
        return Known(value=())
    if selector.vendors and MELLANOX not in selector.vendors:
        return Known(value=())
    links = tuple(_links(pool, selector, picture=picture))
    if _is_for_machines(pool, links, picture=picture):
        return Known(value=())
    if set(selector.link_types) == {_INFINIBAND}:
        place = pool.text.place_at(selector.at("linkTypes"))
        return Known(value=(Observed(value=_INFINIBAND, place=place),))
    if links:
        found = tuple(link for link in links if link.value == _INFINIBAND)
        return Known(value=found[:1])
    return _by_networks(pool, selector, picture=picture)


def _is_for_machines(pool: Pool, links: tuple[Observed, ...], *, picture: Picture) -> bool:
    if links:
        return all(link.value in USERSPACE for link in links)
    nads = picture.networks_of.get(pool.resource, ()) if pool.resource else ()
    plugins = [main_plugin(nad, picture) for nad in nads]
    return bool(plugins) and all(p and p.value("vfioPciMode") for p in plugins)


def _by_networks(
    pool: Pool, selector: Selector, *, picture: Picture
) -> Answer[tuple[Observed, ...]]:
    found = _infiniband_network(pool.resource, picture)
    if found:
        assumes = () if selector.drivers else (KERNEL_DRIVER.format(pool.entry.name),)
        return Known(value=(found,), assumes=assumes)
    nads = picture.networks_of.get(pool.resource, ()) if pool.resource else ()
    if any(
        plugin and plugin.type == ib_sriov.SRIOV
        for plugin in (main_plugin(nad, picture) for nad in nads)
    ):
        return Known(value=())
    return Unknown(
        reason=f"whether the functions of pool {pool.entry.name} are InfiniBand",
        give="kubectl get net-attach-def -A -o json, or nodes/<node>/sysfs.txt",
        fact="the link layer of pools",
    )


def _infiniband_network(resource: ResourceName | None, picture: Picture) -> Observed | None:
    """Quote a NAD of a resource that ib-sriov attaches, leaving out those for virtual machines."""
    nad = picture.infiniband_networks.get(resource) if resource else None
    plugin = main_plugin(nad, picture) if nad else None
    if nad is None or plugin is None:
        return None
    place = nad.place("spec", "config", inner=(*plugin.path, "type"))
    return Observed(value=plugin.type, place=place)


def _links(pool: Pool, selector: Selector, *, picture: Picture) -> Iterator[Observed]:
    """Give the link layer of each function that a selector takes on a node in sight.

    Functions of user-space drivers have none: they say the driver's name instead.
    """
    for node in picture.node_names:
        filled = picture.fill(pool.plugin, node, as_started=False)
        if isinstance(filled, Unknown) or filled.value is None:
            continue
        functions = {a: fate.function for a, fate in filled.value.fates.items()}
        mine = filled.value.pool(pool.entry)
        for address, index in mine.taken.items() if mine else ():
            link = _link_of(functions[address], functions) if index == selector.index else None
            if link is not None:
                yield link


def _link_of(function: Function, functions: Mapping[PciAddress, Function]) -> Observed | None:
    if function.driver in USERSPACE:
        return Observed(value=function.driver or "", place=function.place("driver"))
    link = link_of(function.address, functions)
    return (
        Observed(value=link.value.layer, place=link.value.place)
        if isinstance(link, Known)
        else None
    )


def users_without_devices(pool: Pool, picture: Picture) -> tuple[PodContainer, ...]:
    """Give the users of a pool that have no RDMA devices, from wherever.

    With a selector that passes them in the same pool, only those that were seen to have none.
    """
    is_mixed = any(selector.is_rdma for selector in pool.entry.selectors)
    found = []
    for container in users_of(pool, picture):
        listed = pod_outputs.rdma_devices(container, picture)
        if isinstance(listed, Known):
            has_any = any(name.startswith("uverbs") for name in listed.value)
        else:
            has_any = is_mixed or has_devices_anyway(container)
        if not has_any:
            found.append(container)
    return tuple(found)


# --- containers ---------------------------------------------------------------------------


def rdma_requests(container: PodContainer, picture: Picture) -> Answer[tuple[Request, ...]]:
    """Pick a container's requests for resources that come with RDMA devices."""
    asked = [(r, _passes(r, container, picture)) for r in container.requests if r.count != 0]
    sure = [(r, answer) for r, answer in asked if isinstance(answer, Known) and answer.value]
    unknown = [answer for _, answer in asked if isinstance(answer, Unknown)]
    if unknown and not sure:
        return joined(unknown)
    return Known(
        value=tuple(request for request, _ in sure),
        places=tuple(place for _, answer in sure for place in answer.places),
        assumes=tuple(dict.fromkeys(a for _, answer in sure for a in answer.assumes)),
    )


def _passes(request: Request, container: PodContainer, picture: Picture) -> Answer[bool]:
    """Say whether a resource's devices come with RDMA devices: its pool decides."""
    resource, pod = request.resource, container.pod
    pools = picture.pools_of.get(resource, ())
    if pools:
        found = [(p, s) for p in pools for s in p.entry.selectors if s.is_rdma]
        places = tuple(p.text.place_at(s.at("isRdma")) for p, s in found[:1])
        return Known(value=bool(found), places=places)
    network = _infiniband_network(resource, picture)
    if network:
        return Known(value=True, places=(network.place,), assumes=(_PASSES.format(resource),))
    if _GPU.fullmatch(str(resource)):
        return Known(value=False)
    if pod.attaching(resource):
        return Unknown(
            reason=f"whether the pool of {resource} passes RDMA devices: it is not in sight",
            give="kubectl get configmaps -A -o json",
            fact="the pools of resources",
        )
    return joined(pod.unknown_resources) if pod.unknown_resources else Known(value=False)


def infiniband_requests(container: PodContainer, picture: Picture) -> tuple[Request, ...]:
    """Pick the requests that surely stand for an RDMA device or an InfiniBand interface."""
    asked = () if container.is_early else container.requests
    return tuple(r for r in asked if r.count != 0 and _is_infiniband(r.resource, picture))


def _is_infiniband(resource: ResourceName, picture: Picture) -> bool:
    selectors = (s for pool in picture.pools_of.get(resource, ()) for s in pool.entry.selectors)
    return any(s.is_rdma for s in selectors) or resource in picture.infiniband_networks


def rdma_resources(picture: Picture) -> tuple[ResourceName, ...]:
    """Give the resources whose pools pass RDMA devices."""
    return tuple(
        sorted(
            resource
            for resource, pools in picture.pools_of.items()
            if any(s.is_rdma for pool in pools for s in pool.entry.selectors)
        )
    )


def has_devices_anyway(container: PodContainer) -> bool:
    """Whether something else than a request gives it RDMA devices, or may.

    A privileged container has the host's, annotations for CDI, CRI-O and NRI's device injector
    may name any, and nvidia-container-toolkit (v1.20.0 internal/modifier) adds them for
    NVIDIA_MOFED=enabled.
    """
    env = {each.name: each.value for each in container.container.env}
    return (
        container.container.security_context.privileged
        or env.get("NVIDIA_MOFED") == "enabled"
        or any(key.startswith(_INJECTORS) for key in container.pod.pod.metadata.annotations)
    )


def takes_gpus(container: PodContainer) -> bool:
    """Whether it requests GPUs, as far as their names tell."""
    return any(r.count != 0 and _GPU.fullmatch(str(r.resource)) for r in container.requests)


def gets_other_devices(container: PodContainer, picture: Picture) -> Answer[bool]:
    """Say whether what it requests may bring RDMA devices, from whatever plugin or driver."""
    if container.container.resources.claims:
        return CLAIMED
    asked = rdma_requests(container, picture)
    if isinstance(asked, Unknown):
        return asked
    others = {r.resource for r in container.requests if r.count != 0} - set(picture.pools_of)
    if asked.value or any(resource.prefix == _SHARED for resource in others):
        return Known(value=True)
    unknown = sorted(str(other) for other in others if not _GPU.fullmatch(str(other)))
    if unknown:
        return Unknown(
            reason=f"whether {unknown[0]} brings RDMA devices: no pool in sight makes it",
            give="kubectl get configmaps -A -o json",
            fact="the pools of resources",
        )
    return Known(value=False)
