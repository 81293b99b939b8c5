"""Policies of the Topology Manager side by side, for programs: one JSON document."""

from podwire.model.evidence import Unknown
from podwire.present import ascii_json
from podwire.present.numa_json import OUTCOMES
from podwire.present.numa_policy import NodeKind, PodKind, PolicyAnswer, Row
from podwire.wire.numa.aligning import Aligned
from podwire.wire.numa.trials import WAYS, Tried, Way


def policy_json(answer: PolicyAnswer) -> str:
    """Write one entry a kind of node, and in it one a policy and one a kind of pod."""
    return ascii_json.document(
        {
            "schemaVersion": 1,
            "pods": [_pods(kind) for kind in answer.kinds],
            "nodes": [_node(node) for node in answer.nodes],
            "rejectedNow": [list(kind.names) for kind in answer.rejected],
            "withoutNodes": [list(kind.names) for kind in answer.nowhere],
            "assumes": list(answer.assumes),
        }
    )


def _pods(kind: PodKind) -> dict[str, object]:
    return {
        "names": list(kind.names),
        "count": kind.count,
        "asks": {str(name): count for name, count in kind.asks},
    }


def _node(node: NodeKind) -> dict[str, object]:
    now = None if isinstance(node.now, Unknown) else node.now.value
    return {
        "names": list(node.nodes),
        "now": None if now is None else {"policy": now.policy, "scope": now.scope},
        "devices": None
        if node.devices is None
        else [
            {"resource": str(name), "numaNodes": list(numa), "count": count}
            for name, sets in node.devices
            for numa, count in sets
        ],
        "policies": [_row(row) for row in node.rows],
        "strictest": None if node.strictest is None else _way(node.strictest),
        "pods": [
            {
                "names": list(kind.names),
                "policies": [
                    {**_way(way), **_tried(t)} for way, t in zip(WAYS, tried, strict=True)
                ],
            }
            for kind, tried in node.tried
        ],
        "missing": [{"reason": each.reason, "give": each.give} for each in node.missing],
    }


def _way(way: Way) -> dict[str, object]:
    return {"policy": way.policy, "scope": None if way.policy == "none" else way.scope}


def _row(row: Row) -> dict[str, object]:
    return {
        **_way(row.way),
        "admits": row.admits,
        "notNow": row.not_now,
        "never": row.never,
        "undecided": row.undecided,
        "alignedContainers": _aligned(row.containers),
        "alignedPods": _aligned(row.pods),
    }


def _tried(tried: Tried) -> dict[str, object]:
    return {
        "outcome": OUTCOMES[tried.outcome],
        "fitsEmpty": tried.fits,
        "lacks": [str(name) for name in tried.lacks],
        "blockers": [str(name) for name in tried.blockers],
        "alignedContainers": _aligned(tried.containers),
        "alignedPods": _aligned(tried.pods),
    }


def _aligned(aligned: Aligned) -> dict[str, object]:
    return {"surely": aligned.sure, "of": aligned.of}
