"""Findings for CI servers: a test case each, and one for every rule that found nothing.

A finding below --fail-on is no failure: it is in `system-out` of a case that passes. A rule
that lacked a fact and found nothing is skipped: undecided is never a pass. Where podwire
itself failed, the case has an error.
"""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

from podwire.engine.report import Judged, Report
from podwire.findings.model import Rule, Severity
from podwire.present.lines import plain
from podwire.present.places import Places


def junit_report(
    report: Report, *, rules: Iterable[Rule], places: Places, fail_on: str = "error"
) -> str:
    """Write one suite; `fail_on` is the least severity that fails, or never."""
    limit = -1 if fail_on == "never" else Severity(fail_on).rank
    cases = [
        case
        for rule in sorted(rules, key=lambda rule: rule.id)
        for case in _cases(rule, report, places=places, limit=limit)
    ]
    failed = sum("\n<failure" in case for case in cases)
    errors = sum("\n<error" in case for case in cases)
    skipped = sum("\n<skipped" in case for case in cases)
    head = (
        f'<testsuite name="podwire" tests="{len(cases)}" failures="{failed}" '
        f'errors="{errors}" skipped="{skipped}">'
    )
    top = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head]
    return "\n".join([*top, *cases, "</testsuite>", "</testsuites>", ""])


def _cases(rule: Rule, report: Report, *, places: Places, limit: int) -> Iterator[str]:
    found = [judged for judged in report.findings if judged.rule.id == rule.id]
    for judged in found:
        fails = judged.finding.severity.rank <= limit
        yield _case(rule, str(judged.subject), _told(judged, places, fails=fails))
    failed = [failure for failure in report.failed if failure.rule.id == rule.id]
    for failure in failed:
        inner = f"<error message={_attribute(failure.words)}/>"
        yield _case(rule, str(failure.subject or "all"), inner)
    if found or failed:
        return
    gaps = [gap for gap in report.undecided if gap.rule.id == rule.id]
    reasons = "; ".join(f"{gap.reason} ({gap.count})" for gap in gaps)
    yield _case(rule, "", f"<skipped message={_attribute('undecided: ' + reasons)}/>" * bool(gaps))


def _case(rule: Rule, about: str, inner: str) -> str:
    """Name a case after the rule and what it is about."""
    name = f"{rule.slug}: {about}" if about else rule.slug
    start = f'<testcase classname="podwire.{rule.id}" name={_attribute(name)}'
    return f"{start}>\n{inner}\n</testcase>" if inner else f"{start}/>"


def _told(judged: Judged, places: Places, *, fails: bool) -> str:
    finding = judged.finding
    seen = [f"{places.written(e.at)}: {e.saw}" for e in finding.evidence]
    fixes = [f"fix: {fix.text}" for fix in finding.fix]
    rest = [*seen, f"you see: {finding.sees}", *fixes]
    if not fails:
        texts = [f"{finding.severity.value}: {finding.message}", *rest]
        return f"<system-out>{_joined(texts)}</system-out>"
    kind, message = _attribute(finding.severity.value), _attribute(finding.message)
    return f"<failure type={kind} message={message}>{_joined(rest)}</failure>"


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(map(_text, texts))


def _attribute(text: str) -> str:
    return quoteattr(plain(text))


def _text(text: str) -> str:
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
