"""Which nodes the scheduler may choose for a pod, resources aside."""

from collections.abc import Callable

import msgspec

from podwire.facts.inventory import Objects
from podwire.facts.objects import Node, PodSpec
from podwire.model.evidence import Answer, Unknown, any_of
from podwire.peers import scheduler


class Candidates(msgspec.Struct, frozen=True):
    """Nodes by name that a pod may run on; `rest` says why there may be more.

    `excluded` are nodes that are in sight and keep the pod away, with every reason.
    """

    names: tuple[str, ...]
    rest: Unknown | None = None
    excluded: tuple[tuple[str, tuple[scheduler.Obstacle, ...]], ...] = ()

    def some(self, ask: Callable[[str], Answer[bool]]) -> Answer[bool]:
        """Ask of each node until one says yes: one known node is enough, no needs them all."""
        rest = () if self.rest is None else (self.rest,)
        return any_of((*map(ask, self.names), *rest))


def scheduling_key(spec: PodSpec) -> bytes:
    """Tell apart what the scheduler tells apart here."""
    return msgspec.json.encode(
        (spec.node_name, spec.node_selector, spec.affinity, spec.tolerations)
    )


def candidates_for(spec: PodSpec, *, nodes: Objects[Node]) -> Candidates:
    """Sort the nodes in sight; a pod that names its node has no other."""
    if spec.node_name:
        return Candidates(names=(spec.node_name,))
    judged = [(n.metadata.name, scheduler.obstacles(spec, n)) for n in nodes.items]
    every = nodes.all_in()
    return Candidates(
        names=tuple(name for name, found in judged if not found),
        rest=every if isinstance(every, Unknown) else None,
        excluded=tuple((name, found) for name, found in judged if found),
    )
