"""Memory of a node that the memory manager's policy Static gives to containers, and who has it.

Source: kubernetes v1.37.2 pkg/kubelet/cm/memorymanager/policy_static.go GetAllocatableMemory,
container_manager_linux.go containerMemoryFromBlock. What init containers hold is given back
when the next container starts (memory_manager.go AddContainer).
"""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.node import NO_MEMORY, MemoryBlock, NodeFiles, PodDevices
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import NUMA_NODES, Block


class NodeMemory(msgspec.Struct, frozen=True):
    """Bytes by NUMA node and type, and what pods hold of them."""

    nodes: Mapping[int, Mapping[ResourceName, int]]
    blocks: tuple[Block, ...] = ()


def memory_of(files: NodeFiles, held: Mapping[str, PodDevices]) -> Answer[NodeMemory]:
    """Put the memory of a node together; `held` are pods that have not ended, by name."""
    listed = files.allocatable_memory
    if isinstance(listed, Unknown):
        return listed
    if not listed.value:
        return Unknown(
            reason=f"podresources-allocatable.json of node {files.name} has no memory",
            give=NO_MEMORY.give,
            fact=NO_MEMORY.fact,
        )
    nodes: dict[int, dict[ResourceName, int]] = {}
    for block in listed.value:
        for node in _nodes(block):
            nodes.setdefault(node, {})[_type(block)] = block.size
    blocks = (block for owner, pod in held.items() for block in _blocks(owner, pod))
    return Known(value=NodeMemory(nodes=nodes, blocks=tuple(blocks)), places=listed.places)


def _blocks(owner: str, pod: PodDevices) -> Iterator[Block]:
    """Give a pod's own memory, else that of its containers."""
    for block in pod.memory or tuple(b for each in pod.containers for b in each.memory):
        yield Block(owner=owner, numa=_nodes(block), type=_type(block), size=block.size)


def _type(block: MemoryBlock) -> ResourceName:
    return ResourceName(prefix="", name=block.memory_type)


def _nodes(block: MemoryBlock) -> frozenset[int]:
    listed = block.topology.nodes if block.topology else ()
    return frozenset(node.id for node in listed if node.id in NUMA_NODES)
