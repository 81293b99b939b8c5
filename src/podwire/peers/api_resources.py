"""What the API server refuses about a container's resources.

Source: kubernetes v1.37.2 pkg/apis/core/validation/validation.go validateResourceRequirements,
validateContainerResourceName, ValidateResourceQuantityValue. The sentences about names without
a domain and about limits were seen when run.
"""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Quantity, Resources
from podwire.model.names import ResourceName
from podwire.peers import k8s_quantity

_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
_HUGE = "hugepages-"


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """One thing that is refused: `field` is limits or requests, `says` are the server's words."""

    field: str
    name: str
    saw: str
    what: str
    says: str


def refusals(resources: Resources) -> tuple[Refusal, ...]:
    """List what is refused about extended resources and about names without a domain."""
    names = dict.fromkeys((*resources.limits, *resources.requests))
    return tuple(found for name in names for found in _of(name, resources))


def _of(name: str, resources: Resources) -> Iterator[Refusal]:
    field = "limits" if name in resources.limits else "requests"
    quantity = getattr(resources, field)[name]
    if "/" not in name:
        if name not in _STANDARD and not name.startswith(_HUGE):
            says = "must be a standard resource type or fully qualified"
            yield _refusal(field, name, name, f"{name} has no domain", says)
        return
    resource = ResourceName.maybe(name)
    if resource is not None and _is_native(resource):
        return
    fault = "nothing before or after the slash" if resource is None else resource.refusal()
    if fault is not None:
        says = f'Invalid value: "{name}"'
        yield _refusal(field, name, name, f"{name}: {fault}", says)
        return
    yield from _of_quantities(name, resources, field=field, quantity=quantity)


def _of_quantities(
    name: str, resources: Resources, *, field: str, quantity: Quantity
) -> Iterator[Refusal]:
    count = _count(quantity)
    if isinstance(count, str):
        yield _refusal(field, name, str(quantity), f"{name}: {count}", _words(count))
    elif field == "requests":
        says = "Limit must be set for non overcommitable resources"
        yield _refusal(field, name, str(quantity), f"{name} has a request and no limit", says)
    elif name in resources.requests and _count(resources.requests[name]) != count:
        asked = resources.requests[name]
        says = f"must be equal to {name} limit of {quantity}"
        what = f"{name} has a request of {asked} and a limit of {quantity}"
        yield _refusal("requests", name, str(asked), what, says)


def _words(fault: str) -> str:
    if "negative" in fault:
        return "must be greater than or equal to 0"
    return "must be an integer" if "whole" in fault else "quantities must match the ..."


def _refusal(field: str, name: str, saw: str, what: str, says: str) -> Refusal:
    return Refusal(field=field, name=name, saw=saw, what=what, says=says)


def _is_native(resource: ResourceName) -> bool:
    return resource.prefix == "kubernetes.io" or resource.prefix.endswith(".kubernetes.io")


def _count(quantity: Quantity) -> int | str:
    try:
        return k8s_quantity.count(quantity)
    except ValueError as error:
        return str(error)
