"""What every rule says about the bundles beside it."""

import pytest
from tests.json_patch import patched
from tests.rule_cases import EXPECTED, Case, cases, said

from podwire.engine.report import Judged
from podwire.engine.run import run
from podwire.findings.model import Severity
from podwire.rules import CATALOGUE
from podwire.wire.picture import Picture

_MESSAGE, _STORY = 400, 2000  # characters that a reader of the report relies on


def _named(found: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.id) for case in found]


def _findings(case: Case) -> list[Judged]:
    return [judged for judged in said(case.folder).report.findings if judged.rule is case.rule]


@pytest.mark.parametrize("case", _named(cases("fires")))
def test_a_broken_joint_is_reported_in_these_words(case: Case) -> None:
    assert _findings(case), said(case.folder).text
    expected = case.folder / EXPECTED
    assert expected.exists(), "run: python -m tests.rule_cases --write"
    assert said(case.folder).text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", _named(cases("fires")))
def test_a_report_is_short_enough_to_be_read(case: Case) -> None:
    for judged in _findings(case):
        finding = judged.finding
        fixes = [fix.text for fix in finding.fix]
        cause = [finding.cause.text] if finding.cause else []
        assert len(finding.message) <= _MESSAGE
        assert sum(map(len, (finding.message, finding.sees, *fixes, *cause))) <= _STORY


@pytest.mark.parametrize("case", _named(cases("fires")))
def test_a_fix_that_is_a_patch_mends_the_joint(case: Case) -> None:
    for judged in _findings(case):
        for patch in (fix.patch for fix in judged.finding.fix if fix.patch is not None):
            mended = run(CATALOGUE, picture=Picture(patched(said(case.folder).facts, patch)))
            left = [j for j in mended.findings if j.rule is case.rule]
            assert judged.subject not in {j.subject for j in left}


@pytest.mark.parametrize("case", _named(cases("quiet")))
def test_a_joint_that_holds_is_not_reported(case: Case) -> None:
    assert not _findings(case), said(case.folder).text


@pytest.mark.parametrize("case", _named(cases("quiet")))
def test_nothing_is_undecided_by_the_rule_where_its_joint_holds(case: Case) -> None:
    assert not said(case.folder).is_undecided(case.rule), said(case.folder).text


@pytest.mark.parametrize("case", _named(cases("undecided")))
def test_a_missing_fact_makes_the_rule_undecided(case: Case) -> None:
    assert not _findings(case), said(case.folder).text
    assert said(case.folder).is_undecided(case.rule), said(case.folder).text
    gaps = [gap for gap in said(case.folder).report.undecided if gap.rule is case.rule]
    assert all(gap.reason for gap in gaps)


@pytest.mark.parametrize("case", _named([c for c in cases("quiet") if len(c.letter) == 1]))
def test_the_quiet_half_of_a_pair_breaks_nothing_else(case: Case) -> None:
    broken = [
        judged
        for judged in said(case.folder).report.findings
        if judged.finding.severity is not Severity.NOTE
    ]
    assert not broken, said(case.folder).text
