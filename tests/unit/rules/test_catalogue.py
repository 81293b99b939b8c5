"""What every rule has to have, whatever it is about."""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.rule_cases import cases, cases_of, file_of, module_of, said

import podwire.rules
from podwire.findings.model import Rule
from podwire.present.rule_page import prose_of
from podwire.rules import CATALOGUE

_FOLDER = Path(podwire.rules.__file__).parent
_SOURCES = {path: path.read_text("utf-8") for path in sorted(_FOLDER.parent.rglob("*.py"))}
_NO_SOURCES = {"cases", "_pb"}
_HEADINGS = ["What you see", "Why", "Fix"]
_FAMILIES = {
    "inputs": 0,
    "wiring": 1,
    "rdma": 2,
    "numa": 3,
    "vf": 4,
    "gpu": 5,
    "cdi": 6,
    "pools": 7,
    "node": 9,
    "lifecycle": 10,
}
_LINES = 120  # of a rule
_FILE_LINES = 500
_FUNCTION_LINES = 50
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


def _slugs(tree: ast.Module) -> Iterator[str]:
    """Give the slugs that a module's `Symptom`s name, whether written there or in a tuple."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Symptom":
            slug = next(k.value for k in call.keywords if k.arg == "slug")
            yield from _values(slug, tree)


def _values(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.Tuple):
        for element in node.elts:
            yield from _values(element, tree)
    else:
        sources = [value for name, value in _bound(tree) if name == ast.unparse(node)]
        assert sources, f"{ast.unparse(node)} of a Symptom leads to no tuple of slugs"
        for source in sources:
            yield from _values(source, tree)


def _bound(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.comprehension | ast.For):
            yield ast.unparse(node.target), node.iter
        elif isinstance(node, ast.Assign):
            yield ast.unparse(node.targets[0]), node.value


def test_every_symptom_that_is_explained_is_a_rule_for_a_symptom() -> None:
    symptoms = {rule.slug for rule in CATALOGUE if rule.is_symptom}
    named = {slug for text in _SOURCES.values() for slug in _slugs(ast.parse(text))}
    assert named
    assert named - symptoms == set()


def test_every_rule_for_a_symptom_is_explained_by_another() -> None:
    named = {slug for text in _SOURCES.values() for slug in _slugs(ast.parse(text))}
    assert {rule.slug for rule in CATALOGUE if rule.is_symptom} - named == set()


def test_no_source_file_is_long() -> None:
    lengths = {path.name: len(text.splitlines()) for path, text in _written()}
    assert {name: n for name, n in lengths.items() if n > _FILE_LINES} == {}


def test_no_function_is_long() -> None:
    long = [
        f"{path.name}: {node.name} ({length})"
        for path, text in _written()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > _FUNCTION_LINES
    ]
    assert long == []


def _written() -> Iterator[tuple[Path, str]]:
    return ((p, text) for p, text in _SOURCES.items() if _NO_SOURCES.isdisjoint(p.parts))
