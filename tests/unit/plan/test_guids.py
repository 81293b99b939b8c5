"""GUIDs: derived ones never collide, files are held to the operator's rules."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.guids import MARKS, MOST_VFS, GuidError, GuidFile, derived, pool

PF = Guid.parse("a088:c203:00ab:cdee")
MIDDLE = st.sampled_from(sorted(MARKS))
OCTETS = st.binary(min_size=6, max_size=6)
VFS = st.integers(0, MOST_VFS - 1)


def pf_guid(octets: bytes, middle: int) -> Guid:
    whole = octets[:3] + middle.to_bytes(2, "big") + octets[3:]
    return Guid(number=int.from_bytes(whole, "big"))


def read_back(guid: Guid) -> tuple[Guid, int]:
    """Take the formula back: that it can be done is the proof that nothing collides."""
    octets = guid.number.to_bytes(8, "big")
    middle = {mark: filler for filler, mark in MARKS.items()}[octets[0]]
    return pf_guid(octets[1:4] + octets[5:], middle), octets[4]


@given(OCTETS, MIDDLE, VFS)
def test_pf_and_number_can_be_read_out_of_a_derived_guid(
    octets: bytes, middle: int, vf: int
) -> None:
    pf = pf_guid(octets, middle)
    if pf.is_set:
        assert read_back(derived(pf, vf=vf)) == (pf, vf)


@given(OCTETS, MIDDLE, VFS)
def test_a_derived_guid_is_local_and_nobody_elses(octets: bytes, middle: int, vf: int) -> None:
    pf = pf_guid(octets, middle)
    if pf.is_set:
        made = derived(pf, vf=vf)
        first = made.number >> 56
        assert made.is_set
        assert first & 0x0F == 0x02  # local, one port, IEEE 802c's administrators
        assert first != 0x02  # ib-kubernetes' default pool


def test_a_hundred_thousand_pfs_with_all_their_vfs_have_no_guid_twice() -> None:
    vendors = (0xA088C2, 0xB83FD2, 0x88E9A4, 0x0002C9)
    each = [
        Guid(number=vendor << 40 | middle << 24 | low)
        for vendor in vendors
        for middle in MARKS
        for low in range(8400)
    ]
    assert len(each) > 100_000
    for vf in (0, 1, MOST_VFS - 1):
        made = {derived(pf, vf=vf).number for pf in each}
        assert len(made) == len(each)
        # The number has an octet of its own: the sets of two VF numbers have nothing in common.
        assert {number >> 24 & 0xFF for number in made} == {vf}


def test_neighbours_on_a_dual_port_card_stay_apart() -> None:
    second = Guid(number=PF.number + 1)
    made = [derived(pf, vf=vf).octets for pf in (PF, second) for vf in (0, 1)]
    assert made == [
        "e2:a0:88:c2:00:ab:cd:ee",
        "e2:a0:88:c2:01:ab:cd:ee",
        "e2:a0:88:c2:00:ab:cd:ef",
        "e2:a0:88:c2:01:ab:cd:ef",
    ]


def test_a_pf_guid_of_unknown_form_is_refused_with_both_values() -> None:
    with pytest.raises(GuidError, match=r"0008:f104:0396:1ffc has 0403 .* 0300, ffff, fffe"):
        derived(Guid.parse("0008:f104:0396:1ffc"), vf=0)


@pytest.mark.parametrize("number", [0, (1 << 64) - 1])
def test_a_pf_without_guid_gives_none(number: int) -> None:
    with pytest.raises(GuidError, match="nobody has given it one"):
        derived(Guid(number=number), vf=0)


def test_a_vf_number_that_has_no_room_is_refused() -> None:
    with pytest.raises(GuidError, match="VF 127"):
        derived(PF, vf=127)


def file_of(*entries: object) -> GuidFile:
    return GuidFile.parse(json.dumps(entries).encode(), name="guids.json")


def test_the_operators_file_gives_the_nth_vf_the_nth_guid() -> None:
    file = file_of(
        {
            "pciAddress": "0000:18:00.0",
            "guids": ["e2:00:00:00:00:00:00:01", "e2:00:00:00:00:00:00:02"],
        }
    )
    found = file.of(PciAddress.parse("0000:18:00.0"), guid=None)
    assert [guid.octets[-2:] for guid in found] == ["01", "02"]


def test_the_operators_file_finds_a_pf_by_its_guid_and_takes_ranges() -> None:
    file = file_of(
        {
            "pfGuid": "a0:88:c2:03:00:ab:cd:ee",
            "rangeStart": "e2:00:00:00:00:00:00:10",
            "rangeEnd": "e2:00:00:00:00:00:00:1f",
        }
    )
    found = file.of(PciAddress.parse("0000:40:00.0"), guid=PF)
    assert (len(found), found[15].octets[-2:]) == (16, "1f")


def test_a_pf_is_found_by_its_hardware_address_as_the_operator_compares_it() -> None:
    address = f"00:00:10:49:fe:80:00:00:00:00:00:00:{PF.octets}"
    file = file_of({"pfGuid": address, "guids": ["e2:00:00:00:00:00:00:01"]})
    assert len(file.of(PciAddress.parse("0000:40:00.0"), guid=PF)) == 1


def test_a_range_as_wide_as_64_bits_has_room_for_every_vf() -> None:
    file = file_of(
        {
            "pciAddress": "0000:18:00.0",
            "rangeStart": "00:00:00:00:00:00:00:01",
            "rangeEnd": "fe:00:00:00:00:00:00:01",
        }
    )
    found = file.of(PciAddress.parse("0000:18:00.0"), guid=None)
    assert (len(found) > 127, found[126].octets) == (True, "00:00:00:00:00:00:00:7f")


def test_a_pf_that_the_file_does_not_name_gets_nothing() -> None:
    file = file_of({"pciAddress": "0000:18:00.0", "guids": ["e2:00:00:00:00:00:00:01"]})
    assert not file.of(PciAddress.parse("0000:40:00.0"), guid=PF)


GOOD = "e2:00:00:00:00:00:00:01"
SLOT = "0000:18:00.0"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"guids": [GOOD]}, "exactly one of pciAddress and pfGuid"),
        ({"pciAddress": SLOT, "pfGuid": GOOD, "guids": [GOOD]}, "exactly one of pciAddress"),
        ({"pciAddress": SLOT}, "exactly one of guids, and rangeStart"),
        ({"pciAddress": SLOT, "guids": [GOOD], "rangeStart": GOOD}, "exactly one of guids"),
        ({"pciAddress": SLOT, "guids": ["00:11:22:33:44:00:1:0"]}, "is no GUID like"),
        ({"pciAddress": SLOT, "guids": ["00:00:00:00:00:00:00:00"]}, "is no GUID like"),
        ({"pciAddress": SLOT, "rangeStart": GOOD}, "is no GUID like"),
        ({"pciAddress": SLOT, "rangeStart": GOOD, "rangeEnd": GOOD}, "has to be more than"),
        ({"pciAddress": "18:00.0", "guids": [GOOD]}, "'18:00.0' is no PCI address"),
        ({"pfGuid": "ib0", "guids": [GOOD]}, "pfGuid 'ib0' is no GUID"),
        ({"pci_address": "a", "guids": [GOOD]}, "pci_address"),
    ],
)
def test_a_file_that_the_operator_would_refuse_is_refused_with_its_entry(
    entry: object, words: str
) -> None:
    with pytest.raises(GuidError, match=words):
        file_of(entry)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("", GOOD, "from is ''"),
        (GOOD, "x", "to is 'x'"),
        (GOOD, "e1:00:00:00:00:00:00:01", "after"),
    ],
)
def test_a_pool_needs_two_guids_in_order(first: str, last: str, words: str) -> None:
    with pytest.raises(GuidError, match=words):
        pool(first, last)


def test_a_pool_as_big_as_the_local_space_is_never_written_out() -> None:
    whole = pool("02:00:00:00:00:00:00:00", "02:ff:ff:ff:ff:ff:ff:ff")
    assert len(whole) == 1 << 56
    assert whole[1].octets == "02:00:00:00:00:00:00:01"
