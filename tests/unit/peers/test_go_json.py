"""JSON as Go's encoding/json takes it: each sentence was printed by a program, Go 1.26.8."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.peers.go_json import (
    Fields,
    Kind,
    NotJson,
    Number,
    Object,
    Value,
    at,
    fields_of,
    kind_of,
    parse,
    written,
)
from podwire.peers.go_json.syntax import fault_in

KINDS = {
    "s": Kind.STRING,
    "b": Kind.BOOL,
    "l": Kind.STRINGS,
    "m": Kind.MAP,
    "in": Kind.STRUCT,
    "r": Kind.RAW,
}


def struct(text: str) -> Fields:
    value = parse(text)
    assert isinstance(value, Object)
    return fields_of(value, KINDS)


@pytest.mark.parametrize(
    ("text", "name", "want"),
    [
        ('{"s": "a", "S": null}', "s", "a"),
        ('{"b": true, "B": null}', "b", True),
        ('{"l": ["a"], "L": null}', "l", None),
        ('{"m": {"a": "b"}, "M": null}', "m", None),
        ('{"in": {"a": "x"}, "IN": null}', "in", Object(members=(("a", "x"),))),
        ('{"r": {"x": "1"}, "R": null}', "r", None),
    ],
)
def test_null_leaves_or_empties_by_the_kind_of_the_field(
    text: str, name: str, want: object
) -> None:
    assert struct(text).value(name) == want


@pytest.mark.parametrize(
    ("text", "name", "want"),
    [
        ('{"s": "a", "S": "b"}', "s", "b"),
        ('{"l": ["a", "b"], "L": ["c"]}', "l", ["c"]),
        ('{"l": ["a", "b"], "L": [null]}', "l", ["a"]),
        ('{"m": {"a": "b"}, "M": {"c": "d"}}', "m", Object(members=(("a", "b"), ("c", "d")))),
        ('{"in": {"a": "x"}, "IN": {"c": "y"}}', "in", Object(members=(("a", "x"), ("c", "y")))),
        ('{"r": {"a": "x"}, "R": {"c": "y"}}', "r", Object(members=(("c", "y"),))),
    ],
)
def test_the_last_wins_and_objects_are_stored_into(text: str, name: str, want: object) -> None:
    assert struct(text).value(name) == want


def test_keys_match_in_any_case_and_others_are_ignored() -> None:
    found = struct('{"S": "a", "x": 1, "\u017f": "long s", "x": 2}')
    assert (found.text("s"), found.written("s"), found.ignored) == ("long s", "\u017f", ("x",))


def test_null_in_a_list_is_an_empty_text() -> None:
    assert struct('{"l": ["a", null]}').texts("l") == ("a", "")


@pytest.mark.parametrize(
    ("text", "path", "is_element"),
    [
        ('{"s": 1, "S": "ok"}', ("s",), False),
        ('{"s": "ok", "S": 1}', ("S",), False),
        ('{"b": "true"}', ("b",), False),
        ('{"L": "a"}', ("L",), False),
        ('{"l": ["a", 1]}', ("l", 1), True),
        ('{"m": []}', ("m",), False),
        ('{"in": "dhcp"}', ("in",), False),
    ],
)
def test_a_value_of_another_kind_is_named(
    text: str, path: tuple[str | int, ...], is_element: object
) -> None:
    (misfit,) = struct(text).misfits
    assert (misfit.path, misfit.is_element) == (path, is_element)


def test_anything_fits_a_raw_message() -> None:
    assert not struct('{"r": 1}').misfits


# What json.Unmarshal printed, and the offset that it gave less one.
WORDS = [
    ("[1,]", "invalid character ']' looking for beginning of value", 3),
    ('{"a":1,}', "invalid character '}' looking for beginning of object key string", 7),
    ("{a:1}", "invalid character 'a' looking for beginning of object key string", 1),
    ('{"a" 1}', "invalid character '1' after object key", 5),
    ('{"a":1 "b":2}', "invalid character '\"' after object key:value pair", 7),
    ("[1 2]", "invalid character '2' after array element", 3),
    ("tru", "invalid character ' ' in literal true (expecting 'e')", 3),
    ('{"a":tru}', "invalid character '}' in literal true (expecting 'e')", 8),
    ("truE", "invalid character 'E' in literal true (expecting 'e')", 3),
    ("01", "invalid character '1' after top-level value", 1),
    ("1.", "invalid character ' ' after decimal point in numeric literal", 2),
    ("-", "invalid character ' ' in numeric literal", 1),
    ("-a", "invalid character 'a' in numeric literal", 1),
    ("1e+", "invalid character ' ' in exponent of numeric literal", 3),
    (".5", "invalid character '.' looking for beginning of value", 0),
    ('"a', "unexpected end of JSON input", 2),
    ('"\\x"', "invalid character 'x' in string escape code", 2),
    ('"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", 5),
    ('"a\nb"', "invalid character '\\n' in string literal", 2),
    ('"\x01"', "invalid character '\\x01' in string literal", 1),
    ("[1,\x00]", "invalid character '\\x00' looking for beginning of value", 3),
    ("{} x", "invalid character 'x' after top-level value", 3),
    ('{"a":1}}', "invalid character '}' after top-level value", 7),
    ('{"a":1]', "invalid character ']' after object key:value pair", 6),
    ("[1}", "invalid character '}' after array element", 2),
    ("", "unexpected end of JSON input", 0),
    (" ", "unexpected end of JSON input", 1),
    ("[", "unexpected end of JSON input", 1),
    ('{"a":', "unexpected end of JSON input", 5),
    ("'a'", "invalid character '\\'' looking for beginning of value", 0),
    ("NaN", "invalid character 'N' looking for beginning of value", 0),
    ("\u00e9", "invalid character '\u00c3' looking for beginning of value", 0),
    ("\ufeff{}", "invalid character '\u00ef' looking for beginning of value", 0),
    ("\\", "invalid character '\\\\' looking for beginning of value", 0),
]


@pytest.mark.parametrize(("text", "words", "where"), WORDS)
def test_what_is_no_json_is_told_in_gos_words(text: str, words: str, where: int) -> None:
    with pytest.raises(NotJson) as caught:
        parse(text)
    assert (str(caught.value), caught.value.at) == (words, where)


@given(st.text(alphabet='[]{}:,"\\ueE+-.0123trfalsn \n\x01\u00e9', max_size=14))
def test_a_fault_is_found_exactly_where_there_is_one(text: str) -> None:
    try:
        parse(text)
    except NotJson:
        assert fault_in(text) is not None
    else:
        assert fault_in(text) is None


_trees = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(_trees)
def test_what_is_read_is_written_again(tree: object) -> None:
    value = parse(json.dumps(tree))
    assert json.loads(written(value)) == tree
    assert parse(written(value)) == value


def test_nesting_that_nobody_can_read_is_no_json() -> None:
    with pytest.raises(NotJson, match="exceeded max depth"):
        parse("[" * 100_000)


def test_a_value_is_found_by_its_path_and_the_last_twin_counts() -> None:
    value = parse('{"a": [1, {"b": "x", "b": "y"}]}')
    assert at(value, ("a", 1, "b")) == "y"
    assert at(value, ("a", 0)) == Number(text="1")
    for path in (("c",), ("a", 2), ("a", "b"), ("a", 0, "x")):
        with pytest.raises(LookupError):
            at(value, path)


def test_kinds_have_gos_names() -> None:
    values: list[Value] = [None, True, Number(text="1"), "", [], Object()]
    names = [kind_of(value) for value in values]
    assert names == ["null", "bool", "number", "string", "array", "object"]
