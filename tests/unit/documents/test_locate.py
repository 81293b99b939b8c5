"""Paths back into lines and columns."""

import json as stdlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import json, yaml
from podwire.documents.locate import Form, Located, locate
from podwire.documents.tree import Tree
from podwire.model.evidence import Path

MANIFEST = """\
# A comment alone is no document.
---
kind: Pod
metadata:
  name: worker-0   # the first rank
  labels: {app: train, "rank": '0'}
  annotations: {
    a: b }
  empty:
  nothing: ~
spec:
  containers:
  - name: main
    args: ["--a",
           "--b"]
  - &second
    name: "side"
    name: sidecar
  - *second
  shared: &defaults {cpu: 1, memory: 2Gi}
  limits:
    <<: *defaults
    cpu: 3
  on: true
--- {kind: Node, name: n}
"""

NETWORK = """\
kind: NetworkAttachmentDefinition
spec:
  config: '{
    "cniVersion": "0.3.1",
    "plugins": [{"type": "ib-sriov", "note": "it''s"}]
  }'
  literal: |
      {
        "type": "ib-sriov",
        "ipam": {
          "type": "whereabouts"}
      }
  indented: |2-

      # one more
     resourceList:
     - resourceName: ib_vf
       selectors:
         vendors: ["15b3"]
  folded: >
    {"a":
      {"b": 7}}
  plain: [1, 2
  ]
  double: "{\\"a\\": 1}"
  text: no JSON
  broken: |
    {"a": 1,
     "b": }
"""


def marked(text: str, located: Located | None) -> str:
    """Give what the caret would underline, with the line's number."""
    assert located is not None
    line = text.split("\n")[located.position.line - 1]
    return f"{located.position.line}: {line[located.position.column - 1 : located.end_column - 1]}"


@pytest.mark.parametrize(
    ("path", "expected"),
    {
        (): "3: kind: Pod",
        ("kind",): "3: Pod",
        ("metadata",): "4: metadata",
        ("metadata", "name"): "5: worker-0",
        ("metadata", "labels"): "6: {app: train, \"rank\": '0'}",
        ("metadata", "labels", "rank"): "6: '0'",
        ("metadata", "annotations"): "7: annotations",
        ("metadata", "annotations", "a"): "8: b",
        ("metadata", "empty"): "9: empty",
        ("metadata", "nothing"): "10: ~",
        ("spec", "containers"): "12: containers",
        ("spec", "containers", 0): "13: name: main",
        ("spec", "containers", 0, "args"): "14: args",
        ("spec", "containers", 0, "args", 1): '15: "--b"',
        ("spec", "containers", 1, "name"): "18: sidecar",
        ("spec", "containers", 2): "19: *second",
        ("spec", "containers", 2, "name"): "18: sidecar",
        ("spec", "limits", "memory"): "20: 2Gi",
        ("spec", "limits", "cpu"): "23: 3",
        ("spec", "true"): "24: true",
    }.items(),
)
def test_values_in_yaml_have_places(path: Path, expected: str) -> None:
    located = locate(MANIFEST, form=Form.YAML, path=path)
    assert marked(MANIFEST, located) == expected
    assert located is not None
    assert located.exact


@pytest.mark.parametrize(
    ("path", "expected"),
    {
        ("metadata", "namespace"): "4: metadata",
        ("spec", "containers", 3): "12: containers",
        ("spec", "containers", "0"): "12: containers",
        ("spec", "containers", 0, "env", 0, "name"): "13: name: main",
        ("kind", "x"): "3: Pod",
    }.items(),
)
def test_a_missing_path_leads_to_its_deepest_ancestor(path: Path, expected: str) -> None:
    located = locate(MANIFEST, form=Form.YAML, path=path)
    assert marked(MANIFEST, located) == expected
    assert located is not None
    assert not located.exact


def test_other_documents_of_a_file_have_places_too() -> None:
    located = locate(MANIFEST, form=Form.YAML, part=1, path=("name",))
    assert marked(MANIFEST, located) == "25: n"


def test_what_is_not_there_has_no_place() -> None:
    assert locate(MANIFEST, form=Form.YAML, part=2, path=()) is None
    assert locate("", form=Form.YAML, path=()) is None
    assert locate("\x00", form=Form.YAML, path=()) is None
    assert locate(" ", form=Form.JSON, path=()) is None
    assert locate("nope", form=Form.JSON, path=("a",)) is None
    assert locate("{}", form=Form.JSON, part=1, path=()) is None


def test_a_broken_document_has_places_up_to_where_it_breaks() -> None:
    text = "a:\n  b: 1\nc: [1, 2\nd: 3\n"
    assert marked(text, locate(text, form=Form.YAML, path=("a", "b"))) == "2: 1"
    assert marked(text, locate(text, form=Form.YAML, path=("c", 1))) == "3: 2"
    text = '{"a": 1, "b": [1, {"c": 2, oops'
    assert marked(text, locate(text, form=Form.JSON, path=("a",))) == "1: 1"
    assert marked(text, locate(text, form=Form.JSON, path=("b", 1, "c"))) == "1: 2"


