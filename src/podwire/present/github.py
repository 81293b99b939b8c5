"""Findings as workflow commands of GitHub Actions: annotations on the lines of a change.

Source: actions/toolkit packages/core/src/command.ts (escapeData, escapeProperty), v1.11.
"""

from podwire.engine.report import Judged, Report
from podwire.findings.model import Severity
from podwire.present.lines import plain
from podwire.present.places import STDIN, Places

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_report(report: Report, *, places: Places) -> str:
    """Write one line a finding."""
    return "".join(f"{_line(judged, places)}\n" for judged in report.findings)


def _line(judged: Judged, places: Places) -> str:
    finding = judged.finding
    properties = {"title": f"{judged.rule.id} {judged.rule.slug}"}
    index = places.to_change(finding)
    at = None if index is None else finding.evidence[index].at
    position = places.position(at) if at else None
    if at and position and at.document.name != STDIN:
        spot = {"line": str(position.line), "col": str(position.column)}
        properties = {"file": at.document.name} | spot | properties
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    fixes = [f"fix: {fix.text}" for fix in finding.fix[:1]]
    text = "%0A".join(_data(part) for part in (finding.message, finding.sees, *fixes) if part)
    return f"::{_COMMANDS[finding.severity]} {written}::{text}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
