"""What the spec wants of one machine, and what has to be repaired before it can be had."""

import pytest

from podwire.facts.link_layer import ETHERNET, INFINIBAND
from podwire.model.addresses import PciAddress
from podwire.plan.gate import repairs
from podwire.plan.machine import Machine, Pf
from podwire.plan.wish import WishError, entry_of, wish_of
from podwire.spec.wiring import FabricWish, FirmwareWish, LabelWish, NodeWish, PfWish, Wiring

A, B, VF = (PciAddress.parse(f"0000:18:00.{n}") for n in range(3))
IB = Pf(address=A, driver="mlx5_core", vendor="15b3", link_layer=INFINIBAND, total=8)
ETH = Pf(address=B, driver="igb", vendor="8086", link_layer=ETHERNET, total=7)
MACHINE = Machine(name="m", kernel="6.12.0", pfs=(IB, ETH), others=(VF,))


def chosen(**more: object) -> tuple[PciAddress, ...]:
    return wish_of(FabricWish(pfs=PfWish(**more)), MACHINE)[0].pfs  # type: ignore[arg-type]  # fields of PfWish


def test_without_a_wish_every_infiniband_pf_is_meant() -> None:
    assert chosen() == (A,)


def test_a_link_layer_chooses_and_its_case_does_not_matter() -> None:
    assert (chosen(link_layer="ethernet"), chosen(link_layer="INFINIBAND")) == ((B,), (A,))


def test_a_nic_without_sriov_is_never_meant_by_its_link_layer() -> None:
    plain = Machine(name="m", pfs=(Pf(address=B, driver="mlx5_core", link_layer=ETHERNET),))
    wish, missing = wish_of(FabricWish(pfs=PfWish(link_layer=ETHERNET)), plain)
    assert not wish.pfs
    assert "here: 0000:18:00.1 Ethernet" in missing[0].text


def test_an_address_that_is_a_vf_is_said_to_be_one() -> None:
    _, (repair,) = wish_of(FabricWish(pfs=PfWish(pci_addresses=(str(VF),))), MACHINE)
    assert repair.text == "PF 0000:18:00.2 of the spec is a VF"


@pytest.mark.parametrize(
    ("fabric", "words"),
    [
        (FabricWish(pfs=PfWish(pci_addresses=("18:00.0",))), "'18:00.0' is no PCI address"),
        (FabricWish(firmware=FirmwareWish(link_type="token")), "firmware.linkType is 'token'"),
    ],
)
def test_a_value_that_means_nothing_is_refused(fabric: FabricWish, words: str) -> None:
    with pytest.raises(WishError, match=words):
        wish_of(fabric, MACHINE)


NAMED = NodeWish(names=("dgx-01", "dgx-02"))
SELECTED = NodeWish(selector=LabelWish(match_labels={"gpu": "h200"}))


def test_a_name_wins_over_a_selector() -> None:
    wiring = Wiring(nodes=(SELECTED, NAMED))
    assert entry_of(wiring, name="dgx-02", labels={"gpu": "h200"}) is NAMED


def test_an_entry_with_neither_name_nor_selector_is_for_every_machine() -> None:
    every = NodeWish()
    assert entry_of(Wiring(nodes=(every,)), name="x", labels={}) is every


def test_two_entries_for_one_machine_are_refused() -> None:
    with pytest.raises(WishError, match=r"2 entries of nodes\[\] are for dgx-01"):
        entry_of(Wiring(nodes=(NAMED, NAMED)), name="dgx-01", labels={})


@pytest.mark.parametrize(
    ("nodes", "hint"),
    [
        ((NAMED,), "--node NAME; the spec has dgx-02, dgx-01"),
        ((SELECTED,), "a selector needs the node's labels: --label KEY=VALUE for each"),
    ],
)
def test_a_machine_without_entry_gets_a_hint(nodes: tuple[NodeWish, ...], hint: str) -> None:
    with pytest.raises(WishError) as raised:
        entry_of(Wiring(nodes=nodes), name="dgx-03", labels={})
    assert raised.value.hint == hint


def driverless(vendor: str) -> Pf:
    return Pf(address=A, vendor=vendor, link_layer=INFINIBAND)


def test_a_card_of_another_vendor_without_driver_is_not_told_to_load_mlx5() -> None:
    (repair,) = repairs([driverless("8086")], MACHINE)
    assert repair.text == "PF 0000:18:00.0 has no driver"
    assert "mlx5" not in repair.fix


def test_a_loaded_driver_that_does_not_take_the_card_is_told_to() -> None:
    loaded = Machine(name="m", modules=frozenset({"mlx5_core"}))
    (repair,) = repairs([driverless("15b3")], loaded)
    assert "although mlx5_core is loaded" in repair.text
    assert "echo 0000:18:00.0 > /sys/bus/pci/drivers/mlx5_core/bind" in repair.fix


def test_one_repair_for_many_pfs_is_said_once() -> None:
    other = Pf(address=B, vendor="15b3", link_layer=INFINIBAND)
    assert len([*repairs([driverless("15b3"), other], MACHINE)]) == 1


def test_an_infiniband_pf_without_rdma_device_has_its_modprobe() -> None:
    fixes = [repair.fix for repair in repairs([IB], MACHINE)]
    assert fixes == ["modprobe mlx5_ib", "modprobe ib_ipoib"]
