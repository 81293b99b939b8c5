"""kubelet's Topology Manager: on which NUMA nodes a pod's devices would be, and if it is admitted.

`hinting` says what the device manager offers for one resource, `merging` what becomes of the
offers of all, `giving` which devices follow, `walking` takes a pod's containers in turn, and
`admission` answers. CPUs of the CPU manager's static policy are devices of a resource `cpu`;
its option `align-by-socket` is not modelled (`Request.unread`), nor a pod that already holds
devices when kubelet starts again. `memory` has the memory manager.

Read in kubernetes v1.31.14 to v1.37.2, and compared with v1.37.2's own packages: see
tests/oracle. PodLevelResourceManagers (off by default in v1.37) is not modelled: with it and
the scope `pod`, a pod with pod-level resources is given its devices only when it starts.
"""

from podwire.peers.kubelet_topology.admission import admit
from podwire.peers.kubelet_topology.exclusive import exclusive_cpus, is_guaranteed, static_memory
from podwire.peers.kubelet_topology.hinting import hints
from podwire.peers.kubelet_topology.memory import MEMORY
from podwire.peers.kubelet_topology.merging import merge
from podwire.peers.kubelet_topology.records import (
    CPU,
    GROUP_CHECKS,
    NUMA_NODES,
    SPANS,
    Block,
    Device,
    Hint,
    Hints,
    Kind,
    Machine,
    Options,
    Policy,
    Request,
    Scope,
    Setup,
    Span,
    bits,
    mask_of,
)
from podwire.peers.kubelet_topology.shapes import Pool, Shape, Stock, shape_of
from podwire.peers.kubelet_topology.starting import read_setup
from podwire.peers.kubelet_topology.verdicts import Blocker, Given, Rejection, Step, Verdict

__all__ = [
    "CPU",
    "GROUP_CHECKS",
    "MEMORY",
    "NUMA_NODES",
    "SPANS",
    "Block",
    "Blocker",
    "Device",
    "Given",
    "Hint",
    "Hints",
    "Kind",
    "Machine",
    "Options",
    "Policy",
    "Pool",
    "Rejection",
    "Request",
    "Scope",
    "Setup",
    "Shape",
    "Span",
    "Step",
    "Stock",
    "Verdict",
    "admit",
    "bits",
    "exclusive_cpus",
    "hints",
    "is_guaranteed",
    "mask_of",
    "merge",
    "read_setup",
    "shape_of",
    "static_memory",
]
