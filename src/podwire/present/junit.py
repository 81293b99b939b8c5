"""Findings for CI servers: one test case a rule, a failure for each of its findings.

A rule that lacked a fact and found nothing is skipped: undecided is never a pass.
"""

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from podwire.engine.report import Judged, Report, Undecided
from podwire.findings.model import Rule, Severity
from podwire.present.lines import plain
from podwire.present.places import Places


def junit_report(report: Report, *, rules: Iterable[Rule], places: Places) -> str:
    """Write one suite; notes are no failures."""
    cases = [_case(rule, report, places) for rule in sorted(rules, key=lambda rule: rule.id)]
    failed = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    head = (
        f'<testsuite name="podwire" tests="{len(cases)}" failures="{failed}" errors="0" '
        f'skipped="{skipped}">'
    )
    top = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head]
    return "\n".join([*top, *cases, "</testsuite>", "</testsuites>", ""])


def _case(rule: Rule, report: Report, places: Places) -> str:
    failures = [
        _failure(judged, places)
        for judged in report.findings
        if judged.rule.id == rule.id and judged.finding.severity is not Severity.NOTE
    ]
    gaps = [gap for gap in report.undecided if gap.rule.id == rule.id]
    inner = failures or ([_skipped(gaps)] if gaps else [])
    name = f'<testcase classname="podwire.{rule.id}" name={_attribute(rule.slug)}'
    return "\n".join([f"{name}>", *inner, "</testcase>"]) if inner else f"{name}/>"


def _failure(judged: Judged, places: Places) -> str:
    finding = judged.finding
    seen = [f"{places.written(e.at)}: {e.saw}" for e in finding.evidence]
    fixes = [f"fix: {fix.text}" for fix in finding.fix]
    text = "\n".join(_text(part) for part in (*seen, f"you see: {finding.sees}", *fixes))
    kind = _attribute(finding.severity.value)
    return f"<failure type={kind} message={_attribute(finding.message)}>{text}</failure>"


def _skipped(gaps: list[Undecided]) -> str:
    reasons = "; ".join(f"{gap.reason} ({gap.count})" for gap in gaps)
    return f"<skipped message={_attribute('undecided: ' + reasons)}/>"


def _attribute(text: str) -> str:
    return quoteattr(plain(text))


def _text(text: str) -> str:
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
