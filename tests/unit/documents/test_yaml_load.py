"""Documents, duplicates, merges and templates."""

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import yaml
from podwire.documents.text import Position
from podwire.documents.tree import Loaded, Tree


def values_of(text: str) -> list[Tree]:
    loaded = yaml.load(text)
    assert [one.problem for one in loaded] == [None] * len(loaded)
    assert [one.part for one in loaded] == list(range(len(loaded)))
    return [one.value for one in loaded]


def only(text: str) -> Loaded:
    (loaded,) = yaml.load(text)
    return loaded


@pytest.mark.parametrize(
    ("text", "values"),
    {
        "": [],
        "\n\n": [],
        "# only a comment": [],
        "---\n# only a comment\n---\n  # another\n": [],
        "a: 1": [{"a": 1}],
        "---\na: 1\n": [{"a": 1}],
        "a: 1\n---\nb: 2\n": [{"a": 1}, {"b": 2}],
        "a: 1\n--- # and then\nb: 2\n---\n": [{"a": 1}, {"b": 2}],
        "--- {a: 1}\n--- [2]\n--- |\n  text\n": [{"a": 1}, [2], "text\n"],
        "a: 1\n...\n---\nb: 2\n...\n# end\n": [{"a": 1}, {"b": 2}],
        "a: 1\r\n---\r\nb: 2\r\n": [{"a": 1}, {"b": 2}],
        "%YAML 1.1\n# first\n---\na: 1\n---\nb: 2\n": [{"a": 1}, {"b": 2}],
        "%TAG !k! tag:yaml.org,2002:\n---\na: !k!str 1\n": [{"a": "1"}],
        "a: |\n  ---\n  x\n---\nb: 1\n": [{"a": "---\nx\n"}, {"b": 1}],
        "---a: 1\n": [{"---a": 1}],
        "--- ~\n": [None],
        "\ufeffa: 1\n": [{"a": 1}],
        "a: \U0001f600\n---\nb: é\n": [{"a": "\U0001f600"}, {"b": "é"}],
    }.items(),
)
def test_documents_are_cut_at_lines_that_begin_with_dashes(text: str, values: list[Tree]) -> None:
    assert values_of(text) == values


def test_a_broken_document_costs_only_itself() -> None:
    first, broken, last = yaml.load("a: 1\n---\nb: [1\nc: 2\n---\nd: 4\n")
    assert (first.value, last.value) == ({"a": 1}, {"d": 4})
    assert broken.value is None
    assert broken.problem is not None
    assert broken.problem.message == (
        "did not find expected ',' or ']' while parsing a flow sequence"
    )
    assert broken.problem.position == Position(line=4, column=2)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a: 1\n  b: 2\n", "found ': ' inside a value", 2, 4),
        ("a:\n\tb: 1\n", "found a tab, and YAML indents with spaces only", 2, 1),
        ("a: {b: 1}}\n", "did not find expected key", 1, 10),
        ("a: b\nc\nd: 1\n", "could not find expected ':'", 2, 1),
        ("{a: 1} b\n", "found more after the document's end", 1, 8),
        ("a: 1\nb: *x\n", "*x stands for nothing: there is no &x before it", 2, 4),
        ("<<: 1\n", "<< takes a mapping or a list of mappings", 1, 5),
        ("a: \x1b[2J\n", r"the character \x1b is not allowed in YAML", 1, 4),
        ("# é\r\nb: \U0001f600 c: d\r\n", "found ': ' inside a value", 2, 7),
        ("a: 1\u2028--- b\n", "a second document begins here", 1, 6),
    ],
)
def test_a_problem_says_what_and_where(text: str, message: str, line: int, column: int) -> None:
    problem = only(text).problem
    assert problem is not None
    assert problem.message.startswith(message)
    assert problem.position == Position(line=line, column=column)


def test_the_last_of_two_equal_keys_counts_and_both_are_reported() -> None:
    loaded = yaml.load("x: 0\n---\na: 1\nb:\n- c: 1\n  d: 2\n  c: 3\na: 4\n")[1]
    assert loaded.value == {"a": 4, "b": [{"c": 3, "d": 2}]}
    assert [(d.path, d.position) for d in loaded.duplicates] == [
        (("b", 0, "c"), Position(line=7, column=3)),
        (("a",), Position(line=8, column=1)),
    ]
    assert loaded.duplicates[1].message == 'the key "a" stands twice; the last one counts'


def test_keys_that_differ_in_yaml_may_be_equal_in_json() -> None:
    loaded = only('1: a\n"1": b\n')
    assert loaded.value == {"1": "b"}
    assert [d.path for d in loaded.duplicates] == [("1",)]


