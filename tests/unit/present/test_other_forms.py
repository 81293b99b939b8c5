import json
import string
import xml.etree.ElementTree as ET

import msgspec
from tests.unit.present import hostile
from tests.unit.present.golden_file import assert_golden
from tests.unit.present.report_samples import (
    NAD_TEXT,
    POOL,
    REPORT,
    RULES,
    SOURCES,
    UNADVERTISED,
    Texts,
    nad_place,
)

from podwire.engine.report import Failed, Report
from podwire.findings.model import Evidence
from podwire.model.evidence import Document
from podwire.present.github import github_report
from podwire.present.junit import junit_report
from podwire.present.places import Places
from podwire.present.sarif import sarif_report

PRINTABLE = set(string.printable) - set("\t\r\x0b\x0c")


def places() -> Places:
    return Places(SOURCES)


def test_github_annotates_the_line() -> None:
    assert_golden("report.github.txt", github_report(REPORT, places=places()))


def test_github_gives_one_command_a_finding_whatever_names_hold() -> None:
    text = github_report(hostile.REPORT, places=Places(hostile.SOURCES))
    (line,) = text.splitlines()
    assert line.startswith("::error file=manifests/\\x1b[31mred\\x07\\n%3A%3Aerror%3A%3Ax")
    assert set(text) <= PRINTABLE


def test_junit_has_one_case_a_finding_and_one_a_rule_without_any() -> None:
    assert_golden("report.junit.xml", junit_report(REPORT, rules=RULES, places=places()))


def test_junit_fails_on_what_fails_the_check() -> None:
    for fail_on, failures in (("never", "0"), ("error", "1"), ("warning", "2"), ("note", "2")):
        text = junit_report(REPORT, rules=RULES, places=places(), fail_on=fail_on)
        suite = ET.fromstring(text)[0]  # noqa: S314 - podwire wrote it
        assert (suite.get("tests"), suite.get("failures")) == ("3", failures)


def test_junit_has_an_error_where_podwire_failed() -> None:
    failed = (Failed(rule=POOL, subject=None, error=KeyError("x")),)
    suite = ET.fromstring(  # noqa: S314 - podwire wrote it
        junit_report(Report(failed=failed), rules=[POOL], places=places())
    )[0]
    assert suite.get("errors") == "1"


def test_the_place_to_change_is_in_what_the_fix_patches() -> None:
    finding = UNADVERTISED.finding
    beside = Evidence(at=nad_place("metadata", "name"), saw="ib-net")
    turned = msgspec.structs.replace(finding, evidence=(beside, *finding.evidence))
    assert places().to_change(turned) == 1
    assert places().to_change(msgspec.structs.replace(turned, fix=())) == 0
    assert places().to_change(msgspec.structs.replace(turned, evidence=())) is None


def test_what_was_piped_in_has_no_file_of_the_repository() -> None:
    piped = Document(name="-")
    evidence = Evidence(
        at=msgspec.structs.replace(nad_place("metadata", "name"), document=piped), saw=""
    )
    judged = msgspec.structs.replace(
        UNADVERTISED,
        finding=msgspec.structs.replace(UNADVERTISED.finding, evidence=(evidence,)),
    )
    report, sources = Report(findings=(judged,)), Places(Texts({"-": NAD_TEXT}))
    assert "file=" not in github_report(report, places=sources)
    text = sarif_report(report, rules=RULES, places=sources, version="0")
    assert '"uri": "stdin"' in text


def test_junit_is_xml_whatever_names_hold() -> None:
    text = junit_report(hostile.REPORT, rules=[hostile.RULE], places=Places(hostile.SOURCES))
    assert set(text) <= PRINTABLE
    suite = ET.fromstring(text)[0]  # noqa: S314 - podwire wrote it
    assert suite.get("failures") == "1"


def test_sarif_points_to_the_file_and_lists_rules() -> None:
    text = sarif_report(REPORT, rules=RULES, places=places(), version="0.1.0")
    assert_golden("report.sarif.json", text)


def test_sarif_is_printable_ascii_whatever_names_hold() -> None:
    text = sarif_report(
        hostile.REPORT, rules=[hostile.RULE], places=Places(hostile.SOURCES), version="0"
    )
    assert set(text) <= PRINTABLE
    (run,) = json.loads(text)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["PW101", "PW101"]
