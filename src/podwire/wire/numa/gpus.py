"""GPUs of a node as NVIDIA's device plugin gives them to kubelet, from sysfs.

Source: k8s-device-plugin 084fc30 internal/rm/nvml_devices.go GetNumaNode: the `numa_node` of
the PCI function, none where it is negative. Only where the Node counts as many as there are:
time-slicing, MIG and HAMi make other numbers of devices of the same name.
"""

from collections.abc import Mapping

from podwire.facts.node import NodeFiles, PodDevices
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Device

GPU = ResourceName.parse("nvidia.com/gpu")


def gpus_of_node(
    files: NodeFiles, capacity: Answer[int], held: Mapping[str, PodDevices]
) -> Answer[tuple[Device, ...]]:
    """Make devices of a node's GPUs; those that pods hold are any of the same NUMA node."""
    if isinstance(files.gpus, Unknown):
        return files.gpus
    if isinstance(capacity, Unknown):
        return capacity
    found = files.gpus.value
    if len(found) != capacity.value:
        return Unknown(
            reason=f"node {files.name} counts {capacity.value} of {GPU} and has {len(found)} GPUs",
            give="nodes/<node>/podresources-allocatable.json in a bundle",
            fact="the NUMA nodes of all devices",
        )
    owners = _owners(held)
    devices = []
    for gpu in found:
        numa = frozenset() if gpu.numa_node is None else frozenset({gpu.numa_node})
        waiting = owners.get(numa, [])
        owner = waiting.pop() if waiting else None
        devices.append(Device(id=gpu.address, numa=numa, owner=owner))
    return Known(
        value=tuple(devices),
        places=files.gpus.places,
        assumes=(
            f"the devices of {GPU} on {files.name} are its GPUs, as NVIDIA's plugin makes them",
        ),
    )


def _owners(held: Mapping[str, PodDevices]) -> dict[frozenset[int], list[str]]:
    """List a pod's name once for each GPU that it holds, by NUMA nodes."""
    owners: dict[frozenset[int], list[str]] = {}
    for name, pod in held.items():
        for entry in (device for each in pod.containers for device in each.devices):
            if entry.resource_name == str(GPU):
                nodes = entry.topology.nodes if entry.topology else ()
                numa = frozenset(node.id for node in nodes)
                owners.setdefault(numa, []).extend([name] * len(entry.ids))
    return owners
