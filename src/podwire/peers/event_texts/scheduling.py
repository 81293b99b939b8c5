"""What the scheduler says of nodes that lack a resource.

Source: kubernetes v1.37.2 pkg/scheduler/framework/types.go FitError, plugins/noderesources.
The words are the same for "no node has it" and "all are in use": only capacity tells.
"""

import re

import msgspec

from podwire.model.names import ResourceName

_START = re.compile(r"0/[0-9]{1,9} nodes are available")
_REASON = re.compile(r"(?<![0-9])([0-9]{1,9}) Insufficient ([^\s,]{1,330})")
_PREEMPTION = "preemption: "  # what follows repeats the reasons for another question


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
