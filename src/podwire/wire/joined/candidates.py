"""Which nodes the scheduler may choose for a pod, resources aside."""

import msgspec

from podwire.facts.inventory import Objects
from podwire.facts.objects import Node, PodSpec
from podwire.model.evidence import Unknown
from podwire.peers import scheduler


class Candidates(msgspec.Struct, frozen=True):
    """Nodes by name that a pod may run on; `rest` says why there may be more.

    `excluded` are nodes that are in sight and keep the pod away, with every reason. `key`
    tells apart the pods that the scheduler tells apart here.
    """

    key: bytes
    names: tuple[str, ...]
    rest: Unknown | None = None
    excluded: tuple[tuple[str, tuple[scheduler.Obstacle, ...]], ...] = ()
    assumes: tuple[str, ...] = ()


def scheduling_key(spec: PodSpec) -> bytes:
    """Tell apart what the scheduler tells apart here."""
    return msgspec.json.encode(
        (spec.node_name, spec.node_selector, spec.affinity, spec.tolerations)
    )


def candidates_for(spec: PodSpec, *, nodes: Objects[Node]) -> Candidates:
    """Sort the nodes in sight; a pod that names its node has no other."""
    key = scheduling_key(spec)
    if spec.node_name:
        return Candidates(key=key, names=(spec.node_name,))
    judged = [(n.metadata.name, scheduler.obstacles(spec, n)) for n in nodes.items]
    every = nodes.all_given()
    return Candidates(
        key=key,
        names=tuple(name for name, found in judged if not found),
        rest=every if isinstance(every, Unknown) else None,
        excluded=tuple((name, found) for name, found in judged if found),
        assumes=() if isinstance(every, Unknown) else every.assumes,
    )
