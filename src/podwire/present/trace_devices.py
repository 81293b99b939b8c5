"""What nodes offer of a resource, and the functions behind it: one paragraph each."""

from collections.abc import Iterator, Mapping

from podwire.facts.node import Function, RdmaDevice
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown, derived
from podwire.model.names import ResourceName
from podwire.wire.joined.passed import functions_passed
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_MOST = 2


def offered(resource: ResourceName, node: str, *, picture: Picture) -> str:
    """Say how many devices a node offers, and how podwire knows."""
    offer = picture.offer(resource, node)
    if isinstance(offer, Unknown):
        return f"{node}: {offer.reason}"
    found = offer.value
    of = "" if found.capacity is None else f" of {found.capacity}"
    return f"{node}: {found.allocatable}{of} allocatable ({found.source.value})"


def own_devices(pod: WiredPod, resource: ResourceName, *, picture: Picture) -> Iterator[str]:
    """Describe the functions that the pod has of a resource, with what they are in it."""
    node = pod.pod.spec.node_name
    functions = _functions(node, picture=picture)
    for address, name in sorted(_names(pod, resource, picture=picture).items()):
        if address in functions:
            yield f"{address} is {name}: {_described(functions[address])}"
        else:
            yield f"{address} is {name}; the node's functions were not read"


def _names(pod: WiredPod, resource: ResourceName, *, picture: Picture) -> Mapping[PciAddress, str]:
    """Name each function by its interface, else by what it is to be, else by its container."""
    inside = {
        i.name: i.pci_address for i in pod.interfaces or () if i.pci_address and not i.default
    }
    attaching = pod.attaching(resource)
    names = {inside[a.interface]: a.interface for a in attaching if a.interface in inside}
    interfaces = {a.interface for a in attaching} - set(names.values())
    for address, attachment in functions_passed(pod, picture.passed(pod)):
        if attachment.interface in interfaces:
            names.setdefault(address, f"for {attachment.interface}")
    node = pod.pod.spec.node_name
    for holder in picture.holders(node) if node else ():
        if holder.pod == pod.ref.whole and holder.resource == resource:
            names.setdefault(holder.address, f"container {holder.container}")
    return names


def _functions(node: str, *, picture: Picture) -> Mapping[PciAddress, Function]:
    files = picture.files(node)
    if files is None or isinstance(files.functions, Unknown):
        return {}
    return {function.address: function for function in files.functions.value}


def pool_devices(pools: tuple[Pool, ...], node: str, *, picture: Picture) -> Iterator[str]:
    """Describe the first functions that pools have on a node, and count the others."""
    functions: dict[PciAddress, Function] = {}
    for pool in pools:
        members = _members(pool, node, picture=picture)
        if isinstance(members, Unknown):
            yield f"{node}: not known: {members.reason}"
            return
        functions |= {function.address: function for function in members.value}
    if not functions:
        yield f"{node}: the pool is empty"
    holders = {holder.address: holder.pod for holder in picture.holders(node)}
    for address in sorted(functions)[:_MOST]:
        held = f", held by {holders[address]}" if address in holders else ""
        yield f"{node} {address}: {_described(functions[address])}{held}"
    if len(functions) > _MOST:
        taken = sum(address in holders for address in functions)
        yield f"{node} has {len(functions)}, of which pods hold {taken}"


def _members(pool: Pool, node: str, *, picture: Picture) -> Answer[tuple[Function, ...]]:
    filled = picture.fill(pool.plugin, node)
    if isinstance(filled, Unknown):
        return filled
    if filled.value is None:
        return Unknown(reason="its device plugin does not run there")
    found, fates = filled.value.pool(pool.entry), filled.value.fates
    members: Answer[tuple[PciAddress, ...]] = found.members if found else Known(value=())
    return derived(members, lambda those: tuple(fates[address].function for address in those))


def _described(function: Function) -> str:
    """Write what a function has on the host."""
    parts = [
        function.driver or "no driver",
        ", ".join(map(_rdma, function.rdma)) or "no RDMA device",
        ", ".join(device.name for device in function.netdevs) or "no net device on the host",
    ]
    numa = function.attributes.read("numa_node")
    if isinstance(numa, Known) and numa.value is not None:
        parts.append(f"NUMA node {numa.value}")
    parts += [f"GUID {guid}" for guid in map(_guid, function.rdma) if guid]
    return ", ".join(parts)


def _rdma(device: RdmaDevice) -> str:
    nodes = f" ({' '.join(device.char_nodes)})" if device.char_nodes else ""
    return f"{device.name}{nodes}"


def _guid(device: RdmaDevice) -> str:
    value = device.attributes.read("node_guid")
    return value.value if isinstance(value, Known) and value.value else ""
