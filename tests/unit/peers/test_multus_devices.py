"""Which device goes to which attachment."""

import pytest

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.peers.multus import Handed, Lacking, devices_for

IB = ResourceName.parse("example.com/ib_vf")
ETH = ResourceName.parse("example.com/eth_vf")
UNSORTED = ("0000:38:00.2", "0000:18:00.2")
NOT_READ: Answer[Version] = Unknown("the version of multus was not read")


def version(text: str) -> Answer[Version]:
    return Known(value=Version.parse(text))


def test_an_index_for_each_resource_advances_with_each_attachment() -> None:
    found = devices_for([IB, ETH, None, IB], given={IB: ("a", "b"), ETH: ("c",)}, version=NOT_READ)
    assert found == (
        Handed(resource=IB, ordinal=0, device=Known(value="a")),
        Handed(resource=ETH, ordinal=0, device=Known(value="c")),
        None,
        Handed(resource=IB, ordinal=1, device=Known(value="b")),
    )


def test_a_used_up_resource_hands_out_nothing_more() -> None:
    assert devices_for([IB, IB], given={IB: ("a",)}, version=NOT_READ)[1] == Lacking(
        resource=IB, ordinal=1, held=1
    )


def test_a_resource_that_the_pod_does_not_hold_hands_out_nothing() -> None:
    assert devices_for([IB], given={ETH: 1}, version=NOT_READ) == (
        Lacking(resource=IB, ordinal=0, held=0),
    )


def test_counts_tell_the_ordinal_but_not_the_device() -> None:
    (found,) = devices_for([IB], given={IB: 2}, version=version("v4.3.0"))
    assert isinstance(found, Handed)
    assert isinstance(found.device, Unknown)


@pytest.mark.parametrize(
    ("text", "want"),
    [("v4.2.2", "0000:38:00.2"), ("v4.0.2", "0000:38:00.2"), ("v4.3.0", "0000:18:00.2")],
)
def test_devices_are_sorted_since_4_3(text: str, want: str) -> None:
    (found,) = devices_for([IB], given={IB: UNSORTED}, version=version(text))
    assert isinstance(found, Handed)
    assert isinstance(found.device, Known)
    assert found.device.value == want


@pytest.mark.parametrize("unknown", [NOT_READ, version("v4.4.0"), version("v3.9.3")])
def test_without_a_known_version_only_the_order_is_undecided(unknown: Answer[Version]) -> None:
    (found,) = devices_for([IB], given={IB: UNSORTED}, version=unknown)
    assert isinstance(found, Handed)
    assert isinstance(found.device, Unknown)
