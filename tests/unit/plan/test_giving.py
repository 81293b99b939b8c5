"""The map of given GUIDs: kept over boots and cards, refused on a cloned machine."""

import pytest

from podwire.facts.link_layer import INFINIBAND
from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.giving import Books, Given, give
from podwire.plan.guid_map import GuidMap, MapError, Slot, parse, written
from podwire.plan.guids import GuidFile
from podwire.plan.machine import Identity, Machine, Pf
from podwire.plan.wish import Wish
from podwire.spec.wiring import FabricWish, GuidRange, GuidWish

A, B = PciAddress.parse("0000:18:00.0"), PciAddress.parse("0000:40:00.0")
GUID_A, GUID_B = Guid.parse("a088:c203:00ab:cd00"), Guid.parse("a088:c203:00ee:1100")
OTHER = Guid.parse("b83f:d203:0011:2200")
NONE = Books()
HERE = Identity(id="m1", product="p1")


def machine(a: Guid = GUID_A, b: Guid = GUID_B, *, identity: Identity = HERE) -> Machine:
    pfs = tuple(
        Pf(address=address, link_layer=INFINIBAND, guid=guid) for address, guid in ((A, a), (B, b))
    )
    return Machine(name="m", identity=identity, pfs=pfs)


def given(on: Machine, *, books: Books = NONE, count: int = 2, **more: object) -> Given:
    fabric = FabricWish(**more)  # type: ignore[arg-type]  # fields of FabricWish
    return give(on.pfs, Wish(count=count, fabric=fabric), on, books=books)


def first_map(**more: object) -> GuidMap:
    made = given(machine(), **more).map  # type: ignore[arg-type]  # as above
    assert made is not None
    return made


def test_derived_guids_are_written_into_the_map_with_their_pf() -> None:
    slot = first_map().slots[str(A)]
    assert slot.pf == "a088:c203:00ab:cd00"
    assert slot.guids == ("e2:a0:88:c2:00:ab:cd:00", "e2:a0:88:c2:01:ab:cd:00")


def test_a_map_that_says_all_of_it_already_is_not_written_again() -> None:
    assert given(machine(), books=Books(own=first_map())).map is None


def test_fewer_vfs_do_not_forget_what_was_given() -> None:
    again = given(machine(), books=Books(own=first_map()), count=1)
    assert again.map is None
    assert len(again.guids[A]) == 1


def test_a_replaced_card_keeps_its_slots_guids_and_that_is_said() -> None:
    again = given(machine(a=OTHER), books=Books(own=first_map()))
    assert again.guids[A][0].octets == "e2:a0:88:c2:00:ab:cd:00"
    assert "a replaced card" in again.notes[0]
    assert again.map is not None
    assert again.map.slots[str(A)].pf == str(OTHER)


def test_a_cloned_image_is_refused_with_both_machines() -> None:
    clone = machine(a=OTHER, b=Guid(number=OTHER.number + 1), identity=Identity("m1", "p2"))
    (repair,) = given(clone, books=Books(own=first_map())).gate
    assert "made on machine m1 (product p1), and no PF that it names is here" in repair.text
    assert "this is machine m1 (product p2)" in repair.text


def test_a_machine_whose_product_nobody_may_read_is_not_taken_for_the_same() -> None:
    nameless = Identity("m1", "")
    books = Books(own=given(machine(identity=nameless)).map)
    other = machine(a=OTHER, b=Guid(number=OTHER.number + 1), identity=nameless)
    assert given(other, books=books).gate


def test_new_cards_in_the_same_machine_are_no_clone() -> None:
    same = machine(a=OTHER, b=Guid(number=OTHER.number + 1))
    again = given(same, books=Books(own=first_map()))
    assert not again.gate
    assert again.guids[A][0].octets == "e2:a0:88:c2:00:ab:cd:00"


def test_a_reinstalled_machine_with_its_cards_is_no_clone() -> None:
    again = machine(identity=Identity("m2", "p1"))
    found = given(again, books=Books(own=first_map()))
    assert not found.gate
    assert found.map is not None
    assert found.map.machine.id == "m2"


def test_a_guid_of_another_machines_map_is_refused_with_both_places() -> None:
    books = Books(others=(("dgx-02.json", first_map()),))
    found = given(machine(), books=books, count=1)
    text = found.gate[0].text
    assert text == (
        "GUID e2:a0:88:c2:00:ab:cd:00 is that of VF 0 of 0000:18:00.0 here "
        "and of VF 0 of 0000:18:00.0 in dgx-02.json"
    )


def test_two_pfs_with_one_guid_are_refused_with_both_places() -> None:
    texts = [repair.text for repair in given(machine(b=GUID_A)).gate]
    assert (
        "GUID e2:a0:88:c2:00:ab:cd:00 is that of VF 0 of 0000:18:00.0 and of VF 0 of 0000:40:00.0"
    ) in texts


def test_a_pool_gives_what_is_free_and_keeps_it() -> None:
    wish = GuidWish(pool=GuidRange(first="02:00:00:00:00:00:00:01", last="02:00:00:00:00:00:00:05"))
    first = given(machine(), guids=wish)
    assert [g.octets[-2:] for g in (*first.guids[A], *first.guids[B])] == ["01", "02", "03", "04"]
    again = given(machine(), books=Books(own=first.map), guids=wish, count=3)
    assert [g.octets[-2:] for g in again.guids[A]] == ["01", "02", "05"]
    assert "the pool" in again.refused[B]
    assert "has 0 left" in again.refused[B]


def test_a_file_counts_also_against_the_map() -> None:
    file = GuidFile.parse(
        b'[{"pciAddress": "0000:18:00.0", "guids": ["e2:00:00:00:00:00:00:01"]}]', name="g.json"
    )
    books = Books(own=first_map(), file=file)
    found = given(machine(), books=books, guids=GuidWish(file="g.json"), count=1)
    assert [g.octets for g in found.guids[A]] == ["e2:00:00:00:00:00:00:01"]
    assert found.refused[B] == "g.json has 0 GUIDs for 0000:40:00.0, 1 are wanted"


def test_a_pf_of_unknown_form_is_refused_alone() -> None:
    found = given(machine(b=Guid.parse("0008:f104:0396:1ffc")))
    assert [*found.refused] == [B]
    assert len(found.guids[A]) == 2


def test_a_written_map_reads_back() -> None:
    assert parse(written(first_map()), name="x") == first_map()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"version": 2}', "x has version 2; this podwire reads up to 1"),
        (b"[]", "x is no map of GUIDs"),
        (b'{"version": 1, "slots": {"a": {"pf": "", "guids": ["no"]}}}', "'no' of a is no GUID"),
    ],
)
def test_a_map_that_cannot_be_used_says_why(data: bytes, words: str) -> None:
    with pytest.raises(MapError, match=words):
        parse(data, name="x")


def test_an_empty_map_belongs_to_whoever_reads_it() -> None:
    assert not given(machine(), books=Books(own=GuidMap(slots={"0000:99:00.0": Slot(pf="")}))).gate
