"""One cause is one finding: symptoms go into their cause, equal findings into one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from podwire.engine.report import Judged
from podwire.model.names import Ref

# Findings of symptom rules by rule and thing, each with the part that it is about.
Symptoms: TypeAlias = dict[tuple[str, Ref], list[tuple[int, Ref]]]


def folded(findings: Sequence[Judged]) -> list[Judged]:
    """Take out symptoms that another finding explains; a cycle folds nothing.

    A symptom's own `explains` passes to whoever explains it. What is left is as severe as
    the worst that went into it: the cause of an error is no note.
    """
    symptoms: Symptoms = defaultdict(list)
    for index, judged in enumerate(findings):
        if judged.rule.is_symptom:
            symptoms[judged.rule.slug, judged.subject.whole].append((index, judged.subject))
    explained = [_explained(judged, index, symptoms) for index, judged in enumerate(findings)]
    reach = [_reach(index, explained) for index in range(len(findings))]
    in_cycle = {index for index, reached in enumerate(reach) if index in reached}
    gone = {
        member
        for index, reached in enumerate(reach)
        if index not in in_cycle
        for member in reached - in_cycle
    }
    kept = []
    for index, judged in enumerate(findings):
        if index in gone:
            continue
        members = (
            [findings[i] for i in sorted(reach[index] & gone)] if index not in in_cycle else []
        )
        kept.append(_with_symptoms(judged, members))
    return kept


def _explained(judged: Judged, index: int, symptoms: Symptoms) -> frozenset[int]:
    return frozenset(
        found
        for symptom in judged.finding.explains
        for found, subject in symptoms.get((symptom.slug, symptom.of.whole), ())
        if found != index and symptom.of.covers(subject)
    )


def _reach(start: int, explained: list[frozenset[int]]) -> frozenset[int]:
    """Follow `explains` from one finding; it contains the start only in a cycle."""
    reached: set[int] = set()
    ahead = list(explained[start])
    while ahead:
        index = ahead.pop()
        if index not in reached:
            reached.add(index)
            ahead.extend(explained[index])
    return frozenset(reached)


def _with_symptoms(judged: Judged, symptoms: list[Judged]) -> Judged:
    if not symptoms:
        return judged
    explains = dict.fromkeys(s.subject.whole for s in symptoms)
    subjects = dict.fromkeys((*judged.subjects, *(r for s in symptoms for r in s.subjects)))
    severity = min((j.finding.severity for j in (judged, *symptoms)), key=lambda s: s.rank)
    return msgspec.structs.replace(
        judged,
        finding=msgspec.structs.replace(judged.finding, severity=severity),
        subjects=tuple(subjects),
        explains=(*judged.explains, *explains),
        folded=tuple(symptoms),
    )


def grouped(findings: Iterable[Judged]) -> list[Judged]:
    """Merge findings of one rule and severity that carry the same group key."""
    groups: dict[tuple[str, str, str], list[Judged]] = defaultdict(list)
    alone: list[Judged] = []
    for judged in findings:
        finding = judged.finding
        if finding.group:
            groups[judged.rule.id, finding.severity.value, finding.group].append(judged)
        else:
            alone.append(judged)
    return [*alone, *(_merged(members) for members in groups.values())]


def _merged(members: list[Judged]) -> Judged:
    first = min(members, key=lambda judged: judged.subject)
    others = len({m.subject for m in members}) - 1
    finding = msgspec.structs.replace(
        first.finding,
        message=first.finding.message + (f" (and {others} alike)" if others else ""),
        assumes=tuple(dict.fromkeys(a for m in members for a in m.finding.assumes)),
    )
    ordered = (first, *(m for m in members if m is not first))
    return msgspec.structs.replace(
        first,
        finding=finding,
        subjects=tuple(dict.fromkeys(r for m in ordered for r in m.subjects)),
        explains=tuple(dict.fromkeys(r for m in ordered for r in m.explains)),
        folded=tuple(f for m in ordered for f in m.folded),
    )
