"""How near two PCI functions are, in the words of `nvidia-smi topo -m`.

A function's path in sysfs names the bridges above it:
`devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:04.0/0000:18:00.0`.
"""

from podwire.model.addresses import PciAddress

PIX, PXB, PHB, NODE, SYS = "PIX", "PXB", "PHB", "NODE", "SYS"
ORDER = (PIX, PXB, PHB, NODE, SYS)
_HOST_BRIDGE = "pci"


def bridges(path: str) -> tuple[str, ...]:
    """Give the host bridge and the bridges above a function, from the top."""
    steps = path.strip("/").split("/")
    start = next((i for i, step in enumerate(steps) if _is_host_bridge(step)), None)
    return () if start is None else tuple(steps[start:-1])


def nearness(
    one: tuple[str, ...], other: tuple[str, ...], *, numa: tuple[str | None, str | None]
) -> str:
    """Compare the bridges of two functions, and their NUMA nodes where they share none.

    Args:
        one: the bridges above the first, from the top.
        other: those above the second.
        numa: the NUMA nodes of both; None or `-1`: not known.
    """
    shared = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        shared += 1
    if shared > 1:  # below one root port: how many bridges lie between the two
        between = len(one) + len(other) - 2 * shared
        return PIX if between <= 2 and _is_one_switch(one, other, shared) else PXB
    if shared == 1:
        return PHB
    near, far = numa
    return NODE if near == far and near not in {None, "-1"} else SYS


def _is_one_switch(one: tuple[str, ...], other: tuple[str, ...], shared: int) -> bool:
    """A switch is an upstream port with downstream ports below it."""
    return len(one) - shared <= 1 and len(other) - shared <= 1


def _is_host_bridge(step: str) -> bool:
    domain = step.removeprefix(_HOST_BRIDGE)
    return step.startswith(_HOST_BRIDGE) and PciAddress.is_one(f"{domain}:00.0")
