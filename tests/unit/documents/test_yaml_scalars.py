"""What unquoted words mean; every row was run through sigs.k8s.io/yaml v1.6.0 (go-yaml v2.4.4)."""

import math

import pytest

from podwire.documents import yaml
from podwire.documents.tree import Tree

BOOLEANS = {
    True: ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"),
    False: ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"),
}
NULLS = ("", "~", "null", "Null", "NULL")
INTEGERS = {
    "0": 0,
    "-0": 0,
    "+7": 7,
    "1_000": 1000,
    "1__0_": 10,
    "0x1F": 31,
    "0X1f": 31,
    "-0x10": -16,
    "0x_1F": 31,
    "0b101": 5,
    "-0B11": -3,
    "0o17": 15,
    "0O17": 15,
    "010": 8,
    "-010": -8,
    "00": 0,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "18446744073709551615": 2**64 - 1,
    "0xFFFFFFFFFFFFFFFF": 2**64 - 1,
}
FLOATS = {
    "1.5": 1.5,
    "1.": 1.0,
    ".5": 0.5,
    ".0": 0.0,
    ".1_5": 0.15,
    "-1.5e3": -1500.0,
    "1e3": 1000.0,
    "1E+3": 1000.0,
    "08": 8.0,
    "09.5": 9.5,
    "1_000.5": 1000.5,
    "18446744073709551616": 18446744073709551616.0,
    "+9223372036854775808": 9223372036854775808.0,
    ".inf": math.inf,
    ".Inf": math.inf,
    "+.INF": math.inf,
    "-.inf": -math.inf,
}
STRINGS = (
    "yEs",
    "tRUE",
    "nULL",
    "oN",
    "Nil",
    "none",
    "1:30",
    "190:20:30",
    "2001-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "0xG",
    "0o8",
    "0b2",
    "0x",
    "+",
    "-x",
    "1e999",
    "-1e999",
    "0x1FFFFFFFFFFFFFFFF",
    "._1",
    ".1_",
    ".",
    "..5",
    "1.2.3",
    "1e",
    "_1",
    "+.nan",
    "nan",
    "inf",
    "=",
    "a",
    "mlx5_0",
    "0000:18:00.2",
    "a088:c203:0021:1000",
    "1Gi",
    "100m",
)
TAGGED = {
    "!!str 123": "123",
    "!!str yes": "yes",
    "!!str": "",
    "!!int 0x10": 16,
    '!!int "12"': 12,
    "!!float 1": 1.0,
    "!!float 1.5": 1.5,
    '!!bool "yes"': True,
    "!!null ''": None,
    "!!null ~": None,
    "!!binary aGVsbG8=": "hello",
    "!!timestamp 2001-01-01": "2001-01-01",
    "!foreign 5": "5",
    "!!map {a: 1}": {"a": 1},
}
REFUSED = ("!!int 1.5", "!!int x", "!!bool 1", "!!null abc", "!!float abc", "!!binary 123")


def value_of(text: str) -> Tree:
    (loaded,) = yaml.load(f"a: {text}\n")
    assert loaded.problem is None
    assert isinstance(loaded.value, dict)
    return loaded.value["a"]


@pytest.mark.parametrize(("text", "meant"), [(t, b) for b, ts in BOOLEANS.items() for t in ts])
def test_booleans_have_the_spellings_of_yaml_1_1(text: str, *, meant: bool) -> None:
    assert value_of(text) is meant


@pytest.mark.parametrize("text", NULLS)
def test_nulls_have_five_spellings(text: str) -> None:
    assert value_of(text) is None


@pytest.mark.parametrize(("text", "meant"), INTEGERS.items())
def test_integers_have_bases_and_underscores_within_64_bits(text: str, meant: int) -> None:
    assert value_of(text) == meant
    assert type(value_of(text)) is int


@pytest.mark.parametrize(("text", "meant"), FLOATS.items())
def test_floats_follow_go_yaml(text: str, meant: float) -> None:
    assert value_of(text) == meant
    assert type(value_of(text)) is float


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_has_three_spellings(text: str) -> None:
    value = value_of(text)
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("text", STRINGS)
def test_everything_else_stays_a_string(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize("text", ["yes", "1", "~", "", "1.5", "<<"])
@pytest.mark.parametrize("form", ["'{}'", '"{}"', "|-\n  {}", ">-\n  {}"])
def test_quotes_and_blocks_make_strings(text: str, form: str) -> None:
    assert value_of(form.format(text)) == text


@pytest.mark.parametrize(("text", "meant"), TAGGED.items())
def test_explicit_tags_are_honoured(text: str, meant: Tree) -> None:
    assert value_of(text) == meant
    assert type(value_of(text)) is type(meant)


@pytest.mark.parametrize("text", REFUSED)
def test_a_tag_that_contradicts_its_text_is_a_problem_at_its_place(text: str) -> None:
    (loaded,) = yaml.load(f"ok: 1\na: {text}\n")
    assert loaded.problem is not None
    assert loaded.problem.position is not None
    assert (loaded.problem.position.line, loaded.problem.position.column) == (2, 4)


@pytest.mark.parametrize(
    ("text", "key"),
    {
        "true": "true",
        "y": "true",
        "on": "true",
        "No": "false",
        "1": "1",
        "0x10": "16",
        "010": "8",
        "1.5": "1.5",
        "3.10": "3.1",
        "100000.0": "100000",
        "1000000.0": "1e+06",
        "0.00001": "1e-05",
        "1.23456789": "1.2345679",
        "1e39": ".inf",
        ".inf": ".inf",
        "-.inf": "-.inf",
        ".nan": ".nan",
        '"y"': "y",
        "2001-01-01": "2001-01-01",
        "!!str 1": "1",
    }.items(),
)
def test_keys_become_the_strings_that_json_gets(text: str, key: str) -> None:
    (loaded,) = yaml.load(f"{text}: x\n")
    assert loaded.value == {key: "x"}


@pytest.mark.parametrize("text", ["~", "null", "18446744073709551615", "[1]", "{a: 1}", "? [a]\n"])
def test_keys_that_kubernetes_refuses_are_a_problem(text: str) -> None:
    (loaded,) = yaml.load(f"{text}: x\n")
    assert loaded.problem is not None
    assert loaded.problem.message.startswith(("a key is", "the key"))
