"""TOML: values, what is wrong in a text, and where everything stands."""

import json as stdlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import toml
from podwire.documents.locate import Form, Located, locate
from podwire.documents.text import Position, Problem
from podwire.documents.tree import Tree
from podwire.model.evidence import Path

CONTAINERD = """\
version = 3
imports = ["/etc/containerd/conf.d/*.toml",
           "more.toml"]

[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"  # not "nvidia"

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  options = {BinaryName = '/opt/nvidia-container-runtime', "a.b".c = [1, {d = "e"}]}
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = \"""\\
      io.containerd.runc.v2\"""

[[paths]]
to = 1979-05-27T07:32:00Z
[[paths]]
to = "\\u00e9"
[paths.inner]
deep = true
"""
CRI = ("plugins", "io.containerd.cri.v1.runtime", "containerd")


def marked(text: str, located: Located | None) -> str:
    assert located is not None
    line = text.split("\n")[located.position.line - 1]
    return f"{located.position.line}: {line[located.position.column - 1 : located.end_column - 1]}"


def test_tables_strings_and_dates_become_a_plain_tree() -> None:
    assert toml.load(CONTAINERD).value == {
        "version": 3,
        "imports": ["/etc/containerd/conf.d/*.toml", "more.toml"],
        "plugins": {
            "io.containerd.cri.v1.runtime": {
                "containerd": {
                    "default_runtime_name": "runc",
                    "runtimes": {
                        "nvidia": {
                            "runtime_type": "io.containerd.runc.v2",
                            "options": {
                                "BinaryName": "/opt/nvidia-container-runtime",
                                "a.b": {"c": [1, {"d": "e"}]},
                            },
                        },
                        "runc": {"runtime_type": "io.containerd.runc.v2"},
                    },
                }
            }
        },
        "paths": [
            {"to": "1979-05-27 07:32:00+00:00"},
            {"to": "é", "inner": {"deep": True}},
        ],
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("version",), "1: 3"),
        (("imports",), "2: imports"),
        (("imports", 1), '3: "more.toml"'),
        (("plugins",), "5: plugins"),
        (CRI, "5: containerd"),
        ((*CRI, "default_runtime_name"), '6: "runc"'),
        ((*CRI, "runtimes"), "8: runtimes"),
        ((*CRI, "runtimes", "nvidia"), "8: nvidia"),
        (
            (*CRI, "runtimes", "nvidia", "options", "BinaryName"),
            "10: '/opt/nvidia-container-runtime'",
        ),
        ((*CRI, "runtimes", "nvidia", "options", "a.b"), '10: "a.b"'),
        ((*CRI, "runtimes", "nvidia", "options", "a.b", "c", 1, "d"), '10: "e"'),
        ((*CRI, "runtimes", "runc"), "11: runc"),
        ((*CRI, "runtimes", "runc", "runtime_type"), '12: """\\'),
        (("paths",), "15: paths"),
        (("paths", 0, "to"), "16: 1979-05-27T07:32:00Z"),
        (("paths", 1), "17: paths"),
        (("paths", 1, "inner", "deep"), "20: true"),
    ],
)
def test_values_have_places(path: Path, expected: str) -> None:
    located = locate(CONTAINERD, form=Form.TOML, path=path)
    assert marked(CONTAINERD, located) == expected
    assert located is not None
    assert located.exact


def test_a_missing_path_leads_to_its_deepest_ancestor() -> None:
    located = locate(CONTAINERD, form=Form.TOML, path=(*CRI, "runtimes", "kata"))
    assert marked(CONTAINERD, located) == "8: runtimes"
    assert located is not None
    assert not located.exact


def test_a_broken_document_has_places_up_to_where_it_breaks() -> None:
    text = "a = 1\nb = [2\nc"
    assert marked(text, locate(text, form=Form.TOML, path=("a",))) == "1: 1"
    assert toml.load(text).problem is not None


