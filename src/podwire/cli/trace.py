"""`podwire trace TYPE/NAME`: one wire, joint by joint."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.world import World
from podwire.engine.run import run as judge
from podwire.facts.workloads import TEMPLATES
from podwire.findings.model import Rule
from podwire.model.errors import PodwireError
from podwire.model.evidence import Missing, Unknown
from podwire.model.names import Ref
from podwire.present.trace import trace, wires_of
from podwire.present.trace_joints import State, Verdicts, Wire, states_of, wire_of
from podwire.wire.picture import Picture

_SHORT = {
    "po": "Pod",
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "cj": "CronJob",
    "lws": "LeaderWorkerSet",
}
_KINDS = ("Pod", *(kind.__name__ for kind in TEMPLATES))


def run(options: argparse.Namespace, *, world: World) -> int:
    """Draw it; the status is 1 where a joint is broken."""
    of = ref_of(options.of, namespace=options.namespace)
    with Progress(sys.stderr) as progress:
        given = read(options, progress=progress)
        picture = Picture(given.facts)
        pods = wires_of(of, picture=picture)
        if not pods:
            raise PodwireError(_absent(of, picture=picture), hint="-n NAMESPACE; podwire check")
        progress.stage("judging")
        wires = [wire_of(pod, picture=picture) for pod in pods]
        verdicts = _verdicts(world.catalogue(), picture=picture, wires=wires)
        drawn = trace(of, picture=picture, verdicts=verdicts)
    sys.stdout.write(drawn)
    states = [state for wire in wires for state in states_of(wire, verdicts=verdicts)]
    return int(any(state.state is State.BROKEN for state in states))


def ref_of(written: str, *, namespace: str) -> Ref:
    """Read TYPE/NAME as kubectl does; a name alone is a pod's.

    Raises:
        PodwireError: podwire knows no such type.
    """
    kind, slash, name = written.partition("/")
    if not slash:
        kind, name = "pod", written
    low = kind.lower()
    known = {k.lower(): k for k in _KINDS} | {f"{k.lower()}s": k for k in _KINDS} | _SHORT
    if low not in known or not name:
        raise PodwireError(
            f"{written} names no pod and no workload", hint=f"TYPE is one of {', '.join(_KINDS)}"
        )
    return Ref(kind=known[low], name=name, namespace=namespace)


def _absent(of: Ref, *, picture: Picture) -> str:
    if any(pod.ref == of for pod in (*picture.pods, *picture.templates)):
        return f"{of} names no network and requests no device: it is on no wire"
    return f"{of} is not in what was given"


def _verdicts(rules: Sequence[Rule], *, picture: Picture, wires: Sequence[Wire]) -> Verdicts:
    """Judge everything for the findings, and each wire alone for what it lacks.

    A report has three samples of what is undecided: they would not tell about each pod.
    """
    report = judge(rules, picture=picture)
    asked = [(rule, _subjects(rule, picture, wires)) for rule in rules]
    return Verdicts(
        findings=(*report.findings, *(entry.judged for entry in report.silenced)),
        undecided={
            wire.pod: judge(
                [_narrowed(rule, subjects, wire) for rule, subjects in asked], picture=picture
            ).undecided
            for wire in wires
        },
        joints=frozenset(rule.joint for rule in rules),
    )


def _subjects(rule: Rule, picture: Picture, wires: Sequence[Wire]) -> "tuple[Any, ...] | Unknown":
    """Give the rule's subjects that may be on one of the wires."""
    try:
        subjects = rule.over(picture)
    except Missing as missing:
        return missing.unknown
    if isinstance(subjects, Unknown):
        return subjects
    near = {ref.whole for wire in wires for ref in (wire.pod, *wire.others)}
    return tuple(s for s in subjects if s.ref.whole in near)


def _narrowed(rule: Rule, subjects: "tuple[Any, ...] | Unknown", wire: Wire) -> Rule:
    """Ask a rule about one wire only."""
    mine = (
        subjects
        if isinstance(subjects, Unknown)
        else tuple(subject for subject in subjects if wire.has(subject.ref))
    )
    return msgspec.structs.replace(rule, over=lambda _: mine)
