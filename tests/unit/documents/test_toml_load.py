"""TOML with positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import toml
from podwire.documents.text import Position


def test_tables_become_mappings_and_times_become_strings() -> None:
    loaded = toml.load('version = 3\n[plugins."io.containerd.cri"]\ncdi = true\nat = 2027-01-31\n')
    assert loaded.value == {
        "version": 3,
        "plugins": {"io.containerd.cri": {"cdi": True, "at": "2027-01-31"}},
    }


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a = 1\nb = \n", "Invalid value", 2, 5),
        ("a = 1\na = 2\n", "Cannot overwrite a value", 2, 6),
        ("a = [1,\n", "Invalid value", 2, 1),
    ],
)
def test_a_syntax_error_has_a_place(text: str, message: str, line: int, column: int) -> None:
    problem = toml.load(text).problem
    assert problem is not None
    assert problem.message == message
    assert problem.position == Position(line=line, column=column)


@pytest.mark.parametrize("depth", [250, 10_000])
def test_deep_nesting_is_a_problem(depth: int) -> None:
    problem = toml.load("a = " + "[" * depth + "]" * depth).problem
    assert problem is not None
    assert problem.message == "it is nested deeper than 200 levels"


def test_a_number_of_thousands_of_digits_is_a_problem() -> None:
    assert toml.load("a = " + "1" * 5000).problem is not None


@given(st.text() | st.lists(st.sampled_from(list("a=[]{}\"'.\n1 #"))).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    toml.load(text)
