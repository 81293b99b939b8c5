"""kubelet's Topology Manager: on which NUMA nodes a pod's devices would be, and if it is admitted.

`hinting` says what the device manager offers for one resource, `merging` what becomes of the
offers of all, `giving` which devices follow, `walking` takes a pod's containers in turn, and
`admission` answers. Hints of the CPU manager and the memory manager are not modelled
(`Request.unread`), nor is a pod that already holds devices when kubelet starts again.

Read in kubernetes v1.31.14 to v1.37.2, and compared with v1.37.2's own packages: see
tests/oracle. PodLevelResourceManagers (off by default in v1.37) is not modelled: with it and
the scope `pod`, a pod with pod-level resources is given its devices only when it starts.
"""

from podwire.peers.kubelet_topology.admission import admit
from podwire.peers.kubelet_topology.hinting import hints
from podwire.peers.kubelet_topology.merging import merge
from podwire.peers.kubelet_topology.records import (
    SPANS,
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
    "SPANS",
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
    "hints",
    "mask_of",
    "merge",
    "read_setup",
    "shape_of",
]
