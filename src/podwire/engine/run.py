"""Ask every rule about its subjects; what lacks a fact is undecided, never a pass."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from podwire.engine.fold import folded, grouped
from podwire.engine.report import Judged, Report, Undecided
from podwire.engine.silence import Silence, silenced
from podwire.findings.model import Finding, Rule
from podwire.model.evidence import Missing, Unknown
from podwire.model.names import Ref
from podwire.wire.picture import Picture

_SAMPLES = 3
_LONGEST = 380


class _Gap:
    """How often one rule lacked one fact."""

    def __init__(self, unknown: Unknown) -> None:
        self.unknown = unknown
        self.count = 0
        self.samples: list[Ref] = []

    def add(self, ref: Ref | None) -> None:
        """Count one verdict; the rule as a whole counts once, without a sample."""
        self.count += 1
        if ref is not None and len(self.samples) < _SAMPLES:
            self.samples.append(ref)


Gaps: TypeAlias = dict[tuple[str, str], _Gap]


def run(
    rules: Sequence[Rule], *, picture: Picture, silences: tuple[Silence, ...] = (), today: str = ""
) -> Report:
    """Judge the picture by all rules.

    Args:
        rules: the catalogue, or a part of it.
        picture: everything that was read, joined.
        silences: what the configuration says not to report.
        today: the date, `2027-01-31`; silences that ended before it are not applied.
    """
    found: list[Judged] = []
    gaps: Gaps = {}
    for rule in rules:
        _judge(rule, picture=picture, found=found, gaps=gaps)
    heard, quiet = silenced(found, picture=picture, silences=silences, today=today)
    by_id = {rule.id: rule for rule in rules}
    return Report(
        findings=tuple(sorted(grouped(folded(heard)), key=lambda judged: judged.order)),
        undecided=tuple(
            Undecided(
                rule=by_id[rule_id],
                reason=gap.unknown.reason,
                give=gap.unknown.give,
                count=gap.count,
                samples=tuple(gap.samples),
            )
            for (rule_id, _), gap in sorted(gaps.items(), key=lambda item: item[0])
        ),
        silenced=quiet,
        unread=picture.facts.unread,
        looked_at=picture.facts.looked_at,
    )


def _judge(
    rule: Rule,
    *,
    picture: Picture,
    found: list[Judged],
    gaps: Gaps,
) -> None:
    for subject in _subjects(rule, picture=picture, gaps=gaps):
        before = len(found)
        try:
            for finding in rule.check(subject, picture):
                ref = subject.ref
                every = tuple(dict.fromkeys((ref, *finding.also)))
                found.append(Judged(rule=rule, finding=_cut(finding), subject=ref, subjects=every))
        except Missing as missing:
            if len(found) == before:  # Broken beats undecided.
                _note(missing.unknown, rule=rule, ref=subject.ref, gaps=gaps)


def _cut(finding: Finding) -> Finding:
    """Keep a message readable whatever the names in it: 380 characters, and room for a count."""
    if len(finding.message) <= _LONGEST:
        return finding
    return msgspec.structs.replace(finding, message=finding.message[:_LONGEST] + "...")


def _subjects(rule: Rule, *, picture: Picture, gaps: Gaps) -> Iterable[Any]:
    """Give what a rule is asked about; where that cannot be told it is undecided once."""
    try:
        subjects = rule.over(picture)
    except Missing as missing:
        subjects = missing.unknown
    if isinstance(subjects, Unknown):
        _note(subjects, rule=rule, ref=None, gaps=gaps)
        return ()
    return subjects


def _note(unknown: Unknown, *, rule: Rule, ref: Ref | None, gaps: Gaps) -> None:
    """Count a verdict under what it lacks; the first gap of a kind gives the words."""
    gap = gaps.setdefault((rule.id, unknown.fact or unknown.reason), _Gap(unknown))
    gap.add(ref)
