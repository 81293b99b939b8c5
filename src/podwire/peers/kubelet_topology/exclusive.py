"""Which containers get CPUs or memory of their own from static managers, and how much.

Source: kubernetes v1.37.2 pkg/kubelet/cm/cpumanager/policy_static.go guaranteedCPUs,
memorymanager/policy_static.go getContainerRequestedResources;
pkg/apis/core/v1/helper/qos/qos.go ComputePodQOS. A request that is not written is its limit
(pkg/apis/core/v1/defaults.go).
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from podwire.model.names import ResourceName
from podwire.peers import k8s_quantity
from podwire.peers.kubelet_topology.records import Wants

Quantities: TypeAlias = Mapping[str, str | int | float]

_COUNTED = ("cpu", "memory")


def exclusive_cpus(limits: Sequence[Quantities], requests: Sequence[Quantities]) -> tuple[int, ...]:
    """Count them for each container, init containers too; 0: it shares what is left.

    Raises:
        ValueError: a quantity is none; the text is quoted.
    """
    if not is_guaranteed(limits, requests):
        return (0,) * len(limits)
    return tuple(_whole(k8s_quantity.amount(each["cpu"])) for each in limits)


def static_memory(
    limits: Sequence[Quantities], requests: Sequence[Quantities]
) -> tuple[Wants, ...]:
    """Give the bytes of each type for each container, init containers too.

    Raises:
        ValueError: a quantity is none, or no whole number of bytes; the text is quoted.
    """
    if not is_guaranteed(limits, requests):
        return ((),) * len(limits)
    return tuple(
        tuple(
            (ResourceName(prefix="", name=name), k8s_quantity.count(size))
            for name, size in sorted({**limit, **request}.items())
            if name == "memory" or name.startswith("hugepages-")
        )
        for limit, request in zip(limits, requests, strict=True)
    )


def is_guaranteed(limits: Sequence[Quantities], requests: Sequence[Quantities]) -> bool:
    """Say whether a pod of these containers has the QoS class Guaranteed.

    No request is above its limit, so that sums are equal only where each of them is.

    Raises:
        ValueError: a quantity is none; the text is quoted.
    """
    return all(
        _of(limit, name) > 0 and _of(request, name, default=_of(limit, name)) == _of(limit, name)
        for limit, request in zip(limits, requests, strict=True)
        for name in _COUNTED
    )


def _of(quantities: Quantities, name: str, *, default: Fraction = Fraction(0)) -> Fraction:
    return k8s_quantity.amount(quantities[name]) if name in quantities else default


def _whole(cpus: Fraction) -> int:
    """Give a whole number of CPUs, as kubelet rounds: up, to thousandths."""
    count = math.ceil(cpus)
    return count if math.ceil(cpus * 1000) == count * 1000 else 0
