"""What rules ask about RDMA: what a pool's functions are, what a container gets of them."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from podwire.facts.node import Function
from podwire.facts.objects import Network, Volume
from podwire.facts.workloads import Stage
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.model.names import Ref, ResourceName
from podwire.peers import container_runtime, ib_sriov
from podwire.peers.multus import CniConfig
from podwire.peers.pci_ids import MELLANOX
from podwire.peers.sriovdp.keys import NET_DEVICE
from podwire.peers.sriovdp.records import Selector
from podwire.peers.sriovdp.start import USERSPACE
from podwire.wire import pod_outputs
from podwire.wire.networks import main_plugin
from podwire.wire.picture import Picture
from podwire.wire.plugins import Pool
from podwire.wire.pods import Request, WiredPod, resource_of, wired
from podwire.wire.shares import PodContainer, containers_of

FOLDER = "/dev/infiniband"
IPC_LOCK = "IPC_LOCK"
_DEV = "/dev"
_SHARED = "rdma"  # default prefix of k8s-rdma-shared-dev-plugin (v1.5.3 cmd/)
KERNEL_DRIVER = "the functions of {} have a kernel driver, not vfio-pci"
_PASSES = "the pool of {} passes RDMA devices (isRdma)"
NO_WEBHOOK = "no webhook completes the pod (the webhooks were not listed)"

_INFINIBAND, _ETHERNET = "infiniband", "ether"
_LAYERS = {"InfiniBand": _INFINIBAND, "Ethernet": _ETHERNET}
_TYPES = {"32": _INFINIBAND, "1": _ETHERNET}  # linux include/uapi/linux/if_arp.h
_GPU = re.compile(r"(nvidia\.com/(gpu|mig-)|amd\.com/|.*\.intel\.com/).*")


class Seen(msgspec.Struct, frozen=True, gc=False):
    """A value, and where it stands."""

    value: str
    place: Place


# --- pools --------------------------------------------------------------------------------


def selectors_without_rdma(pool: Pool) -> tuple[Selector, ...]:
    """Give a pool's selectors that pass no RDMA devices and could; none of a pool not made."""
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


def serves_infiniband(
    pool: Pool, selector: Selector, *, picture: Picture
) -> Answer[tuple[Seen, ...]]:
    """Say by what it shows that a selector takes InfiniBand functions; empty: it takes others.

    What the selector says comes first, then its functions on the nodes, then the networks
    that ask for the pool's resource.
    """
    if selector.link_types and _INFINIBAND not in selector.link_types:
        return Known(value=())
    if selector.vendors and MELLANOX not in selector.vendors:
        return Known(value=())
    if set(selector.link_types) == {_INFINIBAND}:
        place = pool.text.place_at(selector.at("linkTypes"))
        return Known(value=(Seen(value=_INFINIBAND, place=place),))
    links = tuple(_links(pool, selector, picture=picture))
    if links:
        found = tuple(link for link in links if link.value == _INFINIBAND)
        return Known(value=found[:1])
    return _by_networks(pool, selector, picture=picture)


def _by_networks(pool: Pool, selector: Selector, *, picture: Picture) -> Answer[tuple[Seen, ...]]:
    nads = networks_of(pool.resource, picture) if pool.resource else ()
    found = tuple(infiniband_networks(nads))
    if found:
        assumes = () if selector.drivers else (KERNEL_DRIVER.format(pool.entry.name),)
        return Known(value=found[:1], assumes=assumes)
    if any(plugin and plugin.type == ib_sriov.SRIOV for plugin in map(main_plugin, nads)):
        return Known(value=())
    return Unknown(
        reason=f"whether the functions of pool {pool.entry.name} are InfiniBand",
        give="kubectl get net-attach-def -A -o json, or nodes/<node>/sysfs.txt",
        fact="the link layer of pools",
    )


def networks_of(resource: ResourceName, picture: Picture) -> tuple[Network, ...]:
    """Give the NADs in sight that ask for a resource."""
    return tuple(nad for nad in picture.facts.networks.items if resource_of(nad) == resource)


