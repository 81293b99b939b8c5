"""Which resource a name that nothing makes was meant to be."""

import pytest
from tests.pictures import picture
from tests.wire_manifests import nad, pod, pool

from podwire.model.names import Ref, ResourceName
from podwire.wire.networks.meant import candidates, meant_by_network
from podwire.wire.networks.nads import pods_on
from podwire.wire.picture import Picture

RAILS = pool("ib_rail1", "ib_rail2", "ib_rail3", prefix="nvidia.com")
REQUESTS = {f"nvidia.com/ib_rail{i}": 1 for i in (1, 2, 3)}


def names(*resources: str) -> tuple[ResourceName, ...]:
    return tuple(map(ResourceName.parse, resources))


def candidates_of(name: str, made: Picture) -> tuple[str, ...]:
    network = made.facts.networks.by_name["train", name]
    return tuple(map(str, candidates(network, pods_on(network, made), made)))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nvidia.com/ib-rail3", "nvidia.com/ib_rail3"),
        ("mellanox.com/ib_rail2", "nvidia.com/ib_rail2"),
        ("mellanox.com/IB-rail2", "nvidia.com/ib_rail2"),
        ("nvidia.com/ib_rial1", "nvidia.com/ib_rail1"),
        ("nvidia.com/ib_rail", None),  # as near to each of the three
        ("nvidia.com/ib_rail4", None),  # another number is another rail
        ("nvidia.com/storage", None),
        ("mellanox.com/ib_rial1", None),
    ],
)
def test_the_nearest_name_is_meant_unless_two_are_as_near(written: str, meant: str | None) -> None:
    found = picture(RAILS).made_names.meant(ResourceName.parse(written))
    assert found == (None if meant is None else ResourceName.parse(meant))


def test_one_name_in_two_domains_is_meant_in_its_own_or_nowhere() -> None:
    made = picture(pool("ib_vf", prefix="a.example") + _second("b.example"))
    (own,) = names("a.example/ib_vf")
    assert made.made_names.meant(ResourceName.parse("c.example/ib_vf")) is None
    assert made.made_names.meant(ResourceName.parse("a.example/ib-vf")) == own


def test_a_name_beside_hundreds_is_not_guessed() -> None:
    letters = "abcdefghijklmnopqrst"
    pools = pool(*(f"ib_{one}{two}" for one in letters for two in letters), prefix="x.example")
    assert picture(pools).made_names.meant(ResourceName.parse("x.example/ib_aaz")) is None


def _second(prefix: str) -> str:
    return pool("ib_vf", prefix=prefix).replace('"sriovdp"', '"other"')


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("nvidia.com/ib_rail2", "k8s.v1.cni.cncf.io/resourcename"),
        ("mellanox.com/ib_rail2", ""),
        ("ib_rail2", ""),
    ],
)
def test_a_network_means_what_it_says_under_any_key(written: str, key: str) -> None:
    made = picture(RAILS + nad("rail2", written, key=key))
    (network,) = made.facts.networks.items
    assert meant_by_network(network, made) == ResourceName.parse("nvidia.com/ib_rail2")


def test_a_network_that_says_nothing_means_nothing_known() -> None:
    made = picture(RAILS + nad("rail2", None))
    assert meant_by_network(made.facts.networks.items[0], made) is None


def test_what_another_network_of_the_pod_means_is_no_candidate() -> None:
    manifests = [
        nad("rail1", "nvidia.com/ib_rail1"),
        nad("rail2", "nvidia.com/ib-rail2"),
        nad("rail3", None),
        pod(networks="rail1, rail2, rail3", limits=REQUESTS),
    ]
    made = picture(RAILS + "".join(manifests))
    assert candidates_of("rail2", made) == ("nvidia.com/ib_rail2",)
    assert candidates_of("rail3", made) == ("nvidia.com/ib_rail3",)


def test_two_networks_that_say_nothing_leave_two_candidates() -> None:
    manifests = [
        nad("rail1", "nvidia.com/ib_rail1"),
        nad("rail2", None),
        nad("rail3", None),
        pod(networks="rail1, rail2, rail3", limits=REQUESTS),
    ]
    made = picture(RAILS + "".join(manifests))
    both = ("nvidia.com/ib_rail2", "nvidia.com/ib_rail3")
    assert candidates_of("rail2", made) == candidates_of("rail3", made) == both


def test_what_a_network_says_comes_before_what_its_pods_request() -> None:
    made = picture(
        RAILS
        + nad("net", "nvidia.com/ib-rail1")
        + pod(networks="net", limits={"nvidia.com/ib_rail3": 1})
    )
    assert candidates_of("net", made) == ("nvidia.com/ib_rail1", "nvidia.com/ib_rail3")
    assert made.find(Ref(kind="Pod", name="w", namespace="train")) is not None