@pytest.mark.parametrize(
    ("key", "inner", "expected"),
    [
        ("config", ("cniVersion",), '4: "0.3.1"'),
        ("config", ("plugins", 0, "note"), "5: \"it''s\""),
        ("literal", ("type",), '9: "ib-sriov"'),
        ("literal", ("ipam",), '10: "ipam"'),
        ("literal", ("ipam", "type"), '11: "whereabouts"'),
        ("indented", ("resourceList",), "16: resourceList"),
        ("indented", ("resourceList", 0, "resourceName"), "17: ib_vf"),
        ("indented", ("resourceList", 0, "selectors", "vendors", 0), '19: "15b3"'),
        ("folded", ("a", "b"), "22: 7"),
        ("broken", ("a",), "28: 1"),
    ],
)
def test_texts_inside_scalars_have_places_in_the_file(key: str, inner: Path, expected: str) -> None:
    located = locate(NETWORK, form=Form.YAML, path=("spec", key), inner=inner)
    assert marked(NETWORK, located) == expected
    assert located is not None
    assert located.exact


@pytest.mark.parametrize(
    ("key", "inner", "expected"),
    [
        ("config", ("plugins", 1), '5: [{"type": "ib-sriov", "note": "it\'\'s"}]'),
        ("config", ("plugins", 0, "x"), '5: {"type": "ib-sriov", "note": "it\'\'s"}'),
        ("double", ("a",), r'25: "{\"a\": 1}"'),
        ("text", ("a",), "26: no JSON"),
        ("plain", ("a",), "23: plain"),
        ("absent", ("a",), "2: spec"),
    ],
)
def test_where_the_file_hides_the_inner_text_the_scalar_is_shown(
    key: str, inner: Path, expected: str
) -> None:
    located = locate(NETWORK, form=Form.YAML, path=("spec", key), inner=inner)
    assert located is not None
    assert not located.exact
    assert marked(NETWORK, located) == expected


def test_a_string_of_json_is_shown_whole_for_what_is_in_it() -> None:
    text = '{"config": "{\\"a\\": 1}"}'
    located = locate(text, form=Form.JSON, path=("config",), inner=("a",))
    assert marked(text, located) == r'1: "{\"a\": 1}"'
    assert located is not None
    assert not located.exact


def test_windows_line_ends_do_not_move_places() -> None:
    text = NETWORK.replace("\n", "\r\n")
    located = locate(text, form=Form.YAML, path=("spec", "indented"), inner=("resourceList",))
    assert marked(text, located) == "16: resourceList"
    located = locate(text, form=Form.YAML, path=("spec", "literal"), inner=("type",))
    assert marked(text, located) == '9: "ib-sriov"'


def test_of_equal_keys_the_last_one_has_the_place() -> None:
    assert marked("a: 1\na: 2\n", locate("a: 1\na: 2\n", form=Form.YAML, path=("a",))) == "2: 2"
    text = '{"a": 1,\n"\\u0061": 2}'
    assert marked(text, locate(text, form=Form.JSON, path=("a",))) == "2: 2"


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "a: {k: 1,\n <<: {k: 2}}": "2: 2",
        "a: {<<: {k: 1},\n k: 2}": "2: 2",
        "a: {<<: [{k: 1},\n {k: 2}]}": "1: 1",
        "a: {<<: [{j: 1},\n {k: 2}]}": "2: 2",
        "b: &b {k: 3}\na: {<<: [{k: 1, <<: *b}, *b]}": "1: 3",
    }.items(),
)
def test_of_merged_keys_the_one_that_counts_has_the_place(text: str, expected: str) -> None:
    assert marked(text, locate(text, form=Form.YAML, path=("a", "k"))) == expected


def every_path(value: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    yield path, value
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from every_path(inside, (*path, key))
    elif isinstance(value, list):
        for index, inside in enumerate(value):
            yield from every_path(inside, (*path, index))


WORDS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=5)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=10,
)


@given(TREES, st.sampled_from([None, 1, 4]))
def test_every_path_of_a_json_text_leads_to_text_of_that_value(
    tree: Tree, indent: int | None
) -> None:
    text = stdlib.dumps(tree, indent=indent)
    for path, value in every_path(tree):
        located = locate(text, form=Form.JSON, path=path)
        assert located is not None
        assert located.exact
        shown = marked(text, located).partition(": ")[2]
        many_lines = indent and isinstance(value, list | dict) and value
        if not many_lines:
            assert json.load(shown).value == value
        elif path and isinstance(path[-1], str):
            assert json.load(shown).value == path[-1]
        else:
            assert shown in {"[", "{"}


def block(value: Tree, indent: int = 0) -> str:
    """Write YAML in blocks, collections below their keys."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        return "".join(f"\n{pad}{stdlib.dumps(k)}:{block(v, indent + 2)}" for k, v in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{pad}-{block(v, indent + 2)}" for v in value)
    return " " + stdlib.dumps(value)


@given(TREES)
def test_every_path_of_a_yaml_text_leads_to_text_of_that_value_or_to_its_key(tree: Tree) -> None:
    text = block(tree)
    (loaded,) = yaml.load(text)
    assert loaded.value == tree
    for path, value in every_path(tree):
        located = locate(text, form=Form.YAML, path=path)
        assert located is not None
        assert located.exact
        shown = marked(text, located).partition(": ")[2]
        if not isinstance(value, list | dict) or not value:
            assert yaml.load(shown)[0].value == value
        elif path and isinstance(path[-1], str):
            assert yaml.load(shown)[0].value == path[-1]


PATHS = st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=3).map(tuple)


@given(
    st.lists(st.sampled_from([*"ab1{}[],:&*|>?!\"'\t\n -~<\\", "---\n", "a: ", "\n  ", "<<: "])),
    PATHS,
    PATHS,
    st.sampled_from(Form),
)
def test_no_text_makes_it_raise(pieces: list[str], path: Path, inner: Path, form: Form) -> None:
    text = "".join(pieces)
    located = locate(text, form=form, path=path, inner=inner)
    if located is not None:
        assert located.position.column < located.end_column
        assert located.position.line <= text.count("\n") + 1