def infiniband_networks(nads: Iterable[Network]) -> Iterator[Seen]:
    """Pick the NADs that ib-sriov attaches, leaving out those for virtual machines."""
    for nad in nads:
        plugin = main_plugin(nad)
        if plugin and plugin.type == ib_sriov.IB_SRIOV and not plugin.value("vfioPciMode"):
            place = nad.place("spec", "config", inner=(*plugin.path, "type"))
            yield Seen(value=plugin.type, place=place)


def _links(pool: Pool, selector: Selector, *, picture: Picture) -> Iterator[Seen]:
    """Give the link layer of each function that a selector takes on a node in sight.

    Functions of user-space drivers have none: they say the driver's name instead.
    """
    for node in picture.node_names:
        filled = picture.fill(pool.plugin, node, as_started=False)
        if isinstance(filled, Unknown) or filled.value is None:
            continue
        functions = {a: fate.function for a, fate in filled.value.fates.items()}
        mine = [p for p in filled.value.pools if p.entry.index == pool.entry.index]
        for address, index in mine[0].taken.items() if mine else ():
            link = link_of(functions[address], functions) if index == selector.index else None
            if link is not None:
                yield link


def link_of(function: Function, functions: dict[PciAddress, Function]) -> Seen | None:
    """Read a function's link layer: by its RDMA device, its net device, or its PF's."""
    if function.driver in USERSPACE:
        return Seen(value=function.driver or "", place=function.place("driver"))
    pf = functions.get(function.physfn) if function.physfn else None
    for each in (function, pf):
        for kinds, devices, name in (
            (_LAYERS, each.rdma if each else (), "ports/1/link_layer"),
            (_TYPES, each.netdevs if each else (), "type"),
        ):
            for device in devices:
                read = device.attributes.read(name)
                value = (read.value or "").strip() if isinstance(read, Known) else ""
                if value in kinds:
                    return Seen(value=kinds[value], place=device.attributes.place(name))
    return None


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
    networks = tuple(infiniband_networks(networks_of(resource, picture)))
    if networks:
        return Known(value=True, places=(networks[0].place,), assumes=(_PASSES.format(resource),))
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
    return any(s.is_rdma for s in selectors) or any(
        infiniband_networks(networks_of(resource, picture))
    )


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

    A privileged container has the host's, a CDI annotation may name any, and
    nvidia-container-toolkit (v1.20.0 internal/modifier) adds them for NVIDIA_MOFED=enabled.
    """
    env = {each.name: each.value for each in container.container.env}
    return (
        container.container.security_context.privileged
        or env.get("NVIDIA_MOFED") == "enabled"
        or any(key.startswith("cdi.k8s.io/") for key in container.pod.pod.metadata.annotations)
    )


def gets_other_devices(container: PodContainer, picture: Picture) -> Answer[bool]:
    """Say whether what it requests may bring RDMA devices, from whatever plugin or driver."""
    if container.container.resources.claims:
        return Unknown(
            reason="which devices a resource claim brings",
            give="kubectl get resourceclaims,resourceclaimtemplates -A -o json",
        )
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


class HostMount(msgspec.Struct, frozen=True, gc=False):
    """The folder of the RDMA devices, or /dev, mounted from the host into a container."""

    container: PodContainer
    path: str
    place: Place

    @property
    def ref(self) -> Ref:
        """The container."""
        return self.container.ref


def host_mounts(picture: Picture) -> Iterator[HostMount]:
    """Find the containers, of any pod that has not ended, that mount RDMA devices.

    Whoever mounts all of /dev counts only where the container shows that it means RDMA.
    """
    for view in picture.views:
        volumes = view.spec.volumes
        if view.stage is Stage.OVER or not any(_device_path(v) for v in volumes):
            continue
        pod = wired(view, facts=picture.facts) or WiredPod(
            pod=view, networks=None, attachments=(), requests=()
        )
        for container in containers_of(pod):
            mount = None if container.is_early else host_mount(container)
            if mount and (mount.path != _DEV or _means_rdma(container)):
                yield mount


def host_mount(container: PodContainer) -> HostMount | None:
    """Find the mount of RDMA devices in one container."""
    spec = container.pod.pod.spec
    paths = {volume.name: _device_path(volume) for volume in spec.volumes}
    for index, mount in enumerate(container.container.volume_mounts):
        if path := paths.get(mount.name):
            place = container.place("volumeMounts", index, "mountPath")
            return HostMount(container=container, path=path, place=place)
    return None


def _device_path(volume: Volume) -> str:
    """Give the host path of a volume that holds RDMA devices; empty for others."""
    steps = volume.host_path.path.split("/") if volume.host_path else []
    path = "/" + "/".join(step for step in steps if step not in {"", "."})
    return path if path == _DEV or f"{path}/".startswith(f"{FOLDER}/") else ""


def _means_rdma(container: PodContainer) -> bool:
    return names_lock(container) is not None or any(
        isinstance(a.cni, Known)
        and isinstance(a.cni.value, CniConfig)
        and a.cni.value.main.type == ib_sriov.IB_SRIOV
        for a in container.pod.attachments
    )


def names_lock(container: PodContainer) -> Place | None:
    """Find IPC_LOCK, by name, among the capabilities that a container adds."""
    added = container.container.security_context.capabilities.add
    for index, name in enumerate(added):
        if name.upper().removeprefix("CAP_") == IPC_LOCK:
            return container.place("securityContext", "capabilities", "add", index)
    return None


def is_given_lock(container: PodContainer, picture: Picture) -> Answer[bool]:
    """Say whether a container is given IPC_LOCK, in force or not."""
    context = container.container.security_context
    if context.privileged:
        return Known(value=True)
    runtime = _runtime(container, picture)
    return container_runtime.has(IPC_LOCK, context.capabilities, runtime=runtime)


def may_lift_limit(container: PodContainer) -> bool:
    """Whether it is given SYS_RESOURCE, with which a process may lift its own limit."""
    capabilities = container.container.security_context.capabilities
    given = container_runtime.has("SYS_RESOURCE", capabilities, runtime="")
    return isinstance(given, Known) and given.value


def is_seen_to_lock(container: PodContainer, picture: Picture) -> bool:
    """Whether output of the pod shows that the container may lock as much as it likes."""
    limit = pod_outputs.locked_memory(container.pod.pod, picture)
    if isinstance(limit, Known) and limit.value.soft is None:
        return True
    can = pod_outputs.can_lock(container, picture)
    return isinstance(can, Known) and can.value and not in_user_namespace(container)


def in_user_namespace(container: PodContainer) -> bool:
    """Whether its capabilities hold in a user namespace of its own only."""
    return container.pod.pod.spec.host_users is False


def _runtime(container: PodContainer, picture: Picture) -> str:
    """Name the runtime of the pod's node, or of all nodes where they agree; else nothing."""
    bound = container.pod.pod.spec.node_name
    names = {
        container_runtime.runtime_of(node.status.node_info.container_runtime_version)
        for node in picture.facts.nodes.items
        if not bound or node.metadata.name == bound
    }
    return names.pop() if len(names) == 1 else ""


def user_of(container: PodContainer) -> Seen | None:
    """Say as which user, never root, a container's fields make it run; None: they do not.

    The container's own fields win over the pod's, each for itself. An image's user is not read.
    """
    pod = container.pod.pod
    levels = (
        (container.container.security_context, container.place("securityContext")),
        (pod.spec.security_context, pod.place("spec", "securityContext")),
    )
    for context, place in levels:
        if context.run_as_user is not None:
            user = Seen(value=f"user {context.run_as_user}", place=_in(place, "runAsUser"))
            return user if context.run_as_user else None
    for context, place in levels:
        if context.run_as_non_root is not None:
            user = Seen(value="a user other than root", place=_in(place, "runAsNonRoot"))
            return user if context.run_as_non_root else None
    return None


def _in(place: Place, key: str) -> Place:
    return msgspec.structs.replace(place, path=(*place.path, key))


def completed_later(container: PodContainer, picture: Picture) -> tuple[str, ...]:
    """Assume that no webhook changes a pod that is only planned, unless webhooks were listed."""
    is_planned = container.pod.pod.stage is Stage.PLANNED
    return (NO_WEBHOOK,) if is_planned and not picture.facts.webhooks.is_complete() else ()
