"""One pod's wire, and what rules say of it alone: what was asked, found and missing there.

A report has three samples of what is undecided and no record of what holds; a wire that is
drawn joint by joint needs both. So the rules are asked once more, about its things only.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podwire.engine.report import Failed, Judged, Undecided
from podwire.engine.run import Asked, run
from podwire.findings.model import Joint, Rule, Severity, Subject
from podwire.model.evidence import Known, Unknown
from podwire.model.names import Ref
from podwire.wire.joined.fills import no_functions
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.reach import is_to_be_placed
from podwire.wire.picture import Picture


class Wire(msgspec.Struct, frozen=True):
    """Everything that one pod's verdicts are about: itself, its networks, their pools.

    `pod` has a part where it is one of several templates of a workload. `doubts` are joints
    that no rule finds fault with and of which nobody can say that they hold.
    """

    pod: Ref
    others: tuple[Ref, ...]
    doubts: tuple[tuple[Joint, Unknown], ...] = ()

    def has(self, ref: Ref) -> bool:
        """Whether a thing, or a part of it, is on this wire."""
        return self.is_own(ref) or any(
            ref.whole == other.whole and _is_within(ref.part, other.part) for other in self.others
        )

    def is_own(self, ref: Ref) -> bool:
        """Whether a thing is the pod, a part of it, or the workload that makes it."""
        mine = self.pod
        return ref.whole == mine.whole and (not ref.part or _is_within(ref.part, mine.part))

    @property
    def things(self) -> frozenset[Ref]:
        """What is on it, whole."""
        return frozenset(ref.whole for ref in (self.pod, *self.others))


def _is_within(part: str, outer: str) -> bool:
    return not outer or part == outer or part.startswith(f"{outer} ")


class Said(msgspec.Struct, frozen=True):
    """What rules said of one wire alone; `asked` are the joints with anything to judge there."""

    asked: frozenset[Joint] = frozenset()
    found: tuple[Judged, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    failed: tuple[Failed, ...] = ()


class Verdicts(msgspec.Struct, frozen=True):
    """What rules said of everything, and of each wire by its pod.

    `joints` are those that a rule tests; of the others nothing is said.
    """

    findings: tuple[Judged, ...]
    said: Mapping[Ref, Said]
    joints: frozenset[Joint]
    failed: tuple[Failed, ...] = ()

    def of(self, wire: Wire) -> tuple[Judged, ...]:
        """Give the findings that are about a wire, or name its pod; a note only the first."""
        own = {_key(judged) for judged in self._said(wire).found}
        return tuple(j for j in self.findings if _key(j) in own or _names(j, wire))

    def explained(self, wire: Wire) -> Iterator[tuple[Joint, Joint]]:
        """Give the broken joints of which another joint's finding tells, with that joint."""
        causes = {_key(f): j.rule.joint for j in self.findings for f in j.folded}
        for judged in self._said(wire).found:
            cause = causes.get(_key(judged))
            is_broken = judged.finding.severity is not Severity.NOTE
            if is_broken and cause is not None and cause is not judged.rule.joint:
                yield judged.rule.joint, cause

    def _said(self, wire: Wire) -> Said:
        return self.said.get(wire.pod, Said())


def _key(judged: Judged) -> tuple[str, str, Ref | None]:
    """Recognise a finding whether or not it was grouped."""
    group = judged.finding.group
    return judged.rule.id, group, None if group else judged.subject


def _names(judged: Judged, wire: Wire) -> bool:
    if judged.finding.severity is Severity.NOTE:
        return False
    return wire.has(judged.subject) or any(map(wire.is_own, judged.subjects))


def wire_of(pod: WiredPod, *, picture: Picture) -> Wire:
    """Gather what the pod names and what makes the resources that it needs."""
    wanted = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    resources = {*pod.resources, *(resource for resource in wanted if resource is not None)}
    pools = (pool for resource in sorted(resources) for pool in picture.pools_of.get(resource, ()))
    networks = (attachment.selection.ref for attachment in pod.attachments)
    return Wire(
        pod=pod.ref,
        others=(*networks, *(pool.ref for pool in pools), *_gpu_things(pod, picture)),
        doubts=tuple(_doubts(pod, picture)),
    )


