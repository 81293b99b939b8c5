"""Counts of extended resources."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.peers.k8s_quantity import count


@pytest.mark.parametrize(
    ("quantity", "want"),
    [
        ("2", 2),
        (7, 7),
        (8.0, 8),
        (1e3, 1000),
        ("1k", 1000),
        ("1Ki", 1024),
        ("1.5Ki", 1536),
        ("2000m", 2),
        ("0", 0),
        ("+3", 3),
        ("2.0", 2),
        ("2.", 2),
        ("1e3", 1000),
        ("1E3", 1000),
        ("20e-1", 2),
        ("1E", 10**18),
        ("9E", 9 * 10**18),
        ("9e999999", 2**63 - 1),
        ("0e-999999", 0),
    ],
)
def test_whole_quantities_are_counted(quantity: str | float, want: int) -> None:
    assert count(quantity) == want


@pytest.mark.parametrize(
    ("quantity", "says"),
    [
        ("500m", "'500m' is not whole"),
        (1.5, "'1.5' is not whole"),
        ("1e-999999", "is not whole"),
        ("-1", "'-1' is negative"),
        ("", "'' is no Kubernetes quantity"),
        ("two", "'two' is no Kubernetes quantity"),
        ("1 k", "is no Kubernetes quantity"),
        ("1K", "is no Kubernetes quantity"),
        ("1ki", "is no Kubernetes quantity"),
        ("\uff11", "is no Kubernetes quantity"),
        (".", "is no Kubernetes quantity"),
        (float("nan"), "'nan' is no Kubernetes quantity"),
        (float("inf"), "'inf' is no Kubernetes quantity"),
    ],
)
def test_anything_else_is_refused_and_quoted(quantity: str | float, says: str) -> None:
    with pytest.raises(ValueError, match="is ") as caught:
        count(quantity)
    assert says in str(caught.value)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_a_written_number_counts_itself(number: int) -> None:
    assert count(str(number)) == count(number) == count(f"{number}000m") == number


@given(st.text())
def test_no_text_raises_anything_but_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert count(text) >= 0
