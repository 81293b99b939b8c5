"""What the devices of a resource are good for without a network: user space, RDMA alone."""

from collections.abc import Iterator

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.sriovdp.start import USERSPACE
from podwire.wire.networks.links import devices_on
from podwire.wire.picture import Picture


def have_kernel_driver(resource: ResourceName, picture: Picture) -> Answer[bool]:
    """Say whether functions of a resource have a kernel driver, and so an interface.

    Where no functions are in sight, what the pools say decides: isRdma and networks need one.
    """
    drivers = tuple(_drivers(resource, picture))
    if drivers:
        return Known(value=any(driver not in USERSPACE for driver in drivers))
    selectors = [s for pool in picture.pools_of.get(resource, ()) for s in pool.entry.selectors]
    if all(s.drivers or s.is_rdma for s in selectors):
        return Known(value=True)
    return Known(
        value=True, assumes=(f"the functions of {resource} have a kernel driver, not vfio-pci",)
    )


def _drivers(resource: ResourceName, picture: Picture) -> Iterator[str]:
    for node, files in picture.facts.node_files.items():
        addresses = devices_on(node, resource, picture)
        if isinstance(addresses, Unknown) or isinstance(files.functions, Unknown):
            continue
        mine = frozenset(addresses.value)
        yield from (f.driver for f in files.functions.value if f.address in mine and f.driver)


def passes_rdma(resource: ResourceName, picture: Picture) -> bool:
    """Say whether its pool passes RDMA devices.

    Where the node shares them (`rdma system show`) they work without an interface in the pod.
    """
    pools = picture.pools_of.get(resource, ())
    return any(selector.is_rdma for pool in pools for selector in pool.entry.selectors)


def is_for_rdma_alone(resource: ResourceName, picture: Picture) -> bool:
    """Whether no network takes the resource, where all networks are in sight."""
    is_unwanted = picture.facts.networks.is_complete() and resource not in picture.networks_of
    return is_unwanted and passes_rdma(resource, picture)
