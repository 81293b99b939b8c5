"""Faults of workloads with several templates: each is found, and none hides another's."""

import pytest
from tests.pictures import picture
from tests.wire_manifests import nad, pool, pytorch_job, role

from podwire.engine.report import Judged, Report
from podwire.engine.run import run
from podwire.findings.model import Severity
from podwire.rules import CATALOGUE

IGNORED = {"podwire.io/ignore": "attachment-without-device: known to the team"}


def report(**roles: dict[str, object]) -> Report:
    return run(CATALOGUE, picture=picture(nad() + pool(isRdma=True) + pytorch_job(**roles)))


def loud(report: Report) -> list[Judged]:
    quiet = {"memory-lock-missing"}
    found = (j for j in report.findings if j.rule.slug not in quiet)
    return [j for j in found if j.finding.severity is not Severity.NOTE]


@pytest.mark.parametrize("first", ["Master", "Worker"])
def test_a_fault_of_one_role_does_not_explain_another_fault_of_another(first: str) -> None:
    second = "Worker" if first == "Master" else "Master"
    roles = {first: role(networks="no-net", count=1), second: role(networks="ib-net", count=2)}
    found = {j.rule.slug: j.finding.message for j in loud(report(**roles))}
    assert found.keys() == {"network-missing", "device-without-attachment"}
    assert f"train/pt ({first})" in found["network-missing"]
    assert f"train/pt ({second})" in found["device-without-attachment"]


def test_one_fault_of_two_roles_is_two_findings() -> None:
    found = loud(report(Master=role(networks="ib-net"), Worker=role(networks="ib-net")))
    assert [j.rule.slug for j in found] == ["attachment-without-device"] * 2
    assert ["(Master)" in j.finding.message for j in found] == [True, False]


def test_a_symptom_of_the_same_role_is_explained() -> None:
    """The missing network is why the device is not taken."""
    found = loud(report(Master=role(networks="no-net", count=1)))
    assert [j.rule.slug for j in found] == ["network-missing"]


def test_a_role_that_is_right_is_not_named() -> None:
    good = role(networks="ib-net", count=1)
    assert loud(report(Master=good, Worker=good)) == []


def test_an_ignore_annotation_of_one_template_silences_that_role_only() -> None:
    broken, ignored = role(networks="ib-net"), role(networks="ib-net")
    template = ignored["template"]
    assert isinstance(template, dict)
    template["metadata"]["annotations"].update(IGNORED)
    judged = report(Master=broken, Worker=ignored)
    assert ["(Master)" in j.finding.message for j in loud(judged)] == [True]
    assert [str(s.judged.subject.part) for s in judged.silenced] == ["Worker example.com/ib_vf"]
