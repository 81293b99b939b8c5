"""The Topology Manager's answer for programs: one JSON document."""

from podwire.peers.kubelet_topology import Step
from podwire.present import ascii_json
from podwire.present.numa_groups import NumaAnswer, NumaGroup
from podwire.wire.numa.cures import Cure
from podwire.wire.numa.judging import Outcome
from podwire.wire.numa.words import wants_at

OUTCOMES = {
    Outcome.ADMITTED: "admitted",
    Outcome.NEVER: "never",
    Outcome.NOT_NOW: "not-now",
    Outcome.SHORT: "too-few",
    Outcome.UNDECIDED: "undecided",
}


def numa_json(answers: tuple[NumaAnswer, ...]) -> str:
    """Write one entry a pod, and in it one for nodes that answer alike."""
    return ascii_json.document(
        {"schemaVersion": 1, "pods": [_answer(answer) for answer in answers]}
    )


def _answer(answer: NumaAnswer) -> dict[str, object]:
    return {
        "pod": answer.pod,
        "asks": {str(name): count for name, count in answer.asks},
        "assumes": list(answer.assumes),
        "nodes": [_group(group) for group in answer.groups],
    }


def _group(group: NumaGroup) -> dict[str, object]:
    first, verdict = group.first, group.verdict
    missing = first.missing
    return {
        "names": list(group.nodes),
        "outcome": OUTCOMES[first.outcome],
        "fitsEmpty": first.fits_empty or first.outcome in {Outcome.ADMITTED, Outcome.NOT_NOW},
        "policy": first.setup.policy if first.setup else None,
        "scope": first.setup.scope if first.setup else None,
        "lacks": [str(name) for name in first.lacks],
        "missing": {"reason": missing.reason, "give": missing.give} if missing else None,
        "containers": [_step(step, group) for step in verdict.steps] if verdict else [],
        "blockers": [{"resource": str(b.resource), "why": b.why} for b in group.blockers],
        "held": [{"pod": owner, "what": what} for owner, what in group.held],
        "fitsWith": [_cure(cure) for cure in group.cures],
    }


def _step(step: Step, group: NumaGroup) -> dict[str, object]:
    wants = wants_at(step, group.first)
    nodes = step.merged.nodes
    return {
        "container": step.container,
        "admitted": step.is_admitted,
        "merged": None if nodes is None else list(nodes),
        "hints": [
            {
                "resource": str(name),
                "asks": wants.get(name, 0),
                "sets": None
                if hints is None
                else [{"nodes": list(h.nodes or ()), "preferred": h.preferred} for h in hints],
            }
            for name, hints in step.hints
        ],
    }


def _cure(cure: Cure) -> dict[str, object]:
    return {
        "policy": cure.policy,
        "scope": cure.scope,
        "excludeTopology": [str(name) for name in cure.exclude],
        "pods": cure.parts or None,
        "atMost": None if cure.most is None else {str(cure.most[0]): cure.most[1]},
        "rejectedToo": list(cure.useless),
    }
