"""GUIDs in all their spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.guids import Guid


@pytest.mark.parametrize(
    "text", ["a088:c203:0021:1000", "0xa088c20300211000", "a0:88:c2:03:00:21:10:00"]
)
def test_the_three_spellings_are_one_guid(text: str) -> None:
    assert Guid.parse(text) == Guid(number=0xA088C20300211000)


@pytest.mark.parametrize("text", ["", "a088", "00:11:22:33:44:00:1:0", "0x", "xyzw:0000:0000:0000"])
def test_what_is_no_guid_is_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is no GUID") as raised:
        Guid.parse(text)
    assert repr(text) in str(raised.value)
    assert Guid.maybe(text) is None


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_both_written_forms_read_back(number: int) -> None:
    guid = Guid(number=number)
    assert Guid.parse(str(guid)) == Guid.parse(guid.octets) == guid


def test_a_hardware_address_ends_with_the_port_guid() -> None:
    address = "00:00:10:49:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:21:10:00"
    assert Guid.of_hardware_address(address) == Guid.parse("a088:c203:0021:1000")
    assert Guid.of_hardware_address("02:42:ac:11:00:02") is None


def test_a_gid_ends_with_the_port_guid() -> None:
    gid = "fe80:0000:0000:0000:a088:c203:0021:1000"
    assert Guid.of_gid(gid) == Guid.parse("a088:c203:0021:1000")
    assert Guid.of_gid("fe80::1") is None


@pytest.mark.parametrize("number", [0, 2**64 - 1])
def test_zeros_and_ones_mean_that_none_was_given(number: int) -> None:
    assert not Guid(number=number).is_set
