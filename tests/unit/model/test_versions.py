"""Versions and the tables of what changed with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.evidence import Known, Unknown
from podwire.model.versions import Table, Version, by_version

HYPHEN = Table(
    component="plugin", newest="v3.11.0", rows=(("v3.0.0", "refused"), ("v3.6.0", "accepted"))
)


def known(text: str) -> Known[Version]:
    return Known(value=Version.parse(text))


@pytest.mark.parametrize(
    ("text", "numbers", "settled"),
    [
        ("v3.6.0", (3, 6, 0), True),
        ("3.6", (3, 6, 0), True),
        ("1.32.4-eks-1", (1, 32, 4), True),
        ("v26.7.0-rc.1", (26, 7, 0), False),
        ("v3.11.0+28", (3, 11, 0), True),
        ("v4.2.2-thick", (4, 2, 2), True),
    ],
)
def test_a_version_is_read(text: str, numbers: tuple[int, int, int], *, settled: bool) -> None:
    version = Version.parse(text)
    assert (version.numbers, version.settled) == (numbers, settled)
    assert str(version) == text


@pytest.mark.parametrize("text", ["latest", "", "sha256:abc", "main-3", "v3"])
def test_what_is_no_version_is_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is no version"):
        Version.parse(text)


def test_a_release_candidate_comes_before_its_release() -> None:
    assert not Version.parse("v3.6.0-rc.1").is_at_least("v3.6.0")
    assert Version.parse("v3.6.1-rc.1").is_at_least("v3.6.0")


@given(st.tuples(*[st.integers(0, 30)] * 3), st.tuples(*[st.integers(0, 30)] * 3))
def test_versions_compare_as_their_numbers(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    version = Version.parse(".".join(map(str, one)))
    assert version.is_at_least(".".join(map(str, other))) == (one >= other)


def test_a_behaviour_is_looked_up_by_version() -> None:
    assert by_version(known("v3.5.1"), HYPHEN) == Known(value="refused")
    assert by_version(known("v3.9.0"), HYPHEN) == Known(value="accepted")


def test_a_version_newer_than_any_read_is_undecided_and_both_are_named() -> None:
    answer = by_version(known("v3.12.0"), HYPHEN)
    assert isinstance(answer, Unknown)
    assert "v3.12.0" in answer.reason
    assert "v3.11.0" in answer.reason


def test_a_version_older_than_the_table_is_undecided() -> None:
    assert isinstance(by_version(known("v2.9.0"), HYPHEN), Unknown)


def test_no_version_is_asked_for_where_all_agree() -> None:
    table = Table(component="plugin", newest="v3.11.0", rows=(("v3.0.0", 1), ("v3.6.0", 1)))
    assert by_version(Unknown(reason="no tag"), table) == Known(value=1)


def test_an_unknown_version_keeps_its_reason() -> None:
    assert by_version(Unknown(reason="no tag"), HYPHEN) == Unknown(reason="no tag")
