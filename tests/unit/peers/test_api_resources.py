"""What the API server refuses about a container's resources."""

import pytest

from podwire.facts.objects import Quantity, Resources
from podwire.peers import api_resources
from podwire.peers.api_resources import RefusalKind

VF = "example.com/ib_vf"


def refused(
    limits: dict[str, Quantity] | None = None, requests: dict[str, Quantity] | None = None
) -> list[tuple[str, str]]:
    resources = Resources(limits=limits or {}, requests=requests or {})
    return [(found.field, found.says) for found in api_resources.refusals(resources)]


@pytest.mark.parametrize(
    "limits",
    [
        {VF: 1},
        {VF: "2"},
        {"cpu": "500m", "memory": "1Gi"},
        {"hugepages-2Mi": "1Gi"},
        {"kubernetes.io/batch": 1},
    ],
)
def test_what_kubernetes_takes_is_not_refused(limits: dict[str, Quantity]) -> None:
    assert refused(limits) == []


def test_an_equal_request_is_taken_however_it_is_written() -> None:
    assert refused({VF: "2"}, {VF: 2}) == []


def test_a_name_without_domain_is_refused_in_the_servers_words() -> None:
    says = "must be a standard resource type or fully qualified"
    assert refused({"ibvf": 1}) == [("limits", says)]


def test_a_request_needs_a_limit() -> None:
    says = "Limit must be set for non overcommitable resources"
    assert refused(requests={VF: 1}) == [("requests", says)]


def test_a_request_cannot_differ_from_its_limit() -> None:
    assert refused({VF: 2}, {VF: 1}) == [("requests", f"must be equal to {VF} limit of 2")]


@pytest.mark.parametrize(
    ("quantity", "says"),
    [
        ("1500m", "must be an integer"),
        (-1, "must be greater than or equal to 0"),
        ("two", "quantities must match the ..."),
    ],
)
def test_a_count_is_a_whole_number(quantity: Quantity, says: str) -> None:
    assert refused({VF: quantity}) == [("limits", says)]


@pytest.mark.parametrize("name", ["Example.com/ib_vf", "example.com/", "example.com/ib vf"])
def test_a_name_that_is_no_qualified_one_is_refused(name: str) -> None:
    assert refused({name: 1}) == [("limits", f'Invalid value: "{name}"')]


@pytest.mark.parametrize(
    ("limits", "requests", "kind"),
    [
        ({"ibvf": 1}, {}, RefusalKind.NO_DOMAIN),
        ({"example.com/": 1}, {}, RefusalKind.BAD_NAME),
        ({VF: "1.5"}, {}, RefusalKind.BAD_QUANTITY),
        ({}, {VF: 1}, RefusalKind.NO_LIMIT),
        ({VF: 2}, {VF: 1}, RefusalKind.UNEQUAL),
    ],
)
def test_each_refusal_has_its_kind(
    limits: dict[str, Quantity], requests: dict[str, Quantity], kind: RefusalKind
) -> None:
    found = api_resources.refusals(Resources(limits=limits, requests=requests))
    assert [refusal.kind for refusal in found] == [kind]