@pytest.mark.parametrize(
    ("text", "value"),
    {
        "a: &x {k: 1}\nb: *x\n": {"a": {"k": 1}, "b": {"k": 1}},
        "a: &x 1\nb: &x 2\nc: *x\n": {"a": 1, "b": 2, "c": 2},
        "a: &x k\n*x : 1\n": {"a": "k", "k": 1},
        "a: &x {k: 1}\nb: {<<: *x, l: 2}\n": {"a": {"k": 1}, "b": {"k": 1, "l": 2}},
        "<<: {k: 1}\nk: 2\n": {"k": 2},
        "k: 2\n<<: {k: 1}\n": {"k": 1},
        "<<: [{k: 1}, {k: 2, l: 3}]\n": {"k": 1, "l": 3},
        '"<<": {k: 1}\n': {"<<": {"k": 1}},
        "a: {<<: {b: &x [1]}}\nc: *x\n": {"a": {"b": [1]}, "c": [1]},
    }.items(),
)
def test_aliases_and_merges_are_resolved_as_go_yaml_does(text: str, value: Tree) -> None:
    loaded = only(text)
    assert loaded.value == value
    assert loaded.duplicates == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "has_value"),
    [
        ("{{- if .Values.on }}\na: 1\n{{- end }}\n", 1, 1, False),
        ("a: 1\nb: {{ .Values.b }}\n", 2, 4, False),
        ("a: 1\nb: x-{{ .Values.b }}\n", 2, 6, True),
        ("a: 'x {{'\n# {{ no }}\nb:\n  {{- toYaml .Values.b | nindent 2 }}\n", 4, 3, False),
        ('a: |\n  {{ kept }}\nb: "{{ c }}"\nd: {{ .e }}\n', 4, 4, False),
    ],
)
def test_a_helm_template_is_recognised_by_its_first_action(
    text: str, line: int, column: int, *, has_value: bool
) -> None:
    loaded = only(text)
    assert loaded.is_template
    assert loaded.problem is not None
    assert loaded.problem.message.startswith("a Helm template, to be rendered first: {{")
    assert loaded.problem.position == Position(line=line, column=column)
    assert (loaded.value is not None) is has_value


@pytest.mark.parametrize(
    "text",
    [
        'a: "{{ $labels.pod }}"\n',
        "a: '{{ .Values.b }}'\n",
        "a: |\n  {{ $labels.pod }}\n",
        "a: >-\n  {{ $labels.pod }}\n",
        "a: 1 # {{ .Values.b }}\n",
        '{"a":{"b":{}}}\n',
    ],
)
def test_braces_that_yaml_reads_as_text_make_no_template(text: str) -> None:
    loaded = only(text)
    assert not loaded.is_template
    assert loaded.problem is None


@pytest.mark.parametrize(
    "text", ["a: b: c\nd: {{ .Values.d }}\n", "a: '{{ x }}' # {{\nb: |\n  {{ y }}\nc: d: e\n"]
)
def test_an_error_that_no_action_caused_is_an_error(text: str) -> None:
    loaded = only(text)
    assert not loaded.is_template
    assert loaded.problem is not None


def test_the_collector_is_on_again_after_loading() -> None:
    yaml.load("a: [")
    assert gc.isenabled()


# YAML's quotes know no pairs of surrogates, which is how JSON escapes what is beyond U+FFFF,
# and its keys have at most 1024 characters.
WORDS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=30)
TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(TREES)
def test_any_json_value_is_the_same_value_in_yaml(value: Tree) -> None:
    assert values_of(json.dumps(value)) == [value]


@given(st.lists(st.sampled_from([*"ab1{}[],:&*|>?!%#\"'\t\n -~<.\x85\u2028", "---", "{{", "<<"])))
def test_no_text_makes_it_raise(pieces: list[str]) -> None:
    for loaded in yaml.load("".join(pieces)):
        assert loaded.problem is None or loaded.problem.message


@given(st.text(alphabet=st.characters()))
def test_no_characters_make_it_raise(text: str) -> None:
    yaml.load(text)


def test_a_text_has_so_many_documents_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("parts", "yaml"):
        monkeypatch.setattr(f"podwire.documents.{module}.MOST", 2)
    *read, last = yaml.load("--- a\n" * 5)
    assert [one.value for one in read] == ["a", "a"]
    assert last.problem is not None
    assert last.problem.position == Position(line=3, column=1)
    assert "documents; the rest is left out" in last.problem.message
