"""What the scheduler says of nodes that lack a resource.

Source: kubernetes v1.37.2 pkg/scheduler/framework/types.go FitError, plugins/noderesources.
The reasons are the same for "no node has so many" and "all are in use"; what is said of
preemption tells them apart, where every node gave one reason: a request that exceeds what a
node may allocate is not helped by it (seen with v1.37.2).
"""

import re

import msgspec

from podwire.model.names import ResourceName

_START = re.compile(r"0/[0-9]{1,9} nodes are available")
_REASON = re.compile(r"(?<![0-9])([0-9]{1,9}) Insufficient ([^\s,]{1,330})")
_PREEMPTION = "preemption: "  # what follows repeats the reasons for another question
_BEYOND = re.compile(r"[0-9]{1,9} Preemption is not helpful for scheduling")
_IN_USE = re.compile(r"[0-9]{1,9} No preemption victims found for incoming pod")


class Shortage(msgspec.Struct, frozen=True, gc=False):
    """A resource that pods ask for, and how many nodes have too little of it."""

    name: str
    nodes: int

    @property
    def resource(self) -> ResourceName | None:
        """The extended resource; None for cpu, memory and their like."""
        try:
            return ResourceName.parse(self.name)
        except ValueError:
            return None


def insufficient(message: str) -> tuple[Shortage, ...]:
    """List what is short in a FailedScheduling message, in the order written."""
    start = _START.search(message)
    if start is None:
        return ()
    reasons = message[start.end() :].partition(_PREEMPTION)[0]
    return tuple(
        Shortage(name=found[2].rstrip("."), nodes=int(found[1]))
        for found in _REASON.finditer(reasons)
    )


def is_in_use(message: str) -> bool | None:
    """Say whether what is short is there and in use; None where the message does not tell.

    False: some request is more than any node may allocate.
    """
    after = message.partition(_PREEMPTION)[2]
    in_use, beyond = _IN_USE.search(after), _BEYOND.search(after)
    if (in_use is None) == (beyond is None):
        return None
    return in_use is not None
