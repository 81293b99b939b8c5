"""A report for programs: one JSON document, of which `report_document` says every key."""

from collections.abc import Iterable

import msgspec

from podwire.engine.report import Failed, Judged, Report, Silenced, Undecided
from podwire.findings.model import Cause, Evidence, Fix, Severity
from podwire.model.evidence import dotted
from podwire.model.names import Ref
from podwire.present import ascii_json
from podwire.present.fingerprint import fingerprint
from podwire.present.places import Places
from podwire.present.report_document import (
    At,
    CauseEntry,
    Counts,
    EvidenceEntry,
    FailedEntry,
    FindingEntry,
    FixEntry,
    ForeignEntry,
    LookedAtEntry,
    PatchEntry,
    ReportDocument,
    SilencedEntry,
    UndecidedEntry,
)


def json_report(report: Report, *, places: Places) -> str:
    """Write the document."""
    looked_at = report.looked_at
    document = ReportDocument(
        findings=[_finding(judged, places) for judged in report.findings],
        undecided=[_undecided(gap) for gap in report.undecided],
        silenced=[_silenced(silenced, places) for silenced in report.silenced],
        failed=[_failed(failure) for failure in report.failed],
        unread=sorted({document.name for document in report.unread}),
        looked_at=LookedAtEntry(
            documents=looked_at.documents,
            objects=looked_at.objects,
            nodes=looked_at.nodes,
            oldest=looked_at.oldest,
            newest=looked_at.newest,
            foreign=[ForeignEntry(kind=kind, count=n) for kind, n in looked_at.foreign],
        ),
        counts=_counts(report),
    )
    return ascii_json.document(msgspec.to_builtins(document))


def _names(refs: Iterable[Ref]) -> list[str]:
    """Write each thing once, whichever of its parts are meant."""
    return list(dict.fromkeys(map(str, refs)))


def _counts(report: Report) -> Counts:
    return Counts(
        error=report.count(Severity.ERROR),
        warning=report.count(Severity.WARNING),
        note=report.count(Severity.NOTE),
        undecided=sum(gap.count for gap in report.undecided),
        silenced=len(report.silenced) - report.known,
        known=report.known,
        failed=len(report.failed),
    )


def _finding(judged: Judged, places: Places) -> FindingEntry:
    finding = judged.finding
    return FindingEntry(
        rule=judged.rule.id,
        slug=judged.rule.slug,
        severity=finding.severity.value,
        message=finding.message,
        subject=str(judged.subject),
        subjects=_names(judged.subjects),
        evidence=[_evidence(seen, places) for seen in finding.evidence],
        cause=_cause(finding.cause),
        sees=finding.sees,
        fix=[_fix(fix) for fix in finding.fix],
        assumes=list(finding.assumes),
        explains=_names(judged.explains),
        fingerprint=fingerprint(judged),
    )


def _silenced(silenced: Silenced, places: Places) -> SilencedEntry:
    entry = msgspec.structs.asdict(_finding(silenced.judged, places))
    return SilencedEntry(**entry, reason=silenced.reason, by=silenced.by)


def _failed(failure: Failed) -> FailedEntry:
    return FailedEntry(
        rule=failure.rule.id,
        slug=failure.rule.slug,
        subject=None if failure.subject is None else str(failure.subject),
        error=failure.words,
    )


def _evidence(seen: Evidence, places: Places) -> EvidenceEntry:
    place = seen.at
    position = places.position(place)
    inner = "" if place.inner is None else dotted(place.inner)
    return EvidenceEntry(
        place=places.written(place),
        saw=seen.saw,
        role=seen.role,
        at=At(
            file=place.document.name,
            line=position.line if position else None,
            column=position.column if position else None,
            object=place.object,
            path=" ".join(part for part in (dotted(place.path), inner) if part),
        ),
    )


def _cause(cause: Cause | None) -> CauseEntry | None:
    return None if cause is None else CauseEntry(text=cause.text, proven=cause.proven)


def _fix(fix: Fix) -> FixEntry:
    patch = fix.patch
    return FixEntry(
        text=fix.text,
        breaks=fix.breaks,
        patch=None
        if patch is None
        else PatchEntry(of=str(patch.of), operations=list(patch.operations)),
    )


def _undecided(gap: Undecided) -> UndecidedEntry:
    return UndecidedEntry(
        rule=gap.rule.id,
        slug=gap.rule.slug,
        fact=gap.reason,
        give=gap.give,
        count=gap.count,
        subjects=_names(gap.samples),
    )
