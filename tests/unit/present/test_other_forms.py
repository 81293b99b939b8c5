import json
import string
import xml.etree.ElementTree as ET

from tests.unit.present import hostile
from tests.unit.present.golden_file import assert_golden
from tests.unit.present.report_samples import REPORT, RULES, SOURCES

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


def test_junit_has_one_case_a_rule() -> None:
    assert_golden("report.junit.xml", junit_report(REPORT, rules=RULES, places=places()))


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
