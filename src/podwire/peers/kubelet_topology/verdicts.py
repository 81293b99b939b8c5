"""What the model answers: each merge on the way, what devices it leads to, and the end."""

from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Answer
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.giving import Taking
from podwire.peers.kubelet_topology.records import Hint, Hints
from podwire.peers.kubelet_topology.shapes import Stock

Reason: TypeAlias = Literal[
    "TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError"
]
Why: TypeAlias = Literal["too few", "too wide", "apart", "no whole cores"]

NO_LOCALITY = "Resources cannot be allocated with Topology locality"


class Given(msgspec.Struct, frozen=True, gc=False):
    """How a container's request for one resource is met; `stock` is what there was before."""

    resource: ResourceName
    taking: Taking
    stock: Stock


class Step(msgspec.Struct, frozen=True, gc=False):
    """One container: the hints that were merged for it, and what it got.

    With the scope `pod` the hints are the whole pod's and the same in every step. The first
    step that is not admitted, or that gives nothing, is the last.
    """

    container: str
    hints: tuple[tuple[ResourceName, Hints], ...]
    merged: Hint
    is_admitted: bool
    given: tuple[Given, ...] = ()


class Blocker(msgspec.Struct, frozen=True, gc=False):
    """A resource that stands in the way.

    "too few": not enough healthy free devices, wherever they are. "too wide": it alone would
    be rejected, since it needs more NUMA nodes than the policy allows, or more than it would
    need if no device were held or ill. "apart": alone it fits, not on the nodes of the others.
    "no whole cores": the CPUs are no multiple of a core's, or there are not enough of such.
    """

    resource: ResourceName
    why: Why


class Rejection(msgspec.Struct, frozen=True, gc=False, order=True):
    """What a rejected pod's status says, and the container that it was rejected for."""

    container: str
    reason: Reason
    message: str


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """Whether kubelet admits the pod.

    `admitted` is Unknown where it hangs on which of several like devices are given, or on a
    fact that nobody read. `rejections` are all that a rejection may look like. `steps` are one
    way to the first of them, or to the end; the first `sure_steps` of them are the only way.
    `is_never`: the same pod is rejected with every device healthy and free. `refused`: with
    this set-up kubelet does not start on the machine, and says so.
    """

    admitted: Answer[bool]
    rejections: tuple[Rejection, ...] = ()
    steps: tuple[Step, ...] = ()
    sure_steps: int = 0
    blockers: tuple[Blocker, ...] = ()
    is_never: bool = False
    refused: str = ""
