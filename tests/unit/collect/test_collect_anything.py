"""Whatever is in a file, collecting ends and says what it did."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.collected import facts_of, facts_of_file

from podwire.collect.layout import slot_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
WORDS = """metadata name namespace annotations spec containers items kind status resources limits
    template data apiVersion podwire.io/document"""
KEYS = st.sampled_from(WORDS.split()) | st.text(max_size=5)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
KINDS = st.sampled_from(["Pod", "Node", "Job", "List", "PodList", "Wiring", "ConfigMap", "Secret"])


@settings(max_examples=150, deadline=None)
@given(kind=KINDS, tree=st.dictionaries(KEYS, TREES, max_size=6))
def test_any_json_object_of_a_known_kind_is_read_or_reported(
    kind: str, tree: dict[str, object]
) -> None:
    item = {**tree, "kind": kind}
    text, listed = json.dumps(item), json.dumps({"kind": "List", "items": [item]})
    for facts in (
        facts_of_file(text),
        facts_of({"cluster/pods.json": text}),
        facts_of({"cluster/pods.json": listed}),
    ):
        is_known = facts.looked_at.documents > 0
        assert is_known or facts.faults or facts.unread


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    for name in ("a.yaml", "a.json", "cluster/pods.json", "nodes/a/sysfs.txt", "bundle.json"):
        facts_of({name: data})
    facts_of({f"nodes/a/{n}": data for n in ("kubelet-config.yaml", "podresources-list.json")})


@settings(max_examples=100, deadline=None)
@given(path=st.text(alphabet="ab./-0", max_size=20))
def test_any_path_has_an_area(path: str) -> None:
    slot_of(path)
