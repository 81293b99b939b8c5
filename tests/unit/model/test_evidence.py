"""The algebra of Known and Unknown."""

from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.evidence import (
    Answer,
    Document,
    Known,
    Missing,
    Origin,
    Place,
    Unknown,
    all_of,
    any_of,
    derived,
    dotted,
    first_known,
)

Bool: TypeAlias = Answer[bool]

unknowns = st.builds(Unknown, reason=st.sampled_from("abc"), give=st.sampled_from(["", "x", "y"]))
knowns = st.builds(
    Known[bool],
    value=st.booleans(),
    assumes=st.lists(st.sampled_from(["p", "q"]), max_size=2, unique=True).map(tuple),
)
answers: st.SearchStrategy[list[Bool]] = st.lists(st.one_of(unknowns, knowns), max_size=6)


def flipped(answer: Bool) -> Bool:
    return derived(answer, lambda value: not value)


@given(answers)
def test_one_known_true_decides_any_of(given_answers: list[Bool]) -> None:
    result = any_of(given_answers)
    if any(isinstance(a, Known) and a.value for a in given_answers):
        assert isinstance(result, Known)
        assert result.value


@given(answers)
def test_an_unknown_is_never_taken_for_false(given_answers: list[Bool]) -> None:
    result = any_of(given_answers)
    if isinstance(result, Known) and not result.value:
        assert not any(isinstance(a, Unknown) for a in given_answers)


@given(answers)
def test_all_of_is_the_dual_of_any_of(given_answers: list[Bool]) -> None:
    direct = all_of(given_answers)
    dual = flipped(any_of([flipped(a) for a in given_answers]))
    assert direct == dual


@given(answers, st.randoms())
def test_the_order_of_answers_does_not_change_the_verdict(
    given_answers: list[Bool],
    random: object,
) -> None:
    shuffled = list(given_answers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis' Random
    first, second = any_of(given_answers), any_of(shuffled)
    assert type(first) is type(second)
    if isinstance(first, Known) and isinstance(second, Known):
        assert first.value == second.value


@given(st.lists(unknowns, max_size=3))
def test_joining_a_few_unknowns_keeps_every_reason(given_answers: list[Unknown]) -> None:
    result = any_of(given_answers)
    reasons = result.reason.split("; ") if isinstance(result, Unknown) else []
    assert {answer.reason for answer in given_answers} == set(reasons)


@given(answers)
def test_a_known_no_repeats_all_assumptions_it_rests_on(given_answers: list[Bool]) -> None:
    result = any_of(given_answers)
    if isinstance(result, Known) and not result.value:
        for answer in given_answers:
            assert isinstance(answer, Known)
            assert set(answer.assumes) <= set(result.assumes)


def test_the_deciding_answer_that_assumes_least_is_taken() -> None:
    assumed, read = Known(value=True, assumes=("p",)), Known(value=True)
    assert any_of([assumed, read]) == read
    assert any_of([assumed, Unknown(reason="a")]) == assumed


def test_nothing_to_ask_is_false_for_any_and_true_for_all() -> None:
    assert any_of([]) == Known(value=False)
    assert all_of([]) == Known(value=True)


def test_first_known_skips_what_nobody_could_read() -> None:
    assert first_known(Unknown(reason="a"), Known(value=1), Known(value=2)) == Known(value=1)


def test_first_known_without_any_gives_every_reason() -> None:
    both: Answer[int] = first_known(Unknown(reason="a", give="x"), Unknown(reason="b"))
    assert both == Unknown(reason="a; b", give="x", fact="a; b")


def test_many_reasons_are_three_and_a_count() -> None:
    many = any_of(Unknown(reason=f"node {n}", fact="capacity") for n in range(5000))
    assert many == Unknown(reason="node 0; node 1; node 2; and 4997 more", give="", fact="capacity")


def test_needing_an_unknown_raises_what_is_missing() -> None:
    unknown = Unknown(reason="NADs were not listed", give="kubectl get net-attach-def")
    with pytest.raises(Missing) as raised:
        unknown.need()
    assert raised.value.unknown == unknown


def test_needing_a_known_gives_it_back() -> None:
    known = Known(value=3)
    assert known.need() is known


def test_what_is_derived_rests_on_the_same_places_and_assumptions() -> None:
    place = Place(document=Document(name="a.yaml"))
    known = Known(value=3, places=(place,), assumes=("p",))
    assert derived(known, str) == Known(value="3", places=(place,), assumes=("p",))


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (("spec", "containers", 0, "name"), ".spec.containers[0].name"),
        (("metadata", "annotations", "a.b/c"), '.metadata.annotations["a.b/c"]'),
        ((), ""),
        ((0, "name"), "[0].name"),
    ],
)
def test_a_path_is_written_as_jsonpath(path: tuple[str | int, ...], written: str) -> None:
    assert dotted(path) == written


def test_a_place_in_a_node_file_is_its_path_on_the_machine() -> None:
    document = Document(name="nodes/gpu-a/sysfs.txt", origin=Origin.NODE, owner="gpu-a")
    assert str(Place(document=document, path=("sys/x/vendor",))) == "Node gpu-a /sys/x/vendor"


def test_a_place_in_a_file_of_a_node_names_the_file() -> None:
    document = Document(name="nodes/gpu-a/kubelet-config.yaml", origin=Origin.NODE, owner="gpu-a")
    place = Place(document=document, path=("topologyManagerPolicy",))
    assert str(place) == "Node gpu-a kubelet-config.yaml .topologyManagerPolicy"


def test_a_place_in_an_object_begins_with_the_object() -> None:
    place = Place(
        document=Document(name="cluster/configmaps.json"),
        object="ConfigMap kube-system/c",
        base=("items", 0),
        path=("data", "config.json"),
        inner=("resourceList", 0),
    )
    assert str(place) == 'ConfigMap kube-system/c .data["config.json"] .resourceList[0]'
    assert place.steps == ("items", 0, "data", "config.json")