def test_a_text_has_one_document() -> None:
    assert locate("a = 1", form=Form.TOML, path=("a",), part=1) is None


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a = ", "expected a value here", 1, 5),
        ("a 1", "expected '=' after the key here", 1, 3),
        ("= 1", "expected a key, or a table in brackets, here", 1, 1),
        ("a. = 1", "expected a key here", 1, 4),
        ("a = 1 2", "expected the line's end after the value here", 1, 7),
        ("[a", "expected the closing bracket of the table's name here", 1, 3),
        ("a = 1\na = 2", "the key stands twice", 2, 6),
        ("[a.b]\n[a.b]", "the table a.b stands twice", 2, 5),
        ("a = {b = 1, b = 2}", "a table in braces has a key twice", 1, 18),
        ("a = {}\na.c = 1", "a table in braces is whole; nothing can be added to it", 2, 8),
        ('a = "x\n', "expected an escape in place of a control character here", 1, 7),
        ('a = "x', "expected the string's closing quote here", 1, 7),
        ('a = "\\q"', "expected one of the escapes that TOML knows here", 1, 8),
        ("a = [1\n", "expected a comma or the array's closing bracket here", 2, 1),
        ("a = {b = 1", "expected a comma or the inline table's closing brace here", 1, 11),
    ],
)
def test_a_problem_has_words_and_a_place(text: str, message: str, line: int, column: int) -> None:
    position = Position(line=line, column=column)
    assert toml.load(text).problem == Problem(message=message, position=position)


@pytest.mark.parametrize(
    "text",
    ["a=" + "[" * 10_000, "a=" + "[" * 250 + "]" * 250, ".".join("a" * 100_000) + "=1"],
    ids=["open brackets", "closed brackets", "a key of many parts"],
)
def test_what_is_too_deep_is_refused(text: str) -> None:
    problem = toml.load(text).problem
    assert problem is not None
    assert problem.message == "it is nested deeper than 200 levels"
    assert locate(text, form=Form.TOML, path=("a",)) is not None


def test_a_number_of_thousands_of_digits_is_a_problem() -> None:
    problem = toml.load("a = " + "9" * 5_000).problem
    assert problem == Problem(message="a number or a date is out of bounds")


SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"))
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def written(value: Tree) -> str:
    """Write a value as TOML does inside a line; JSON's strings are TOML's but for DEL."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(k)} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return stdlib.dumps(value)


@given(st.dictionaries(st.text('ab-_."\\é ', min_size=1, max_size=4), TREES, max_size=4))
def test_every_key_leads_to_its_value(tree: dict[str, Tree]) -> None:
    lines = [f"{stdlib.dumps(key, ensure_ascii=False)} = {written(tree[key])}" for key in tree]
    text = "\n".join(lines)
    loaded = toml.load(text)
    if loaded.problem is not None:  # a lone surrogate, which JSON writes and TOML refuses
        return
    assert loaded.value == tree
    for key, value in tree.items():
        shown = marked(text, locate(text, form=Form.TOML, path=(key,)))
        assert shown.partition(": ")[2] == written(value)


@given(
    st.lists(st.sampled_from(["[", "]", "[[", "]]", "a", ".", '"', "'", '"""', "=", "{", "}", ",",
                              "\n", "#", " ", "1", "\\", "é", "\r", "\x00"])),
    st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=3),
)  # fmt: skip
def test_no_text_makes_it_raise(pieces: list[str], path: list[str | int]) -> None:
    text = "".join(pieces)
    loaded = toml.load(text)
    assert loaded.problem is not None or isinstance(loaded.value, dict)
    assert locate(text, form=Form.TOML, path=tuple(path)) is not None


def test_one_long_word_costs_no_more_than_its_length() -> None:
    text = f"# {'x' * 3_000_000}\nmode = 'auto'\n"
    start = time.process_time()
    assert toml.load(text).value == {"mode": "auto"}
    assert time.process_time() - start < 2
