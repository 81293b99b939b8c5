"""One line a finding: for grep, for editors, for a first look."""

from podwire.engine.report import Judged, Report
from podwire.present.lines import plain
from podwire.present.places import Places


def short_report(report: Report, *, places: Places) -> str:
    """Write severity, rule, place and message; where there is no place, the subject."""
    return "".join(f"{_line(judged, places)}\n" for judged in report.findings)


def _line(judged: Judged, places: Places) -> str:
    finding = judged.finding
    index = places.to_change(finding)
    seen = finding.evidence[index or 0] if finding.evidence else None
    place = places.written(seen.at) if seen else str(judged.subject)
    return plain(f"{finding.severity.value} {judged.rule.id} {place}: {finding.message}")