def _gpu_things(pod: WiredPod, picture: Picture) -> tuple[Ref, ...]:
    """Name what serves the pod's GPUs on its node."""
    gpus = picture.gpus
    if gpus is None or not any(map(gpus.plugins.serves, pod.resources)):
        return ()
    return gpus.wired_to(pod.pod)


def _doubts(pod: WiredPod, picture: Picture) -> Iterator[tuple[Joint, Unknown]]:
    """Say what is not known of the nodes that a pod may go to: rules speak of networks' only."""
    yield from _unseen(pod, picture)
    if not is_to_be_placed(pod):
        return
    candidates = picture.candidates(pod.pod)
    if not candidates.names and candidates.rest is not None:
        yield Joint.PLACEMENT, candidates.rest
    for resource in pod.resources:
        offered = picture.reach(pod.pod, resource).is_offered
        if isinstance(offered, Unknown):
            yield Joint.OFFER, offered
        elif not offered.value:
            yield Joint.OFFER, Unknown(reason=f"no node in sight that it may run on has {resource}")


def _unseen(pod: WiredPod, picture: Picture) -> Iterator[tuple[Joint, Unknown]]:
    """Say that no functions were looked at, where rules speak of a pool's words alone."""
    found = picture.candidates(pod.pod)
    bare = (name for name in picture.node_names if picture.node(name) is None)
    names = found.names if found.rest is None else (*found.names, *bare)
    read = tuple(f.functions for f in map(picture.files, names) if f is not None)
    if not any(isinstance(functions, Known) for functions in read):
        missing = (functions for functions in read if isinstance(functions, Unknown))
        yield Joint.POOL, next(missing, no_functions())


def verdicts_of(rules: Sequence[Rule], *, picture: Picture, wires: Sequence[Wire]) -> Verdicts:
    """Judge everything for the findings, and each wire alone for the rest."""
    report = run(rules, picture=picture)
    near = _near(rules, picture=picture, wires=wires)
    return Verdicts(
        findings=(*report.findings, *(entry.judged for entry in report.silenced)),
        said={wire.pod: _said(wire, near=near, picture=picture) for wire in wires},
        joints=frozenset(rule.joint for rule in rules),
        failed=report.failed,
    )


class _Near(msgspec.Struct, frozen=True):
    """Subjects by the thing that they are, or are of; rules whose subjects nobody knows."""

    subjects: Mapping[Ref, Sequence[tuple[Rule, Subject]]]
    blind: Sequence[tuple[Rule, Unknown]]


def _near(rules: Sequence[Rule], *, picture: Picture, wires: Sequence[Wire]) -> _Near:
    things = {ref for wire in wires for ref in wire.things}
    found: dict[Ref, list[tuple[Rule, Subject]]] = defaultdict(list)
    blind = []
    asked = Asked(picture)
    for rule in rules:
        subjects = asked.subjects(rule)
        if isinstance(subjects, Unknown):
            blind.append((rule, subjects))
            continue
        for subject in subjects:
            if (whole := subject.ref.whole) in things:
                found[whole].append((rule, subject))
    return _Near(subjects=found, blind=blind)


def _said(wire: Wire, *, near: _Near, picture: Picture) -> Said:
    asked = Asked(picture)
    joints = set()
    for rule, unknown in near.blind:
        asked.note(unknown, rule=rule)
    for thing in sorted(wire.things):
        for rule, subject in near.subjects.get(thing, ()):
            if wire.has(subject.ref):
                joints.add(rule.joint)
                asked.judge(rule, (subject,))
    return Said(
        asked=frozenset(joints),
        found=tuple(asked.found),
        undecided=asked.undecided,
        failed=tuple(asked.failed),
    )
