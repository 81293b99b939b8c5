"""What the Topology Manager is asked about, as records: machine, pod, policy; and its hints."""

import enum
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Table

Policy: TypeAlias = Literal["none", "best-effort", "restricted", "single-numa-node"]
Scope: TypeAlias = Literal["container", "pod"]
Kind: TypeAlias = Literal["init", "sidecar", "app"]
Wants: TypeAlias = tuple[tuple[ResourceName, int], ...]
Distances: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]

NUMA_NODES = range(64)
"""The NUMA nodes that kubelet has bits for: v1.37.2 topologymanager/bitmask/bitmask.go."""

CPU = ResourceName(prefix="", name="cpu")
"""CPUs that the CPU manager's static policy gives to one container alone."""


class Device(msgspec.Struct, frozen=True, gc=False):
    """A device as its plugin lists it, or a CPU by its number; and who holds it.

    No NUMA nodes is a device without topology. `owner` is another pod than the one that
    is asked about. `is_reserved`: a CPU that kubelet keeps for the system counts in hints and
    is never given.
    """

    id: str
    numa: frozenset[int] = frozenset()
    is_healthy: bool = True
    owner: str | None = None
    is_reserved: bool = False


class Block(msgspec.Struct, frozen=True, gc=False):
    """Memory of one type that a pod's container holds on a set of NUMA nodes, in bytes."""

    owner: str
    numa: frozenset[int]
    type: ResourceName
    size: int


class Machine(msgspec.Struct, frozen=True):
    """A machine: its NUMA nodes and the devices of every resource that is registered.

    Where kubelet's CPU manager is static, `CPU` is among the resources; where its memory
    manager is, `memory` has bytes by NUMA node and type, and `blocks` are what pods hold of it.
    `cpus_per_core`: with the option full-pcpus-only CPUs are given by as many; 0: one by one.

    `distances` has a row for each NUMA node, as in sysfs; without it nobody can say which
    nodes are closest. `with_preference` are the resources whose plugin answers
    GetPreferredAllocation; None: nobody knows, any may.
    """

    numa: tuple[int, ...]
    devices: Mapping[ResourceName, tuple[Device, ...]]
    distances: Mapping[int, tuple[int, ...]] | None = None
    with_preference: frozenset[ResourceName] | None = None
    memory: Mapping[int, Mapping[ResourceName, int]] | None = None
    blocks: tuple[Block, ...] = ()
    cpus_per_core: int = 0


class Request(msgspec.Struct, frozen=True, gc=False):
    """A container and its limits of extended resources; those of init containers come first.

    `CPU` is among its wants where the CPU manager's static policy gives it CPUs of its own.
    `memory` are bytes by type where the memory manager's policy Static gives it memory.
    `unread` says that the CPU or the memory manager gives hints for it that are not known:
    what hangs on them is undecided.
    """

    container: str
    wants: Wants
    memory: Wants = ()
    kind: Kind = "app"
    unread: Unknown | None = None


class Options(msgspec.Struct, frozen=True, gc=False):
    """`topologyManagerPolicyOptions`."""

    prefer_closest_numa_nodes: bool = False
    max_allowable_numa_nodes: int = 8


class Span(enum.Enum):
    """Which NUMA nodes the device manager makes masks of.

    It changes which nodes a best-effort pod gets; who is admitted only where a container
    asks for none of a resource.
    """

    EVERY_NODE = "every NUMA node of the machine"
    NODES_WITH_DEVICES = "the NUMA nodes that have devices of the resource"


# devicemanager/topology_hints.go deviceNUMANodes came with v1.36.0. Read: v1.31.14, v1.34.2,
# v1.35.2, v1.35.4, v1.36.0, v1.36.1, v1.36.2, v1.37.2; nothing else changed in the answers.
SPANS = Table(
    component="kubelet",
    newest="1.37.2",
    rows=(("1.31.0", Span.EVERY_NODE), ("1.36.0", Span.NODES_WITH_DEVICES)),
)


# memorymanager/policy_static.go isAffinityViolatingNUMAAllocations: not in v1.31.14, in v1.32.0,
# v1.33.0, v1.34.2, v1.35.2, v1.36.2 and v1.37.2.
GROUP_CHECKS = Table(
    component="kubelet", newest="1.37.2", rows=(("1.31.0", False), ("1.32.0", True))
)


class Setup(msgspec.Struct, frozen=True, gc=False):
    """How kubelet is set up; `has_group_check` is of the memory manager, None: not known."""

    policy: Policy = "none"
    scope: Scope = "container"
    options: Options = Options()
    span: Span = Span.NODES_WITH_DEVICES
    has_group_check: bool | None = True


class Hint(msgspec.Struct, frozen=True, gc=False):
    """NUMA nodes that would do, as bits; None: any would. `preferred`: no fewer could ever do."""

    mask: int | None
    preferred: bool

    @property
    def nodes(self) -> tuple[int, ...] | None:
        """The NUMA nodes by number."""
        return None if self.mask is None else bits(self.mask)


Hints: TypeAlias = tuple[Hint, ...] | None
"""What is said of one resource: None, it does not care; empty, nothing is possible."""


def bits(mask: int) -> tuple[int, ...]:
    """List the NUMA nodes of a mask."""
    return tuple(n for n in range(mask.bit_length()) if mask >> n & 1)


def mask_of(nodes: frozenset[int] | tuple[int, ...]) -> int:
    """Write NUMA nodes as bits."""
    return sum(1 << n for n in set(nodes))
