"""The state of every joint of one pod: it holds, it is broken, or nobody could look."""

import enum
from collections.abc import Iterator, Mapping

import msgspec

from podwire.engine.per_wire import Said, Verdicts, Wire
from podwire.engine.report import Judged, Undecided
from podwire.findings.model import Joint, Severity
from podwire.model.evidence import Unknown
from podwire.present.lines import wrapped

_NAME = 26  # columns of the longest joint and a gap
_STATE = 11
_INDENT = "  "
_NOTHING = "nothing here to judge"

# Joints that most wires have nothing to do with: shown where a rule had something to judge.
_ONLY_WHERE_ASKED = frozenset(
    {
        Joint.SETUP,
        Joint.LINK,
        Joint.SCHEDULER,
        Joint.SERVER,
        Joint.SEEN,
        Joint.RUNTIME,
        Joint.HANDOVER,
        Joint.SPEC,
    }
)
# What has to be known before there is anything to judge at a joint.
_RESTS_ON: Mapping[Joint, tuple[Joint, ...]] = {
    Joint.NAME: (Joint.ANNOTATION,),
    Joint.COUNT: (Joint.ANNOTATION, Joint.NAME),
    Joint.OFFER: (Joint.ANNOTATION, Joint.NAME),
    Joint.POOL: (Joint.ANNOTATION, Joint.NAME),
    Joint.CNI: (Joint.ANNOTATION,),
}


class State(enum.Enum):
    """What is known of one joint."""

    BROKEN = "BROKEN"
    UNDECIDED = "undecided"
    HOLDS = "holds"
    NOT_ASKED = "-"  # nothing on the wire that a rule of this joint is about


class JointState(msgspec.Struct, frozen=True):
    """One joint of one pod, with what was found there or what was missing.

    `see` are the joints whose findings tell what is wrong with this one; `rests_on` are
    undecided, and decide whether there is anything to judge here.
    """

    joint: Joint
    state: State
    findings: tuple[Judged, ...] = ()
    gaps: tuple[Undecided, ...] = ()
    failed: tuple[str, ...] = ()
    doubts: tuple[Unknown, ...] = ()
    see: tuple[Joint, ...] = ()
    rests_on: tuple[Joint, ...] = ()


def states_of(wire: Wire, *, verdicts: Verdicts) -> tuple[JointState, ...]:
    """Judge the joints in the order of the wire; the input's only where it is at fault."""
    said = verdicts.said.get(wire.pod, Said())
    findings = verdicts.of(wire)
    explained = tuple(verdicts.explained(wire))
    states: dict[Joint, JointState] = {}
    for joint in Joint:
        if joint in verdicts.joints:
            states[joint] = _stated(
                JointState(
                    joint=joint,
                    state=State.HOLDS if joint in said.asked else State.NOT_ASKED,
                    findings=tuple(j for j in findings if j.rule.joint is joint),
                    gaps=tuple(gap for gap in said.undecided if gap.rule.joint is joint),
                    failed=tuple(f.rule.id for f in said.failed if f.rule.joint is joint),
                    doubts=tuple(doubt for at, doubt in wire.doubts if at is joint),
                    see=tuple(dict.fromkeys(cause for at, cause in explained if at is joint)),
                    rests_on=tuple(
                        nearer
                        for nearer in _RESTS_ON.get(joint, ())
                        if nearer in states and states[nearer].state is State.UNDECIDED
                    ),
                )
            )
    return tuple(s for s in states.values() if _is_shown(s))


def _is_shown(state: JointState) -> bool:
    if state.joint is Joint.INPUT:
        return state.state is State.BROKEN
    return state.state is not State.NOT_ASKED or state.joint not in _ONLY_WHERE_ASKED


def _stated(joint: JointState) -> JointState:
    """Broken beats undecided beats holds; what was not asked may rest on what is undecided."""
    is_broken = any(j.finding.severity is not Severity.NOTE for j in joint.findings)
    if is_broken or joint.see:
        return msgspec.structs.replace(joint, state=State.BROKEN)
    is_resting = joint.state is State.NOT_ASKED and joint.rests_on
    is_doubtful = joint.state is State.HOLDS and joint.doubts
    if joint.gaps or joint.failed or is_resting or is_doubtful:
        return msgspec.structs.replace(joint, state=State.UNDECIDED)
    return joint


def joint_lines(states: tuple[JointState, ...]) -> Iterator[str]:
    """Write one joint a line, and beside it what is wrong or what is missing."""
    for state in states:
        start = f"{_INDENT}{state.joint.value:<{_NAME}}{state.state.value:<{_STATE}}"
        texts = list(_texts(state))
        yield from wrapped(texts[0] if texts else "", first=start)
        for text in texts[1:]:
            yield from wrapped(text, first=" " * len(start))


def _texts(state: JointState) -> Iterator[str]:
    yield from (_finding(judged) for judged in state.findings)
    if state.state is State.BROKEN:
        yield from (f"see {joint.value}" for joint in state.see)
    elif state.state is State.UNDECIDED:
        yield from dict.fromkeys((*map(_gap, state.gaps), *map(_gap, state.doubts)))
        yield from (f"podwire failed here ({rule})" for rule in dict.fromkeys(state.failed))
        if not (state.gaps or state.failed):
            yield from (f"rests on {joint.value}" for joint in state.rests_on)
    elif state.state is State.NOT_ASKED:
        yield _NOTHING


def _finding(judged: Judged) -> str:
    severity = judged.finding.severity.value
    return f"{severity}[{judged.rule.id}] {judged.finding.message}"


def _gap(gap: Undecided | Unknown) -> str:
    return f"{gap.reason}; give: {gap.give}" if gap.give else gap.reason


def outcome(states: tuple[JointState, ...]) -> str:
    """Say in one line how the wire is."""
    broken = [s.joint.value for s in states if s.state is State.BROKEN]
    undecided = sum(s.state is State.UNDECIDED for s in states)
    rest = f"; {undecided} undecided" if undecided else ""
    if broken:
        return f"broken: {', '.join(broken)}{rest}"
    if undecided:
        return f"nothing broken{rest}"
    is_asked = any(s.state is State.HOLDS for s in states)
    return "everything holds" if is_asked else "nothing to judge"
