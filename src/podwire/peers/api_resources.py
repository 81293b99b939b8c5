"""What the API server refuses about a container's resources.

Source: kubernetes v1.37.2 pkg/apis/core/validation/validation.go validateResourceRequirements,
validateContainerResourceName, ValidateResourceQuantityValue. The sentences about names without
a domain and about limits were seen when run.
"""

import enum
from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Quantity, Resources
from podwire.model.names import ResourceName
from podwire.peers import k8s_quantity

_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
_HUGE = "hugepages-"


class RefusalKind(enum.Enum):
    """What is refused about a resource of a container."""

    NO_DOMAIN = "a name without a domain"
    BAD_NAME = "a name that no resource may have"
    BAD_QUANTITY = "a quantity that is no whole number"
    NO_LIMIT = "a request without a limit"
    UNEQUAL = "a request that is not the limit"


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """One thing that is refused: `field` is limits or requests, `says` are the server's words."""

    kind: RefusalKind
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
            yield Refusal(
                kind=RefusalKind.NO_DOMAIN,
                field=field,
                name=name,
                saw=name,
                what=f"{name} has no domain",
                says=says,
            )
        return
    resource = ResourceName.maybe(name)
    if resource is not None and _is_native(resource):
        return
    fault = "nothing before or after the slash" if resource is None else resource.refusal()
    if fault is not None:
        yield Refusal(
            kind=RefusalKind.BAD_NAME,
            field=field,
            name=name,
            saw=name,
            what=f"{name}: {fault}",
            says=f'Invalid value: "{name}"',
        )
        return
    yield from _of_quantities(name, resources, field=field, quantity=quantity)


def _of_quantities(
    name: str, resources: Resources, *, field: str, quantity: Quantity
) -> Iterator[Refusal]:
    count = _count(quantity)
    if isinstance(count, str):
        yield Refusal(
            kind=RefusalKind.BAD_QUANTITY,
            field=field,
            name=name,
            saw=str(quantity),
            what=f"{name}: {count}",
            says=_words(count),
        )
    elif field == "requests":
        yield Refusal(
            kind=RefusalKind.NO_LIMIT,
            field=field,
            name=name,
            saw=str(quantity),
            what=f"{name} has a request and no limit",
            says="Limit must be set for non overcommitable resources",
        )
    elif name in resources.requests and _count(resources.requests[name]) != count:
        asked = resources.requests[name]
        yield Refusal(
            kind=RefusalKind.UNEQUAL,
            field="requests",
            name=name,
            saw=str(asked),
            what=f"{name} has a request of {asked} and a limit of {quantity}",
            says=f"must be equal to {name} limit of {quantity}",
        )


def _words(fault: str) -> str:
    if "negative" in fault:
        return "must be greater than or equal to 0"
    return "must be an integer" if "whole" in fault else "quantities must match the ..."


def _is_native(resource: ResourceName) -> bool:
    return resource.prefix == "kubernetes.io" or resource.prefix.endswith(".kubernetes.io")


def _count(quantity: Quantity) -> int | str:
    try:
        return k8s_quantity.count(quantity)
    except ValueError as error:
        return str(error)
