"""The wire in one line of ASCII, with the broken joint marked."""

from collections.abc import Mapping
from itertools import pairwise

from podwire.findings.model import Joint

_BROKEN = "--x--"

# For each joint the wire that a reader wants to see around it, from the pod on.
_WIRES: Mapping[Joint, tuple[str, ...]] = {
    Joint.ANNOTATION: ("pod", "network", "resource", "node", "VF"),
    Joint.NAME: ("pod", "network", "resource", "node", "VF"),
    Joint.COUNT: ("pod", "network", "request", "resource", "node", "VF"),
    Joint.OFFER: ("pod", "network", "resource", "node", "VF"),
    Joint.PLACEMENT: ("network", "pod", "node", "pool", "VF"),
    Joint.SETUP: ("node set-up", "VF", "pool", "resource"),
    Joint.LINK: ("pod", "network", "VF", "fabric"),
    Joint.POOL: ("pod", "network", "resource", "pool", "VF"),
    Joint.CNI: ("pod", "network", "CNI", "VF"),
    Joint.RDMA: ("pod", "container", "RDMA device", "VF"),
    Joint.MEMORY: ("pod", "container", "memory"),
    Joint.SCHEDULER: ("pod", "scheduler", "node", "GPU"),
    Joint.SERVER: ("pod", "request", "plugin", "runtime", "GPU"),
    Joint.SEEN: ("pod", "request", "plugin", "GPU"),
    Joint.RUNTIME: ("plugin", "pod", "runtime", "GPU"),
    Joint.HANDOVER: ("pod", "plugin", "runtime", "GPU"),
    Joint.SPEC: ("pod", "plugin", "name", "spec", "GPU"),
}


def wire_line(joint: Joint) -> str:
    """Draw the wire around a joint; empty for a fault of the input, which is on no wire."""
    if joint is Joint.INPUT:
        return ""
    near, _, far = str(joint.value).partition(" - ")
    pieces = _WIRES.get(joint, (near, far))
    drawn = pieces[0]
    for before, after in pairwise(pieces):
        drawn += f" {_BROKEN if (before, after) == (near, far) else '---'} {after}"
    return drawn
