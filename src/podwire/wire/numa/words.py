"""The Topology Manager's answers in words: sets of NUMA nodes, and what asks for which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Hints, Step, Verdict, admit
from podwire.peers.kubelet_topology.walking import total_memory, total_wants
from podwire.wire.numa.cures import Cure
from podwire.wire.numa.holdings import amount
from podwire.wire.numa.judging import Judged, emptied

_FEW = 3
_ROOM = 190  # characters of a message for what resources prefer


def verdict_when_empty(judged: Judged) -> Verdict | None:
    """Say what kubelet answers with every device free and healthy."""
    if judged.machine is None or judged.setup is None:
        return judged.verdict
    return admit(emptied(judged.machine), judged.requests, judged.setup)


def wants_at(step: Step, judged: Judged) -> Mapping[ResourceName, int]:
    """Say how many of each resource a step's hints are for: the container's, or the pod's."""
    if judged.setup is not None and judged.setup.scope == "pod":
        return dict((*total_wants(judged.requests), *total_memory(judged.requests)))
    names = {name for name, _ in step.hints}
    for request in judged.requests:
        wants = dict((*request.wants, *request.memory))
        if request.container == step.container and names <= set(wants):
            return wants
    return {}


def needs(step: Step, judged: Judged) -> Iterator[str]:
    """Say what each resource alone would get: `8 nvidia.com/gpu take both NUMA nodes 0 and 1`.

    The widest come first; resources that prefer the same are put together.
    """
    wants = wants_at(step, judged)
    groups: dict[str, list[str]] = {}
    for name, hints in sorted(step.hints, key=lambda each: (-_width(each[1]), each[0])):
        if hints is not None:
            groups.setdefault(sets(hints), []).append(_asked(name, wants))
    for where, names in groups.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        is_one = len(names) == 1 and names[0].startswith("1 ")
        verb = "takes" if is_one or names == [f"{names[0].split()[0]} memory"] else "take"
        yield f"{', '.join(names[:3])}{more} {verb} {where}"


def _asked(name: ResourceName, wants: Mapping[ResourceName, int]) -> str:
    return f"{amount(name, wants.get(name))} {name}"


def _width(hints: Hints) -> int:
    return max((len(h.nodes or ()) for h in hints or () if h.preferred), default=0)


def sets(hints: Hints) -> str:
    """Name the NUMA nodes that a resource prefers."""
    if hints is None:
        return "any NUMA node"
    preferred = [hint.nodes for hint in hints if hint.preferred]
    if not preferred or None in preferred:
        return "no NUMA nodes" if not preferred else "any NUMA node"
    each = [nodes for nodes in preferred if nodes is not None]
    if all(len(nodes) == 1 for nodes in each):
        return f"NUMA node {' or '.join(str(nodes[0]) for nodes in each[:4])}"
    if len(each) == 1:
        both = "both " if len(each[0]) == 2 else ""
        return f"{both}NUMA nodes {' and '.join(map(str, each[0]))}"
    return "NUMA nodes " + " or ".join("+".join(map(str, nodes)) for nodes in each[:4])


def is_alike(one: Judged, other: Judged) -> bool:
    """Whether two nodes are set up alike and look alike to the pod when nobody holds anything."""
    shapes = [judged.shape for judged in (one, other)]
    empty = [shape and shape.emptied() for shape in shapes]
    return one.setup == other.setup and empty[0] == empty[1]


def listed(names: Sequence[str]) -> str:
    """Name three, and count the others."""
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def smaller_pods(cure: Cure) -> str:
    """Say what to split a pod into: `2 pods of 4 nvidia.com/gpu and 1 example.com/ib_vf each`."""
    share = sorted(cure.share, key=lambda each: (not each[0].prefix, -each[1], each[0]))
    *first, last = (f"{amount(name, count)} {name}" for name, count in share)
    return f"{cure.parts} pods of {', '.join(first)}{' and ' if first else ''}{last} each"


def fitting(parts: Iterable[str]) -> str:
    """Put parts together as far as they leave a message short, and count the others."""
    every = list(parts)
    length, count = 0, 0
    for part in every:
        length += len(part)
        if count and length > _ROOM:
            break
        count += 1
    more = f"; and {len(every) - count} more" if len(every) > count else ""
    return "; ".join(every[:count]) + more
