"""Machines and pods for the tests of kubelet's Topology Manager."""

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Device, Kind, Machine, Request, Setup

GPU = ResourceName.parse("nvidia.com/gpu")
VF = ResourceName.parse("ib.example/vf")
RAIL_0 = ResourceName.parse("ib.example/rail_0")
RAIL_1 = ResourceName.parse("ib.example/rail_1")
RESTRICTED = Setup(policy="restricted")
SINGLE = Setup(policy="single-numa-node")
BEST_EFFORT = Setup(policy="best-effort")


def devices(short: str, *nodes: int | None, held: int = 0, ill: int = 0) -> tuple[Device, ...]:
    """One device a node given; the first `held` of them are held, the next `ill` are ill."""
    return tuple(
        Device(
            id=f"{short}{i}",
            numa=frozenset() if n is None else frozenset({n}),
            owner="train/other" if i < held else None,
            is_healthy=not held <= i < held + ill,
        )
        for i, n in enumerate(nodes)
    )


def two_sockets(vfs_per_socket: int = 32, **pools: tuple[Device, ...]) -> Machine:
    vfs = devices("vf", *[0] * vfs_per_socket, *[1] * vfs_per_socket)
    every = {"gpu": devices("gpu", 0, 0, 0, 0, 1, 1, 1, 1), "vf": vfs} | pools
    names = {"gpu": GPU, "vf": VF, "rail_0": RAIL_0, "rail_1": RAIL_1}
    return Machine(numa=(0, 1), devices={names[n]: listed for n, listed in every.items()})


def asks(container: str = "main", *, kind: Kind = "app", **wants: int) -> Request:
    names = {"gpu": GPU, "vf": VF, "rail_0": RAIL_0, "rail_1": RAIL_1}
    return Request(
        container=container, kind=kind, wants=tuple((names[n], w) for n, w in wants.items())
    )
