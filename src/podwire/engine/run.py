"""Ask every rule about its subjects; what lacks a fact is undecided, never a pass."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from podwire.engine.fold import folded, grouped
from podwire.engine.report import Failed, Judged, Report, Undecided
from podwire.engine.silence import Silence, silenced
from podwire.engine.witness import witnessed
from podwire.findings.model import Finding, Rule, Subject
from podwire.model.evidence import Missing, Unknown
from podwire.model.names import Ref
from podwire.wire.picture import Picture

_SAMPLES = 3
_LONGEST = 380


class _Gap:
    """How often one rule lacked one fact."""

    def __init__(self, rule: Rule, unknown: Unknown) -> None:
        self.rule = rule
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
    asked = Asked(picture)
    for rule in rules:
        asked.ask(rule)
    heard, quiet = silenced(asked.found, picture=picture, silences=silences, today=today)
    return Report(
        findings=tuple(
            witnessed(judged, picture=picture)
            for judged in sorted(grouped(folded(heard)), key=lambda judged: judged.order)
        ),
        undecided=asked.undecided,
        silenced=quiet,
        failed=tuple(asked.failed),
        unread=picture.facts.unread,
        looked_at=picture.facts.looked_at,
    )


class Asked:
    """What rules said, as they said it: nothing silenced, folded or grouped yet."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._gaps: Gaps = {}
        self.found: list[Judged] = []
        self.failed: list[Failed] = []

    @property
    def undecided(self) -> tuple[Undecided, ...]:
        """The facts that were missing, by rule."""
        return tuple(
            Undecided(
                rule=gap.rule,
                reason=gap.unknown.reason,
                give=gap.unknown.give,
                count=gap.count,
                samples=tuple(gap.samples),
            )
            for _, gap in sorted(self._gaps.items(), key=lambda item: item[0])
        )

    def ask(self, rule: Rule) -> None:
        """Ask a rule about all of its subjects."""
        subjects = self.subjects(rule)
        if isinstance(subjects, Unknown):
            self.note(subjects, rule=rule)
        else:
            self.judge(rule, subjects)

    def subjects(self, rule: Rule) -> tuple[Subject, ...] | Unknown:
        """Give what a rule is asked about; where that cannot be told it is undecided once."""
        try:
            subjects = rule.over(self._picture)
            return subjects if isinstance(subjects, Unknown) else tuple(subjects)
        except Missing as missing:
            return missing.unknown
        except Exception as error:  # noqa: BLE001 - podwire's own fault must not cost the report
            self.failed.append(Failed(rule=rule, subject=None, error=error))
            return ()

    def judge(self, rule: Rule, subjects: Iterable[Subject]) -> None:
        """Ask a rule about some subjects. What it found before a fact was missing stands."""
        for subject in subjects:
            before = len(self.found)
            try:
                for finding in rule.check(subject, self._picture):
                    self.found.append(_judged(rule, subject.ref, finding))
            except Missing as missing:
                if len(self.found) == before:  # Broken beats undecided.
                    self.note(missing.unknown, rule=rule, ref=subject.ref)
            except Exception as error:  # noqa: BLE001 - podwire's own fault costs this verdict only
                self.failed.append(Failed(rule=rule, subject=subject.ref, error=error))

    def note(self, unknown: Unknown, *, rule: Rule, ref: Ref | None = None) -> None:
        """Count a verdict under what it lacks; the first gap of a kind gives the words."""
        key = (rule.id, unknown.fact or unknown.reason)
        self._gaps.setdefault(key, _Gap(rule, unknown)).add(ref)


def _judged(rule: Rule, ref: Ref, finding: Finding) -> Judged:
    every = tuple(dict.fromkeys((ref, *finding.also)))
    return Judged(rule=rule, finding=_cut(finding), subject=ref, subjects=every)


def _cut(finding: Finding) -> Finding:
    """Keep a message readable whatever the names in it: 380 characters, and room for a count."""
    if len(finding.message) <= _LONGEST:
        return finding
    return msgspec.structs.replace(finding, message=finding.message[:_LONGEST] + "...")
