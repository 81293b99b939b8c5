"""Devices of a node with their NUMA nodes: from kubelet's PodResources, else from sysfs.

kubelet's own answer tells of every resource; sysfs only of what SR-IOV pools hold. NUMA nodes
without devices are not seen: they change no verdict, as kubelet makes hints of nodes with
devices, or (before v1.36) of all, where those without never hold enough.
"""

from collections.abc import Iterable, Iterator, Mapping

from podwire.facts.node import Device as Listed
from podwire.facts.node import Function, NodeFiles, PodDevices
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Device, Machine
from podwire.wire.joined.offers import by_node
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.supply import served_by_class
from podwire.wire.picture import Picture

_NODES = range(64)  # kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/bitmask holds no others
_LONGEST = 4

_Owners = dict[tuple[str, str], str]
_Devices = dict[ResourceName, dict[str, Device]]


def machine_of(node: str, wanted: Iterable[ResourceName], picture: Picture) -> Answer[Machine]:
    """Put a node's devices together; those of wanted resources are all there, or it is Unknown.

    Owners are as kubelet's list of pods says; without one (`held_on`) every device is free.
    """
    names = tuple(dict.fromkeys(wanted))
    for name in names:
        served = served_by_class(name, facts=picture.facts)
        if isinstance(served, Unknown):
            return served
    files = picture.files(node)
    if files is not None and isinstance(files.allocatable, Known):
        listed = _by_pod_resources(files, picture)
        found: Answer[_Devices] = Known(value=listed, places=files.allocatable.places)
        healthy = f"all devices of {node} are healthy: kubelet lists no others"
    else:
        found = _by_pools(node, names, picture)
        healthy = ""
    if isinstance(found, Unknown):
        return found
    counts = tuple(_counts(found.value, names, node=node, picture=picture))
    wrong = next((count for count in counts if isinstance(count, Unknown)), None)
    if wrong is not None:
        return wrong
    machine = Machine(numa=_nodes(found.value), devices=_tuples(found.value))
    assumes = (healthy,) if healthy and len(counts) < len(names) else ()
    return Known(value=machine, places=found.places, assumes=assumes)


def held_on(node: str, picture: Picture) -> Answer[tuple[PodDevices, ...]]:
    """Give kubelet's list of what pods hold."""
    files = picture.files(node)
    return not_listed(node, "podresources-list.json") if files is None else files.held


def not_listed(node: str, file: str) -> Unknown:
    """Say that an answer of kubelet's PodResources was not given."""
    return Unknown(
        reason=f"{file} of node {node} was not given",
        give=f"nodes/<node>/{file} in a bundle",
        fact=f"{file} of nodes",
    )


def _is_over(pod: PodDevices, picture: Picture) -> bool:
    """Tell whether a pod ended: some kubelets go on listing what it held."""
    found = picture.facts.pods.by_name.get((pod.namespace, pod.name))
    return found is not None and found.status.phase in {"Succeeded", "Failed"}


def _by_pod_resources(files: NodeFiles, picture: Picture) -> _Devices:
    """Take healthy devices from the one answer, and ill ones that pods hold from the other."""
    held = files.held.value if isinstance(files.held, Known) else ()
    owners: _Owners = {}
    ill: list[Listed] = []
    for pod in held:
        owner = "" if _is_over(pod, picture) else f"{pod.namespace}/{pod.name}"
        for entry in (device for each in pod.containers for device in each.devices):
            ill.append(entry)
            if owner:
                owners |= {(entry.resource_name, one): owner for one in entry.ids}
    devices: _Devices = {}
    healthy = files.allocatable.value if isinstance(files.allocatable, Known) else ()
    _add(devices, healthy, owners, is_healthy=True)
    _add(devices, ill, owners, is_healthy=False)
    return devices


def _add(devices: _Devices, listed: Iterable[Listed], owners: _Owners, *, is_healthy: bool) -> None:
    sets: dict[tuple[int, ...], frozenset[int]] = {}
    for entry in listed:
        name = ResourceName.maybe(entry.resource_name)
        if name is None:
            continue
        nodes = (
            tuple(n.id for n in entry.topology.nodes if n.id in _NODES) if entry.topology else ()
        )
        numa = sets.setdefault(nodes, frozenset(nodes))
        mine = devices.setdefault(name, {})
        for one in entry.ids:
            if one not in mine:
                owner = owners.get((entry.resource_name, one)) if owners else None
                mine[one] = Device(id=one, numa=numa, is_healthy=is_healthy, owner=owner)


