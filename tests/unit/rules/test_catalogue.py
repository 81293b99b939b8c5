"""What every rule has to have, whatever it is about."""

import ast
import inspect
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.rule_cases import cases, cases_of, file_of, module_of, said

import podwire.rules
from podwire.findings.model import Rule
from podwire.present.rule_page import prose_of
from podwire.rules import CATALOGUE

_FOLDER = Path(podwire.rules.__file__).parent
_HEADINGS = ["What you see", "Why", "Fix"]
_FAMILIES = {"inputs": 0, "wiring": 1, "rdma": 2, "pools": 7, "lifecycle": 10}
_LINES = 120
_VERSION = re.compile(r"\bv?\d+\.\d+(\.\d+)*\b|\b[0-9a-f]{7,40}\b")

each_rule = pytest.mark.parametrize("rule", [pytest.param(r, id=r.id) for r in CATALOGUE])


def _files() -> set[Path]:
    return {
        path
        for path in _FOLDER.rglob("*.py")
        if path.name != "__init__.py" and "cases" not in path.relative_to(_FOLDER).parts
    }


def test_every_rule_file_is_in_the_catalogue() -> None:
    assert _files() == {file_of(rule) for rule in CATALOGUE}


def test_ids_and_slugs_are_unique() -> None:
    counts = Counter(name for rule in CATALOGUE for name in (rule.id, rule.slug))
    assert not [name for name, count in counts.items() if count > 1]


def test_every_folder_of_cases_belongs_to_a_rule() -> None:
    wanted = {file_of(rule).parent / "cases" / file_of(rule).stem for rule in CATALOGUE}
    assert set(_FOLDER.glob("*/cases/*")) <= wanted


def test_every_case_is_of_a_known_kind() -> None:
    kinds = {case.kind for rule in CATALOGUE for case in cases_of(rule)}
    assert kinds <= {"fires", "quiet", "undecided"}


@each_rule
def test_the_file_is_named_after_the_slug(rule: Rule) -> None:
    assert file_of(rule).stem == rule.slug.replace("-", "_")


@each_rule
def test_the_id_is_in_the_range_of_its_family(rule: Rule) -> None:
    match = re.fullmatch(r"PW(\d{3,4})", rule.id)
    assert match is not None
    assert int(match[1]) // 100 == _FAMILIES[file_of(rule).parent.name]


@each_rule
def test_the_prose_has_its_three_headings(rule: Rule) -> None:
    prose = prose_of(rule)
    assert [section.heading for section in prose.sections] == _HEADINGS
    assert all(section.body for section in prose.sections)


@each_rule
def test_the_prose_begins_with_one_sentence(rule: Rule) -> None:
    summary = prose_of(rule).summary
    assert "\n" not in summary
    assert summary.endswith(".")
    assert ". " not in summary


@each_rule
def test_the_title_is_no_sentence(rule: Rule) -> None:
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")


@each_rule
def test_the_file_is_short(rule: Rule) -> None:
    assert len(file_of(rule).read_text(encoding="utf-8").splitlines()) <= _LINES


@each_rule
def test_the_card_stands_at_the_end(rule: Rule) -> None:
    last = ast.parse(inspect.getsource(module_of(rule))).body[-1]
    assert isinstance(last, ast.Assign)
    assert ast.unparse(last.targets[0]) == "RULE"


@each_rule
def test_every_reference_names_a_version_or_commit(rule: Rule) -> None:
    assert rule.refs
    assert all(_VERSION.search(ref) for ref in rule.refs)


@each_rule
def test_there_is_a_pair_of_cases(rule: Rule) -> None:
    found = cases_of(rule)
    letters = {case.letter for case in found if case.kind == "fires" and len(case.letter) == 1}
    assert letters & {case.letter for case in found if case.kind == "quiet"}


@each_rule
def test_a_rule_that_can_miss_a_fact_has_an_undecided_case(rule: Rule) -> None:
    """It asks for facts itself, or was seen undecided about a case of any rule."""
    asks = ".need()" in inspect.getsource(module_of(rule))
    every = cases("fires", "quiet", "undecided")
    lacks = asks or any(said(case.folder).is_undecided(rule) for case in every)
    if lacks:
        assert [case for case in cases_of(rule) if case.kind == "undecided"]
