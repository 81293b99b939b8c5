"""JSON with positions for what is wrong."""

import json as stdlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import json
from podwire.documents.text import Position, Problem
from podwire.documents.tree import Tree

TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "expected a value here", 1, 1),
        ('{"a" 1}', "expected ':' after the key here", 1, 6),
        ('{\n "a": 1\n "b": 2}', "expected ',' or the closing bracket here", 3, 2),
        ("[1, 2,]", "expected a value here", 1, 7),
        ('{"a": 1,}', "expected a key in double quotes here", 1, 9),
        ("{'a': 1}", "expected a key in double quotes here", 1, 2),
        ("[1] 2", "expected nothing more after the value here", 1, 5),
        ('["a', "expected a closing quote for the string that starts here", 1, 2),
        ('["a\tb"]', "expected an escape in place of a control character here", 1, 4),
        (r'["\x"]', "expected one of the escapes that JSON knows here", 1, 3),
        (r'["\u12"]', "expected four hexadecimal digits after \\u here", 1, 4),
        ('["NaN",\n NaN]', "expected a number here: JSON has no NaN", 2, 2),
        ("[-Infinity]", "expected a number here: JSON has no -Infinity", 1, 2),
    ],
)
def test_a_syntax_error_says_what_was_expected_where(
    text: str, message: str, line: int, column: int
) -> None:
    position = Position(line=line, column=column)
    assert json.load(text).problem == Problem(message=message, position=position)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e999", "Number out of range"),
        ("1" * 5000, "a number has thousands of digits"),
        (r'"\ud800"', "a \\u escape is half of a pair"),
    ],
)
def test_values_out_of_range_are_problems(text: str, message: str) -> None:
    problem = json.load(text).problem
    assert problem is not None
    assert problem.message == message


def test_equal_keys_are_reported_with_path_and_place() -> None:
    loaded = json.load('{"a": 1,\n "b": ["a", "a", {"c": {"a": 1}, "c": 2}],\n "\\u0061": 3}')
    assert loaded.value == {"a": 3, "b": ["a", "a", {"c": 2}]}
    assert [(d.path, d.position) for d in loaded.duplicates] == [
        (("b", 2, "c"), Position(line=2, column=34)),
        (("a",), Position(line=3, column=2)),
    ]


def test_a_hundred_equal_keys_are_enough() -> None:
    assert len(json.load("{" + '"a":1,' * 500 + '"a":1}').duplicates) == 100


def test_texts_that_no_hand_wrote_are_not_searched_for_equal_keys() -> None:
    assert json.load('{"a": 1, "a": "' + "x" * 1_000_000 + '"}').duplicates == ()


@given(TREES)
def test_any_json_value_dumped_loads_equal(value: Tree) -> None:
    loaded = json.load(stdlib.dumps(value, indent=1))
    assert loaded.value == value
    assert loaded.problem is None


@given(st.text() | st.lists(st.sampled_from(list('{}[]:,"\\u0d8 1-eNaN\n'))).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    loaded = json.load(text)
    assert loaded.problem is None or loaded.value is None
