"""Input that was made to hurt: it is refused quickly, with a place, or read in a second."""

import json as stdlib

import pytest

from podwire.documents import json, yaml
from podwire.documents.locate import Form, locate
from podwire.documents.text import Position, Problem

DEEP = "it is nested deeper than 200 levels"


def yaml_problem(text: str) -> Problem | None:
    (loaded,) = yaml.load(text)
    assert loaded.problem is None or loaded.value is None
    return loaded.problem


@pytest.mark.parametrize(
    "text",
    {
        "brackets": "[" * 10_000,
        "closed brackets": "[" * 10_000 + "]" * 10_000,
        "braces": '{"a":' * 10_000,
        "dashes": "- " * 10_000,
        "indentation": "".join(f"{' ' * i}a:\n" for i in range(1_000)),
        "through aliases": "a0: &a0 [1]\n"
        + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 300)),
    }.values(),
)
def test_deep_nesting_in_yaml_is_a_problem(text: str) -> None:
    problem = yaml_problem(text)
    assert problem is not None
    assert problem.message == DEEP
    locate(text, form=Form.YAML, path=(0, 0))


def test_keys_within_keys_are_refused_before_they_are_deep() -> None:
    problem = yaml_problem("? " * 10_000)
    assert problem is not None
    assert problem.message.startswith("a key is a list or a mapping")


def test_each_of_many_broken_documents_has_its_place() -> None:
    loaded = yaml.load("[\n---\n" * 20_000)
    assert [one.problem is not None for one in loaded] == [True] * 20_000
    assert loaded[-1].problem is not None
    assert loaded[-1].problem.position == Position(line=40_000, column=1)


@pytest.mark.parametrize("text", ["[" * 10_000, "[" * 250 + "]" * 250, '{"a":[' * 5_000])
def test_deep_nesting_in_json_is_a_problem_with_a_place(text: str) -> None:
    problem = json.load(text).problem
    assert problem is not None
    assert problem.message == DEEP
    assert problem.position is not None
    assert locate(text, form=Form.JSON, path=(0, 0)) is not None or text[0] == "{"


def test_two_hundred_levels_are_read() -> None:
    text = "[" * 200 + "]" * 200
    assert yaml_problem(text) is None
    assert json.load(text).problem is None


def test_an_alias_bomb_is_defused() -> None:
    lines = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    problem = yaml_problem("\n".join(["a0: &a0 [lol]", *lines]))
    assert problem is not None
    assert problem.message == "its aliases stand for more than 1,000,000 values"


def test_a_bomb_of_merges_is_defused() -> None:
    lines = [f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}" for i in range(1, 5_000)]
    problem = yaml_problem("\n".join(["a0: &a0 {k: 1}", *lines]))
    assert problem is not None
    assert problem.message.startswith("its merges stand for more than 1,000,000 keys")


def test_a_key_is_found_behind_thousands_of_merges() -> None:
    lines = [f"a{i}: &a{i} {{<<: *a{i - 1}}}" for i in range(1, 5_000)]
    text = "\n".join(["a0: &a0 {k: 1}", *lines])
    located = locate(text, form=Form.YAML, path=("a4999", "k"))
    assert located is not None
    assert located.exact
    assert located.position == Position(line=1, column=13)


def test_looking_a_key_up_through_merges_of_merges_ends() -> None:
    lines = [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 100)]
    text = "\n".join(["a0: &a0 {k: 1}", *lines])
    located = locate(text, form=Form.YAML, path=("a99", "missing"))
    assert located is not None
    assert not located.exact
    assert locate(text, form=Form.YAML, path=("a99", "k")) is not None


@pytest.mark.parametrize(
    "text", ["a: &x [*x]\n", "&x {a: *x}\n", "&x {<<: *x}\n", "a: &x\n  b:\n  - c: *x\n"]
)
def test_an_anchor_that_contains_itself_is_a_problem(text: str) -> None:
    problem = yaml_problem(text)
    assert problem is not None
    assert problem.message == "&x contains itself"
    locate(text, form=Form.YAML, path=("a", 0, 0, 0, 0))
    locate(text, form=Form.YAML, path=("a", "b", "missing"))


@pytest.mark.parametrize(
    "value", ["x" * 3_000_000, "1" * 3_000_000, "0." + "1" * 3_000_000, "x " * 1_000_000 + "x"]
)
def test_a_line_of_megabytes_is_read(value: str) -> None:
    (loaded,) = yaml.load(f"a: {value}\nb: 1\n")
    assert loaded.problem is None
    assert json.load(stdlib.dumps({"a": value})).problem is None
    assert locate(f"a: {value}\nb: 1\n", form=Form.YAML, path=("b",)) is not None


def test_a_string_of_megabytes_of_escapes_is_read() -> None:
    text = '{"a": "' + '\\"' * 400_000 + '", "a": 1}'
    assert [d.path for d in json.load(text).duplicates] == [("a",)]


def test_a_line_of_many_items_has_places() -> None:
    text = "a: [" + "1, " * 100_000 + "2]\n"
    located = locate(text, form=Form.YAML, path=("a", 100_000))
    assert located is not None
    assert located.position == Position(line=1, column=300_005)


@pytest.mark.parametrize("name", ["\x1b[31m", "\u202e", "a\\nb"])
def test_what_a_message_quotes_is_safe_to_print(name: str) -> None:
    loaded = json.load(
        stdlib.dumps({"k": 1})[:-1] + f", {stdlib.dumps(name)}: 1, {stdlib.dumps(name)}: 2}}"
    )
    assert [d.path for d in loaded.duplicates] == [(name,)]
    assert all(d.message.isprintable() for d in loaded.duplicates)


@pytest.mark.parametrize("text", ["a: *\u202ex\n", "a: !!int \u202ex\n", "a: {{ \u202e }}\n"])
def test_what_a_yaml_problem_quotes_is_safe_to_print(text: str) -> None:
    problem = yaml_problem(text)
    assert problem is not None
    assert problem.message.isprintable()


@pytest.mark.parametrize(
    "text", ["{{" * 50_000, "'{{\n" * 20_000, "a: |\n" * 20_000 + "{{", '"' * 100_000 + "{{"]
)
def test_looking_for_actions_of_a_template_takes_no_time(text: str) -> None:
    yaml_problem(text)
