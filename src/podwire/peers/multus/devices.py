"""Which device of a pod goes to which attachment.

Multus takes the resource name from the network's annotation, looks it up among the devices
that kubelet gave the pod (all containers together), and takes the next unused one: an index
for each resource advances with each attachment. Where there is none it says nothing and
passes none on; what happens then is the plugin's affair (`ib_sriov.no_device_sentence`).
Source: multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate.

Not modelled: devices of DRA claims, which Multus finds by resource name only after v4.3.0,
and the annotation `v1.multus-cni.io/default-network`, whose attachment counts on its own.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Answer, Known, Unknown, derived
from podwire.model.names import ResourceName
from podwire.model.versions import Table, Version, by_version

_Order: TypeAlias = Literal["as kubelet lists them", "sorted"]

# SortDeviceIDs: pkg/types/types.go of v4.3.0; v4.0.2 and v4.2.2 have nothing like it.
ORDER: Table[_Order] = Table(
    component="multus",
    newest="v4.3.0",
    rows=(("v4.0.0", "as kubelet lists them"), ("v4.3.0", "sorted")),
)


class Handed(msgspec.Struct, frozen=True, gc=False):
    """The attachment gets the `ordinal`-th device (from 0) of those that the pod has."""

    resource: ResourceName
    ordinal: int
    device: Answer[str]


class Lacking(msgspec.Struct, frozen=True, gc=False):
    """The attachment gets no device: it wants one more than the pod has (`held`)."""

    resource: ResourceName
    ordinal: int
    held: int


def devices_for(
    attachment_resources: Sequence[ResourceName | None],
    *,
    given: Mapping[ResourceName, Sequence[str] | int],
    version: Answer[Version],
) -> tuple[Handed | Lacking | None, ...]:
    """Hand out what a pod was given, in the order of its attachments.

    `given` holds device IDs in kubelet's order, or only how many there are. None stands for
    a network that names no resource. Whether a device is there never needs the version.
    """
    used: dict[ResourceName, int] = {}
    found: list[Handed | Lacking | None] = []
    for resource in attachment_resources:
        if resource is None:
            found.append(None)
            continue
        ordinal = used.get(resource, 0)
        used[resource] = ordinal + 1
        devices = given.get(resource, 0)
        held = devices if isinstance(devices, int) else len(devices)
        if ordinal < held:
            device = _device(devices, ordinal, version=version)
            found.append(Handed(resource=resource, ordinal=ordinal, device=device))
        else:
            found.append(Lacking(resource=resource, ordinal=ordinal, held=held))
    return tuple(found)


def _device(devices: Sequence[str] | int, ordinal: int, *, version: Answer[Version]) -> Answer[str]:
    if isinstance(devices, int):
        return Unknown(
            reason="only the number of devices is known, not which",
            give="kubelet's PodResources of the node",
            fact="the devices of a pod",
        )
    in_order = sorted(devices)
    if list(devices) == in_order:
        return Known(value=in_order[ordinal])
    return derived(
        by_version(version, ORDER),
        lambda order: (in_order if order == "sorted" else devices)[ordinal],
    )
