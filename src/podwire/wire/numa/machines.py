"""Devices of a node with their NUMA nodes: from kubelet's PodResources, else from sysfs.

kubelet's own answer tells of every resource; sysfs of what SR-IOV pools hold, and of GPUs.
NUMA nodes without devices are not seen where sysfs was not read: they change no verdict, as
kubelet makes hints of nodes with devices, or (before v1.36) of all, where those without never
hold enough.
"""

from collections.abc import Iterable, Iterator, Mapping

from podwire.facts.node import (
    NO_CELLS,
    NO_CPU_IDS,
    NO_MEMORY,
    Function,
    KubeletConfig,
    NodeFiles,
    NumaCell,
    PodDevices,
)
from podwire.facts.node import Device as Listed
from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import CPU, NUMA_NODES, Device, Machine
from podwire.wire.joined.offers import by_node
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.supply import served_by_class
from podwire.wire.numa.cpus import cpus_of
from podwire.wire.numa.gpus import GPU, gpus_of_node
from podwire.wire.numa.memory import NodeMemory, memory_of
from podwire.wire.picture import Picture

_LONGEST = 4

_Owners = dict[tuple[str, str], str]
_Devices = dict[ResourceName, dict[str, Device]]


def machine_of(
    node: str,
    wanted: Iterable[ResourceName],
    picture: Picture,
    *,
    cpus: Answer[tuple[Device, ...]] = NO_CPU_IDS,
    per_core: int = 0,
    memory: Answer[NodeMemory] = NO_MEMORY,
) -> Answer[Machine]:
    """Put a node's devices together; those of wanted resources are all there, or it is Unknown.

    Owners are as kubelet's list of pods says; without one (`held_on`) every device is free.
    `cpus` and `memory` are what static managers give (`node_cpus`, `node_memory`); `per_core`
    is by how many CPUs are given, 0: one by one.
    """
    found = _devices_of(node, tuple(dict.fromkeys(wanted)), picture)
    if isinstance(found, Unknown):
        return found
    files = picture.files(node)
    cells = files.cells if files is not None else NO_CELLS
    devices = found.value | ({} if isinstance(cpus, Unknown) else {CPU: cpus.value})
    machine = Machine(
        numa=_nodes(devices, cells),
        devices=devices,
        distances=_distances(cells),
        cpus_per_core=per_core,
        memory=None if isinstance(memory, Unknown) else memory.value.nodes,
        blocks=() if isinstance(memory, Unknown) else memory.value.blocks,
    )
    return Known(value=machine, places=found.places, assumes=found.assumes)


def _devices_of(
    node: str, names: tuple[ResourceName, ...], picture: Picture
) -> Answer[dict[ResourceName, tuple[Device, ...]]]:
    """Find the devices of resources where they can be seen, as many as the Node counts."""
    for name in names:
        served = served_by_class(name, facts=picture.facts)
        if isinstance(served, Unknown):
            return served
    files = picture.files(node)
    if files is not None and isinstance(files.allocatable, Known):
        found = _by_pod_resources(files, files.allocatable, names, picture)
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
    assumes = (healthy,) if healthy and len(counts) < len(names) else found.assumes
    return Known(value=_tuples(found.value), places=found.places, assumes=assumes)


def node_cpus(node: str, kubelet: KubeletConfig, picture: Picture) -> Answer[tuple[Device, ...]]:
    """Give the CPUs that kubelet's static policy hands out on a node, and who has which."""
    files = picture.files(node)
    if files is None:
        return NO_CELLS
    owners: dict[int, str] = {}
    for name, pod in _holding(files, picture).items():
        ids = (*pod.cpu_ids, *(cpu for each in pod.containers for cpu in each.cpu_ids))
        owners |= dict.fromkeys(ids, name)
    return cpus_of(files, kubelet, owners)


def node_memory(node: str, picture: Picture) -> Answer[NodeMemory]:
    """Give the memory that kubelet's policy Static hands out on a node, and who has it."""
    files = picture.files(node)
    return NO_MEMORY if files is None else memory_of(files, _holding(files, picture))


def _holding(files: NodeFiles, picture: Picture) -> Mapping[str, PodDevices]:
    """Give the pods that hold something, by name."""
    held = files.held.value if isinstance(files.held, Known) else ()
    return {f"{pod.namespace}/{pod.name}": pod for pod in held if not _is_over(pod, picture)}


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