def _by_pools(node: str, names: tuple[ResourceName, ...], picture: Picture) -> Answer[_Devices]:
    """Take members of SR-IOV pools from sysfs; what nothing else makes is not to be seen there."""
    devices: _Devices = {}
    places: list[Place] = []
    files = picture.files(node)
    for name in names:
        pools = picture.pools_of.get(name, ())
        if not pools:
            if files is not None and isinstance(files.allocatable, Unknown):
                return files.allocatable
            return not_listed(node, "podresources-allocatable.json")
        found = _members(pools, node, picture)
        if isinstance(found, Unknown):
            return found
        devices[name] = {device.id: device for device in found.value}
        places += found.places
    return Known(value=devices, places=tuple(places[:3]))


def _members(pools: tuple[Pool, ...], node: str, picture: Picture) -> Answer[tuple[Device, ...]]:
    """List the devices of a resource's pools with the NUMA nodes that the plugin tells kubelet."""
    devices: list[Device] = []
    places: tuple[Place, ...] = ()
    makers = 0
    for pool in pools:
        filled = picture.fill(pool.plugin, node)
        if isinstance(filled, Unknown):
            return filled
        mine = filled.value.pool(pool.entry) if filled.value else None
        if filled.value is None or mine is None:
            continue
        makers += 1
        if isinstance(mine.members, Unknown):
            return mine.members
        owners = {h.address: h.pod.full_name for h in picture.holders(node)}
        places += filled.places
        for address in mine.members.value:
            numa = _numa(filled.value.fates[address].function, pool)
            if isinstance(numa, Unknown):
                return numa
            devices.append(Device(id=str(address), numa=numa.value, owner=owners.get(address)))
    if makers > 1:
        return Unknown(reason=f"which of two device plugins on {node} serves {pools[0].resource}")
    return Known(value=tuple(devices), places=places[:3])


def _numa(function: Function, pool: Pool) -> Answer[frozenset[int]]:
    """Read where a function is; -1 is nowhere in particular.

    Source: sriov-network-device-plugin v3.11.0 pkg/devices/gen_pci.go, pkg/resources/pool_stub.go.
    """
    if pool.entry.exclude_topology:
        return Known(value=frozenset())
    answer = function.attributes.read("numa_node")
    if isinstance(answer, Unknown):
        return answer
    text = (answer.value or "").strip()
    if text in {"", "-1"}:
        return Known(value=frozenset())
    if not (text.isdecimal() and len(text) < _LONGEST and int(text) in _NODES):
        return Unknown(reason=f"{text[:20]!r} as NUMA node of {function.address} is no number")
    return Known(value=frozenset({int(text)}))


def _counts(
    devices: _Devices, names: tuple[ResourceName, ...], *, node: str, picture: Picture
) -> Iterator[int | Unknown]:
    """Compare with the Node's capacity, where that was read.

    kubelet lists no ill devices, which count for its hints all the same.
    """
    for name in names:
        offer = by_node(name, picture.node(node), node)
        if isinstance(offer, Unknown):
            continue
        found, capacity = len(devices.get(name, ())), offer.value.capacity or 0
        if found == capacity:
            yield found
            continue
        yield Unknown(
            reason=f"node {node} counts {capacity} of {name}, and the NUMA nodes of {found} "
            "were read",
            give="nodes/<node>/podresources-allocatable.json of now, all devices healthy",
            fact="the NUMA nodes of all devices",
        )


def _nodes(devices: Mapping[ResourceName, Mapping[str, Device]]) -> tuple[int, ...]:
    sets = {device.numa for mine in devices.values() for device in mine.values()}
    return tuple(sorted({0}.union(*sets)))


def _tuples(devices: _Devices) -> dict[ResourceName, tuple[Device, ...]]:
    return {name: tuple(mine.values()) for name, mine in devices.items()}


def holdings(machine: Machine, wanted: Iterable[ResourceName]) -> Iterator[tuple[str, str]]:
    """Say who holds how many of which resource on which NUMA nodes: pod and words."""
    counts: dict[tuple[str, ResourceName, tuple[int, ...]], int] = {}
    for name in dict.fromkeys(wanted):
        for device in machine.devices.get(name, ()):
            if device.owner is not None:
                key = (device.owner, name, tuple(sorted(device.numa)))
                counts[key] = counts.get(key, 0) + 1
    for (owner, name, nodes), count in sorted(counts.items()):
        where = f" on NUMA node {' and '.join(map(str, nodes))}" if nodes else ""
        yield owner, f"{count} {name}{where}"
