"""What the firmware has to be set to: said with the parameters that the card has."""

import pytest

from podwire.facts.link_layer import INFINIBAND
from podwire.model.addresses import PciAddress
from podwire.peers.mstconfig import Settings, read_settings
from podwire.plan.firmware import notes, refusals
from podwire.plan.machine import Pf
from podwire.plan.wish import Wish
from podwire.spec.wiring import FabricWish, FirmwareWish

PF = Pf(address=PciAddress.parse("0000:18:00.0"), link_layer=INFINIBAND, total=0)
HEAD = """\
Device:         0000:18:00.0

Configurations:                              Default         Current         Next Boot
"""


def settings(*lines: str) -> Settings:
    (found,) = read_settings(HEAD + "".join(f"        {line}\n" for line in lines))
    return found


FRESH = settings(
    "NUM_OF_VFS   0   0   0",
    "SRIOV_EN   False(0)   False(0)   False(0)",
    "LINK_TYPE_P1   IB(1)   IB(1)   IB(1)",
)
PENDING = settings(
    "NUM_OF_VFS   0   0   16",
    "SRIOV_EN   False(0)   False(0)   True(1)",
    "LINK_TYPE_P1   IB(1)   IB(1)   IB(1)",
)


def wish(*, link_type: str = "", vfs: int | None = None) -> Wish:
    return Wish(fabric=FabricWish(firmware=FirmwareWish(link_type=link_type, vfs=vfs)))


def test_a_firmware_without_vfs_is_to_be_set_and_started_anew() -> None:
    (said,) = refusals(PF, 8, wish(), FRESH)
    assert "mstconfig -d 0000:18:00.0 -y set SRIOV_EN=1 NUM_OF_VFS=8, then restart" in said


def test_more_vfs_than_a_port_can_have_are_no_matter_of_its_settings() -> None:
    pf = Pf(address=PF.address, vendor="15b3", link_layer=INFINIBAND, total=16)
    (said,) = refusals(pf, 1000, wish(), None)
    assert said == "1000 VFs are wanted, and a port of this vendor has at most 127"


def test_what_the_next_boot_brings_is_not_set_again() -> None:
    (said,) = refusals(PF, 8, wish(), PENDING)
    assert said.endswith(
        "the settings are made already: restart the machine "
        "(a cold start where the card shares its slot)"
    )


def test_a_firmware_that_was_not_asked_gets_the_whole_command() -> None:
    (said,) = refusals(PF, 8, wish(), None)
    assert "set SRIOV_EN=1 NUM_OF_VFS=8" in said


@pytest.mark.parametrize(("count", "total", "there"), [(0, 0, 0), (8, 8, 0), (8, 4, 8)])
def test_a_count_that_needs_nothing_of_the_firmware_is_not_refused(
    count: int, total: int, there: int
) -> None:
    pf = Pf(address=PF.address, link_layer=INFINIBAND, total=total, count=there)
    assert not [*refusals(pf, count, wish(), None)]


def test_another_link_type_is_refused_with_both_and_with_the_cards_own_port() -> None:
    pf = Pf(address=PF.address, link_layer="Ethernet", total=8)
    ethernet = settings("LINK_TYPE_P1   ETH(2)   ETH(2)   ETH(2)")
    (said,) = refusals(pf, 8, wish(link_type="InfiniBand"), ethernet)
    assert said.startswith("it is Ethernet, and InfiniBand is wanted")
    assert "set LINK_TYPE_P1=1," in said


def test_the_second_function_of_a_dual_port_card_has_the_second_port() -> None:
    pf = Pf(address=PciAddress.parse("0000:18:00.1"), link_layer="Ethernet", total=8)
    both = settings("LINK_TYPE_P1   IB(1)   IB(1)   IB(1)", "LINK_TYPE_P2   ETH(2)  ETH(2)  ETH(2)")
    (said,) = refusals(pf, 8, wish(link_type="ib"), both)
    assert "set LINK_TYPE_P2=1," in said


def test_a_card_whose_link_type_is_fixed_is_said_to_be_so() -> None:
    fixed = settings("NUM_OF_VFS   8   8   8", "SRIOV_EN   True(1)   True(1)   True(1)")
    pf = Pf(address=PF.address, link_layer=INFINIBAND, total=8)
    assert [*notes(pf, 8, wish(link_type="InfiniBand"), fixed)] == [
        "firmware: this card has no LINK_TYPE_P1; what it stands for cannot be changed"
    ]


def test_more_vfs_for_the_next_boot_are_a_note_while_those_of_now_fit() -> None:
    now = settings("NUM_OF_VFS   8   8   8", "SRIOV_EN   True(1)   True(1)   True(1)")
    pf = Pf(address=PF.address, link_layer=INFINIBAND, total=8)
    (said,) = notes(pf, 8, wish(vfs=16), now)
    assert "set NUM_OF_VFS=16," in said


def test_a_firmware_as_it_is_wanted_gives_no_word() -> None:
    now = settings("NUM_OF_VFS   16   16   16", "SRIOV_EN   True(1)   True(1)   True(1)")
    pf = Pf(address=PF.address, link_layer=INFINIBAND, total=16)
    assert not [*notes(pf, 8, wish(vfs=8), now)]


def test_a_card_of_another_vendor_is_not_sent_to_mstconfig() -> None:
    pf = Pf(address=PF.address, vendor="8086", link_layer="Ethernet", total=7)
    (said,) = refusals(pf, 9, wish(), None)
    assert said.startswith("9 VFs are wanted and its firmware allows 7; ")
    assert "mstconfig" not in said
