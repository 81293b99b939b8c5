"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from podwire.engine.report import Judged, Report, Silenced
from podwire.findings.model import Evidence, Rule
from podwire.present import ascii_json
from podwire.present.fingerprint import fingerprint
from podwire.present.places import STDIN, Places
from podwire.present.rule_page import prose_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(report: Report, *, rules: Iterable[Rule], places: Places, version: str) -> str:
    """Write one run; what was silenced is there as suppressed."""
    cards = sorted(rules, key=lambda rule: rule.id)
    results = [_result(judged, places) for judged in report.findings]
    results += [_suppressed(silenced, places) for silenced in report.silenced]
    driver = {"name": "podwire", "version": version, "rules": [_rule(card) for card in cards]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return ascii_json.document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    prose = prose_of(rule)
    described = {
        "id": rule.id,
        "name": rule.slug,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": prose.summary},
    }
    cure = prose.section("Fix")
    return described | ({"help": {"text": cure}} if cure else {})


def _result(judged: Judged, places: Places) -> dict[str, Any]:
    finding = judged.finding
    fixes = [f"Fix: {fix.text}" for fix in finding.fix]
    result: dict[str, Any] = {
        "ruleId": judged.rule.id,
        "level": finding.severity.value,
        "message": {"text": "\n".join([finding.message, finding.sees, *fixes])},
        "partialFingerprints": {"podwire/v1": fingerprint(judged)},
    }
    located = [_location(seen, places) for seen in finding.evidence]
    first = places.to_change(finding) or 0
    if located:
        result["locations"] = [located.pop(first)]
        result["relatedLocations"] = [
            {"id": number, "message": {"text": seen.saw}, **place}
            for number, (seen, place) in enumerate(
                zip(_without(finding.evidence, first), located, strict=True), start=1
            )
        ]
    return result


def _without(evidence: tuple[Evidence, ...], index: int) -> tuple[Evidence, ...]:
    return (*evidence[:index], *evidence[index + 1 :])


def _location(seen: Evidence, places: Places) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": str(seen.at)}]}
    position = places.position(seen.at)
    if position is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(seen.at.document.name)},
            "region": {"startLine": position.line, "startColumn": position.column},
        }
    return location


def _uri(name: str) -> str:
    """Write a relative reference as it is, an absolute path as a file's URI.

    What was piped in has no file: `stdin` stands for it.
    """
    if name == STDIN:
        return "stdin"
    path = quote(name, errors="replace")
    return f"file://{path}" if path.startswith("/") else path


def _suppressed(silenced: Silenced, places: Places) -> dict[str, Any]:
    kind = "inSource" if silenced.by.startswith("annotation") else "external"
    why = silenced.reason or silenced.by
    suppression = {"kind": kind, "justification": why}
    return _result(silenced.judged, places) | {"suppressions": [suppression]}