def _by_pod_resources(
    files: NodeFiles,
    healthy: Known[tuple[Listed, ...]],
    names: tuple[ResourceName, ...],
    picture: Picture,
) -> Answer[_Devices]:
    """Take healthy devices from the one answer, and ill ones that pods hold from the other."""
    odd = next(_odd_nodes(healthy.value, names), None)
    if odd is not None:
        return Unknown(
            reason=f"podresources-allocatable.json of node {files.name} has NUMA node {odd}, and "
            f"kubelet knows 0 to {NUMA_NODES[-1]}",
            fact="the NUMA nodes of all devices",
        )
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
    _add(devices, healthy.value, owners, is_healthy=True)
    _add(devices, ill, owners, is_healthy=False)
    return Known(value=devices, places=healthy.places)


def _odd_nodes(listed: Iterable[Listed], names: tuple[ResourceName, ...]) -> Iterator[int]:
    """Find NUMA nodes of wanted devices that the Topology Manager has no bit for."""
    for entry in listed:
        if entry.topology and ResourceName.maybe(entry.resource_name) in names:
            yield from (node.id for node in entry.topology.nodes if node.id not in NUMA_NODES)


def _add(devices: _Devices, listed: Iterable[Listed], owners: _Owners, *, is_healthy: bool) -> None:
    sets: dict[tuple[int, ...], frozenset[int]] = {}
    for entry in listed:
        name = ResourceName.maybe(entry.resource_name)
        if name is None:
            continue
        nodes = (
            tuple(n.id for n in entry.topology.nodes if n.id in NUMA_NODES)
            if entry.topology
            else ()
        )
        numa = sets.setdefault(nodes, frozenset(nodes))
        mine = devices.setdefault(name, {})
        for one in entry.ids:
            if one not in mine:
                owner = owners.get((entry.resource_name, one)) if owners else None
                mine[one] = Device(id=one, numa=numa, is_healthy=is_healthy, owner=owner)


def _by_pools(node: str, names: tuple[ResourceName, ...], picture: Picture) -> Answer[_Devices]:
    """Take members of SR-IOV pools, and GPUs, from sysfs; nothing else is to be seen there."""
    devices: _Devices = {}
    places: list[Place] = []
    assumes: list[str] = []
    for name in names:
        found = _made(name, node, picture)
        if isinstance(found, Unknown):
            return found
        devices[name] = {device.id: device for device in found.value}
        places += found.places
        assumes += found.assumes
    return Known(value=devices, places=tuple(places[:3]), assumes=tuple(assumes))


def _made(name: ResourceName, node: str, picture: Picture) -> Answer[tuple[Device, ...]]:
    """Say which devices of a resource a node has, by what makes them."""
    pools = picture.pools_of.get(name, ())
    if pools:
        return _members(pools, node, picture)
    files = picture.files(node)
    if files is None:
        return not_listed(node, "podresources-allocatable.json")
    if name == GPU and isinstance(files.gpus, Known):
        offer = by_node(name, picture.node(node), node)
        capacity = derived(offer, lambda found: found.capacity or 0)
        return gpus_of_node(files, capacity, _holding(files, picture))
    if isinstance(files.allocatable, Unknown):
        return files.allocatable
    return not_listed(node, "podresources-allocatable.json")


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
    if not (text.isdecimal() and len(text) < _LONGEST and int(text) in NUMA_NODES):
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


def _nodes(
    devices: Mapping[ResourceName, tuple[Device, ...]], cells: Answer[tuple[NumaCell, ...]]
) -> tuple[int, ...]:
    if isinstance(cells, Known):
        return tuple(sorted(cell.id for cell in cells.value))
    sets = {device.numa for mine in devices.values() for device in mine}
    return tuple(sorted({0}.union(*sets)))


def _distances(cells: Answer[tuple[NumaCell, ...]]) -> Mapping[int, tuple[int, ...]] | None:
    """Give a row for each NUMA node; without one of them there is no telling which are close."""
    every = () if isinstance(cells, Unknown) else cells.value
    rows = {cell.id: cell.distances for cell in every if cell.distances is not None}
    return rows if rows and len(rows) == len(every) else None


def _tuples(devices: _Devices) -> dict[ResourceName, tuple[Device, ...]]:
    return {name: tuple(mine.values()) for name, mine in devices.items()}
