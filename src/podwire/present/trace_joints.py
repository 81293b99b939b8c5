"""The state of every joint of one pod: it holds, it is broken, or nobody could look."""

import enum
from collections.abc import Iterator, Mapping

import msgspec

from podwire.engine.report import Judged, Undecided
from podwire.findings.model import Joint, Severity
from podwire.model.evidence import Known
from podwire.model.names import Ref
from podwire.present.lines import wrapped
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_NAME = 26  # columns of the longest joint and a gap
_STATE = 11
_INDENT = "  "


class Verdicts(msgspec.Struct, frozen=True):
    """What rules said of some wires.

    `undecided` are the facts that verdicts about each pod's wire lacked. `joints` are those
    that a rule tests; of the others nothing is said.
    """

    findings: tuple[Judged, ...]
    undecided: Mapping[Ref, tuple[Undecided, ...]]
    joints: frozenset[Joint]


class State(enum.Enum):
    """What is known of one joint."""

    BROKEN = "BROKEN"
    UNDECIDED = "undecided"
    HOLDS = "holds"


class JointState(msgspec.Struct, frozen=True):
    """One joint of one pod, with what was found there or what was missing."""

    joint: Joint
    state: State
    findings: tuple[Judged, ...] = ()
    gaps: tuple[Undecided, ...] = ()


class Wire(msgspec.Struct, frozen=True):
    """Everything that one pod's verdicts are about: itself, its networks, their pools."""

    pod: Ref
    others: tuple[Ref, ...]

    def has(self, ref: Ref) -> bool:
        """Whether a thing, or a part of it, is on this wire."""
        return ref.whole == self.pod or any(
            ref.whole == other.whole and ref.part.startswith(other.part) for other in self.others
        )

    def is_meant(self, judged: Judged) -> bool:
        """Whether a finding is about this wire, or names its pod."""
        named = (*judged.subjects, *judged.explains)
        return self.has(judged.subject) or any(ref.whole == self.pod for ref in named)


def wire_of(pod: WiredPod, *, picture: Picture) -> Wire:
    """Gather what the pod names and what makes the resources that it needs."""
    wanted = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    resources = {*pod.resources, *(resource for resource in wanted if resource is not None)}
    pools = (pool for resource in sorted(resources) for pool in picture.pools_of.get(resource, ()))
    networks = (attachment.selection.ref for attachment in pod.attachments)
    return Wire(pod=pod.ref.whole, others=(*networks, *(pool.ref for pool in pools)))


def states_of(wire: Wire, *, verdicts: Verdicts) -> tuple[JointState, ...]:
    """Judge the joints in the order of the wire; the input's only where it is at fault."""
    states = (_state(joint, wire, verdicts) for joint in Joint if joint in verdicts.joints)
    return tuple(s for s in states if s.joint is not Joint.INPUT or s.state is State.BROKEN)


def _state(joint: Joint, wire: Wire, verdicts: Verdicts) -> JointState:
    findings = tuple(
        judged
        for judged in verdicts.findings
        if judged.rule.joint is joint and wire.is_meant(judged)
    )
    lacking = verdicts.undecided.get(wire.pod, ())
    gaps = tuple(gap for gap in lacking if gap.rule.joint is joint)
    if any(judged.finding.severity is not Severity.NOTE for judged in findings):
        state = State.BROKEN
    else:
        state = State.UNDECIDED if gaps else State.HOLDS
    return JointState(joint=joint, state=state, findings=findings, gaps=gaps)


def joint_lines(states: tuple[JointState, ...]) -> Iterator[str]:
    """Write one joint a line, and beside it what is wrong or what is missing."""
    for state in states:
        start = f"{_INDENT}{state.joint.value:<{_NAME}}{state.state.value:<{_STATE}}"
        texts = [_finding(judged) for judged in state.findings]
        if state.state is State.UNDECIDED:
            texts += dict.fromkeys(map(_gap, state.gaps))
        yield from wrapped(texts[0] if texts else "", first=start)
        for text in texts[1:]:
            yield from wrapped(text, first=" " * len(start))


def _finding(judged: Judged) -> str:
    severity = judged.finding.severity.value
    return f"{severity}[{judged.rule.id}] {judged.finding.message}"


def _gap(gap: Undecided) -> str:
    return f"{gap.reason}; give: {gap.give}" if gap.give else gap.reason


def outcome(states: tuple[JointState, ...]) -> str:
    """Say in one line how the wire is."""
    broken = [s.joint.value for s in states if s.state is State.BROKEN]
    undecided = sum(s.state is State.UNDECIDED for s in states)
    rest = f"; {undecided} undecided" if undecided else ""
    if broken:
        return f"broken: {', '.join(broken)}{rest}"
    return f"nothing broken{rest}" if undecided else "everything holds"
