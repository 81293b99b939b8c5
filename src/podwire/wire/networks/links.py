"""Which link layer the devices of a resource have: on a node, or by the pool's own selectors."""

from collections.abc import Mapping

import msgspec

from podwire.facts.node import Function, NetDevice
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Place, Unknown, derived, first_known, joined
from podwire.model.names import ResourceName
from podwire.wire.joined.fills import no_functions
from podwire.wire.joined.offers import ids_of
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

# ARPHRD numbers of sysfs' net/*/type (linux include/uapi/linux/if_arp.h), and the words of
# infiniband/*/ports/1/link_layer.
_BY_TYPE: Mapping[str, str] = {"1": "ether", "32": "infiniband"}
_BY_LAYER: Mapping[str, str] = {"Ethernet": "ether", "InfiniBand": "infiniband"}


class Link(msgspec.Struct, frozen=True, gc=False):
    """A device of a resource: `layer` is "infiniband" or "ether"; `place` says so."""

    address: PciAddress
    layer: str
    place: Place


def links_of(resource: ResourceName, picture: Picture) -> Mapping[str, Answer[tuple[Link, ...]]]:
    """Give the links of a resource's devices on each node in sight that may have some."""
    may = (n for n in picture.node_names if not _lacks(n, resource, picture))
    found: dict[str, Answer[tuple[Link, ...]]] = {}
    for node in may:
        found[node] = links_on(node, resource, picture)
        if picture.files(node) is None:
            break  # One that was not read is enough to know that not all were.
    rest = (n for n in picture.facts.node_files if n not in found)
    found |= {n: links_on(n, resource, picture) for n in rest if not _lacks(n, resource, picture)}
    return found


def links_for(
    pods: tuple[WiredPod, ...], resource: ResourceName, picture: Picture
) -> Mapping[str, Answer[tuple[Link, ...]]]:
    """Give the same on the nodes that some pods may run on, on all where there are no pods."""
    return {
        node: links
        for node, links in links_of(resource, picture).items()
        if not pods or any(may_run(pod, node, picture) for pod in pods)
    }


def may_run(pod: WiredPod, node: str, picture: Picture) -> bool:
    """Say whether a pod is on a node, or nothing in sight keeps it away from there."""
    bound = pod.pod.spec.node_name
    if bound:
        return bound == node
    return node not in {name for name, _ in picture.candidates(pod.pod).excluded}


def _lacks(node: str, resource: ResourceName, picture: Picture) -> bool:
    offer = picture.offer(resource, node)
    return isinstance(offer, Known) and not offer.value.is_any


def links_on(node: str, resource: ResourceName, picture: Picture) -> Answer[tuple[Link, ...]]:
    """Give the link of each device of a resource on a node, as far as each is known.

    Unknown where the devices are not known, or the link of none of them is.
    """
    files = picture.files(node)
    if files is None:
        return no_functions(f"node {node}")
    addresses, functions = devices_on(node, resource, picture), files.functions
    if isinstance(addresses, Unknown):
        return addresses
    if isinstance(functions, Unknown):
        return functions
    by_address = {function.address: function for function in functions.value}
    answers = [link_of(a, by_address) for a in addresses.value]
    known = tuple(a.value for a in answers if isinstance(a, Known))
    unknown = [a for a in answers if isinstance(a, Unknown)]
    if unknown and not known:
        return joined(unknown)
    return Known(value=known, assumes=addresses.assumes)


def devices_on(
    node: str, resource: ResourceName, picture: Picture
) -> Answer[tuple[PciAddress, ...]]:
    """List a resource's devices: kubelet's list first, the pool model in its place."""
    files = picture.files(node)
    listed: Answer[tuple[PciAddress, ...]] = Unknown(reason=f"no files of node {node} were given")
    if files is not None:
        listed = derived(
            files.allocatable,
            lambda devices: tuple(filter(None, map(PciAddress.maybe, ids_of(devices, resource)))),
        )
    pools = picture.pools_of.get(resource, ())
    return first_known(listed, *(_members(pool, node, picture) for pool in pools))


def fixed_layers(pool: Pool) -> frozenset[str]:
    """Give the link layers to which a pool's selectors narrow it; empty: to none."""
    known = frozenset(_BY_LAYER.values())
    layers = [known.intersection(selector.link_types) for selector in pool.entry.selectors]
    return frozenset().union(*layers) if all(layers) else frozenset()


def _members(pool: Pool, node: str, picture: Picture) -> Answer[tuple[PciAddress, ...]]:
    # A link does not depend on when the plugin started; which VFs it has may.
    filled = first_known(*(picture.fill(pool.plugin, node, as_started=s) for s in (True, False)))
    if isinstance(filled, Unknown):
        return filled
    mine = filled.value.pool(pool.entry) if filled.value else None
    members: Answer[tuple[PciAddress, ...]] = mine.members if mine else Known(value=())
    if isinstance(members, Unknown):
        return members
    return Known(value=members.value, assumes=filled.assumes)


def link_of(address: PciAddress, functions: Mapping[PciAddress, Function]) -> Answer[Link]:
    """Give the link of one function of a node: by its net device, its PF's, its RDMA device."""
    function = functions.get(address)
    if function is None:
        return Unknown(reason=f"the function {address} was not collected")
    pf = functions.get(function.physfn) if function.physfn else None
    answers = [_by_device(address, f.netdevs) for f in (function, pf) if f is not None]
    return first_known(*answers, _by_rdma(function))


def _by_device(address: PciAddress, devices: tuple[NetDevice, ...]) -> Answer[Link]:
    # A VF's port is its PF's, so the PF's device tells as well.
    for device in devices:
        kind = device.attributes.read("type")
        if isinstance(kind, Unknown):
            return kind
        layer = _BY_TYPE.get(kind.value or "")
        if layer is not None:
            return Known(value=Link(address=address, layer=layer, place=kind.places[0]))
    return Unknown(reason=f"the link type of {address}", fact="the link type of a function")


def _by_rdma(function: Function) -> Answer[Link]:
    for device in function.rdma:
        read = device.attributes.read("ports/1/link_layer")
        layer = _BY_LAYER.get(read.value or "") if isinstance(read, Known) else None
        if isinstance(read, Known) and layer is not None:
            link = Link(address=function.address, layer=layer, place=read.places[0])
            return Known(value=link)
    return Unknown(
        reason=f"the link type of {function.address} of node {function.node} was not collected",
        give="cat /sys/class/net/*/type",
        fact="the link type of a function",
    )
