"""Pools of a node: cmd/sriovdp/manager.go initServers, netDeviceProvider.go AddTargetDevices."""

import pytest
from msgspec import structs
from tests.unit.peers.sriovdp_trees import NO_VERSION, Tree, config_of, entry, filled, members

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Known, Unknown
from podwire.peers.pci_ids import PF_IDS, VF_IDS, can_have_vfs, card_name, vf_id_of
from podwire.peers.sriovdp.fates import Exclusion, Step
from podwire.peers.sriovdp.fill import exclusion
from podwire.peers.sriovdp.reasons import why_empty
from podwire.peers.sriovdp.start import start_of

PF = "0000:18:00.0"
VFS = ["0000:18:00.1", "0000:18:00.2", "0000:18:00.3", "0000:18:00.4"]
MELLANOX = {"vendors": ["15b3"]}


def reasons(tree: Tree, *entries: dict[str, object], of: str | None = "v3.11.0") -> list[str]:
    """Why the last pool holds what it holds."""
    result = filled(tree, *entries, of=of)
    return [str(reason) for reason in why_empty(result, result.pools[-1])]


# What is listed at all


def test_a_pf_that_has_vfs_is_never_listed() -> None:
    result = filled(Tree().pf(), entry("p", MELLANOX))
    assert members(result.pools[0]) == VFS
    assert result.fates[PciAddress.parse(PF)].excluded is Exclusion.PF_WITH_VFS


def test_a_pf_without_vfs_is_listed() -> None:
    assert members(filled(Tree().pf(vfs=0), entry("p", MELLANOX)).pools[0]) == [PF]


def test_a_pf_whose_vfs_are_listed_has_vfs_without_sriov_numvfs() -> None:
    tree = Tree().pf().drop(PF, "sriov_numvfs")
    assert members(filled(tree, entry("p", MELLANOX)).pools[0]) == VFS


def test_a_pf_without_virtfn_links_and_without_sriov_numvfs_has_none() -> None:
    tree = Tree().pf(vfs=0).drop(PF, "sriov_numvfs")
    assert members(filled(tree, entry("p", MELLANOX)).pools[0]) == [PF]


def test_a_function_without_driver_is_skipped() -> None:
    tree = Tree().pf().drop(VFS[0], "driver")
    result = filled(tree, entry("p", MELLANOX))
    assert members(result.pools[0]) == VFS[1:]
    fate = result.fates[PciAddress.parse(VFS[0])]
    assert fate.excluded is Exclusion.NO_DRIVER
    assert fate.trials[0].step is Step.EXCLUDED


def test_a_net_device_with_the_default_route_is_skipped() -> None:
    result = filled(Tree().pf(), entry("p", MELLANOX), default_routes=["ib18v1"])
    assert members(result.pools[0]) == [VFS[0], *VFS[2:]]
    assert result.fates[PciAddress.parse(VFS[1])].excluded is Exclusion.DEFAULT_ROUTE


def test_another_net_device_with_the_default_route_changes_nothing() -> None:
    result = filled(Tree().pf(), entry("p", MELLANOX), default_routes=["eno1"])
    assert members(result.pools[0]) == VFS


def test_what_is_no_network_controller_is_skipped() -> None:
    (pf,) = Tree().pf(vfs=0).functions
    attributes = structs.replace(pf.attributes, values={"class": "0x120000"})
    gpu = structs.replace(pf, attributes=attributes)
    start = start_of([gpu], away=frozenset(), version=NO_VERSION)
    found = exclusion(gpu, default_routes=frozenset(), start=start)
    assert found is Exclusion.NOT_NETWORK


# Order


def test_the_first_entry_that_fits_has_the_function() -> None:
    result = filled(Tree().pf(), entry("wide", MELLANOX), entry("narrow", {"devices": ["101e"]}))
    assert members(result.pools[0]) == VFS
    assert members(result.pools[1]) == []
    trial = result.fates[PciAddress.parse(VFS[0])].trials[1]
    assert (trial.step, trial.holder) == (Step.BUSY, 0)


def test_the_other_order_gives_the_function_to_the_other_pool() -> None:
    result = filled(
        Tree().pf(), entry("narrow", {"pfNames": ["ibp24s0#0-1"]}), entry("wide", MELLANOX)
    )
    assert [members(pool) for pool in result.pools] == [VFS[:2], VFS[2:]]


def test_the_selectors_of_an_entry_are_asked_in_order_and_join() -> None:
    selectors = ({"pfNames": ["ibp24s0#0"]}, {"pfNames": ["ibp24s0#0-2"]})
    pool = filled(Tree().pf(), entry("p", *selectors)).pools[0]
    assert {str(a): i for a, i in pool.taken.items()} == {VFS[0]: 0, VFS[1]: 1, VFS[2]: 1}


def test_a_dropped_entry_takes_nothing() -> None:
    broken = {"resourceName": "a", "selectors": {"vendors": "15b3"}}
    result = filled(Tree().pf(), broken, entry("b", MELLANOX))
    assert [pool.entry.resource_name for pool in result.pools] == ["b"]
    assert members(result.pools[0]) == VFS


def test_a_fatal_configuration_makes_no_pool() -> None:
    result = filled(Tree().pf(), entry("a", MELLANOX), entry("b b", MELLANOX))
    assert result.pools == ()
    assert result.fates == {}


def test_a_configuration_that_may_be_fatal_leaves_the_members_open() -> None:
    result = filled(Tree().pf(), entry("ib-vf", MELLANOX), of=None)
    assert isinstance(result.pools[0].members, Unknown)
    assert isinstance(result.pools[0].is_empty, Unknown)
    assert list(map(str, result.pools[0].taken)) == VFS


def test_pools_of_other_types_are_not_guessed() -> None:
    result = filled(
        Tree().pf(), entry("a", MELLANOX, deviceType="accelerator"), entry("b", MELLANOX)
    )
    assert isinstance(result.pools[0].members, Unknown)
    assert members(result.pools[1]) == VFS


# Unknown


def test_an_unknown_function_opens_this_pool_and_the_next() -> None:
    tree = Tree().pf().drop(VFS[0], "device")
    result = filled(tree, entry("a", {"devices": ["101e"]}), entry("b", MELLANOX))
    first, second = result.pools
    assert isinstance(first.members, Unknown)
    assert isinstance(second.members, Unknown)
    assert list(map(str, first.unsure)) == list(map(str, second.unsure)) == VFS[:1]
    assert first.is_empty == Known(value=False)
    assert isinstance(second.is_empty, Unknown)


def test_an_unknown_selector_does_not_matter_where_the_next_of_the_pool_fits() -> None:
    tree = Tree().pf().drop(VFS[0], "device")
    pool = filled(tree, entry("a", {"devices": ["101e"]}, MELLANOX)).pools[0]
    assert members(pool) == VFS
    assert pool.taken[PciAddress.parse(VFS[0])] == 1


def test_an_unknown_function_that_an_earlier_pool_has_opens_nothing() -> None:
    tree = Tree().pf().drop(VFS[0], "device")
    result = filled(tree, entry("a", MELLANOX), entry("b", {"devices": ["101e"]}))
    assert members(result.pools[1]) == []


def test_an_unknown_function_that_is_not_listed_opens_nothing() -> None:
    tree = Tree().pf().drop(VFS[0], "device", "driver")
    assert members(filled(tree, entry("a", {"devices": ["101e"]})).pools[0]) == VFS[1:]


def test_many_reasons_become_a_short_one() -> None:
    tree = Tree().pf()
    for vf in VFS:
        tree.drop(vf, "device")
    answer = filled(tree, entry("a", {"devices": ["101e"]})).pools[0].members
    assert isinstance(answer, Unknown)
    assert answer.reason.endswith("; and 1 more")
    assert answer.give.count("cat /sys") == 3


def test_without_functions_a_pool_is_surely_empty() -> None:
    assert filled(Tree(), entry("a", {})).pools[0].is_empty == Known(value=True)


# Why


def test_reasons_count_what_was_wanted_and_had() -> None:
    assert reasons(Tree().pf(), entry("p", {"devices": ["101c"]})) == [
        "4 functions: devices wants 101c, they are 101e"
    ]


def test_reasons_name_the_pool_that_has_them() -> None:
    tree = Tree().pf().pf("3a", name="ibp58s0", vfs=2)
    wide = entry("rail0", {"pfName": ["ibp24s0"]})
    assert reasons(tree, wide, entry("rail1", {"pfNames": ["ibp58s0"]})) == [
        "4 functions: pfNames wants ibp58s0, they are ibp24s0",
        "2 functions: example.com/rail0 has them already",
    ]


def test_reasons_name_what_is_not_listed_only_where_it_would_fit() -> None:
    tree = Tree().pf(vfs=1).drop(VFS[0], "driver")
    assert reasons(tree, entry("p", {"devices": ["101e"]})) == ["1 function: not listed: no driver"]


def test_reasons_do_not_repeat_every_address() -> None:
    other = {"pciAddresses": ["0000:ff:00.1"]}
    assert reasons(Tree().pf(), entry("p", other)) == [
        "4 functions: pciAddresses wants 0000:ff:00.1, they have others"
    ]
    assert reasons(Tree().pf(vfs=0), entry("p", other)) == [
        "1 function: pciAddresses wants 0000:ff:00.1, it has another"
    ]


def test_reasons_put_unknown_ones_together() -> None:
    found = reasons(Tree().pf(vfs=2), entry("p", {"acpiIndexes": ["1"]}))
    assert len(found) == 1
    assert found[0].startswith("2 functions: /sys/bus/pci/devices/0000:18:00.1/acpi_index")


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({"pfNames": ["p0"]}, "1 function: pfNames wants p0, it has none"),
        ({"isRdma": True}, "1 function: isRdma wants true, it has no RDMA device"),
        ({"pciAddresses": [VFS[0]]}, "1 function: taken"),
    ],
)
def test_reasons_say_what_is_missing(selector: dict[str, object], text: str) -> None:
    tree = Tree().pf(vfs=1, name=None).drop(VFS[0], "infiniband")
    assert text in reasons(tree, entry("p", selector), of="v3.7.0")


def test_reasons_name_the_pf_whose_id_stands_where_the_vfs_belongs() -> None:
    assert reasons(Tree().pf(), entry("p", {"devices": ["1021"]})) == [
        "4 functions: devices wants 1021, they are 101e",
        "1 function: not listed: a PF that has VFs",
    ]


def test_a_pool_is_found_by_its_entry() -> None:
    config = config_of(entry("a", {"drivers": ["x"]}), entry("b", MELLANOX))
    result = filled(Tree().pf(vfs=1), entry("a", {"drivers": ["x"]}), entry("b", MELLANOX))
    pool = result.pool(config.entries[1])
    assert pool is not None
    assert tuple(pool.taken) == (PciAddress.parse(VFS[0]),)


def test_a_pool_that_the_plugin_drops_is_not_found() -> None:
    dropped = entry("a", {"vendors": "15b3"})
    config = config_of(dropped, entry("b", MELLANOX))
    assert filled(Tree().pf(vfs=1), dropped, entry("b", MELLANOX)).pool(config.entries[0]) is None


def test_many_doubts_about_members_have_one_fact() -> None:
    result = filled(
        Tree().pf().drop(VFS[0], "device").drop(VFS[1], "device"), entry("a", {"devices": ["101e"]})
    )
    members = result.pools[0].members
    assert isinstance(members, Unknown)
    assert members.fact == "the sysfs attribute device"


# Ids


@pytest.mark.parametrize(
    ("pf", "card", "vf"),
    [
        ("1017", "ConnectX-5", "1018"),
        ("101b", "ConnectX-6", "101c"),
        ("1021", "ConnectX-7", "101e"),
        ("1023", "ConnectX-8", "101e"),
        ("a2d2", "BlueField", "a2d3"),
        ("1027", "ConnectX-10", None),
    ],
)
def test_ids_of_cards_lead_to_the_ids_of_their_vfs(pf: str, card: str, vf: str | None) -> None:
    assert (card_name(pf), vf_id_of(pf)) == (card, vf)
    assert pf in PF_IDS


def test_the_shared_id_tells_no_generation() -> None:
    assert card_name("101e") == "mlx5 Gen VF"
    assert vf_id_of("101e") is None


def test_the_id_of_a_vf_names_its_card() -> None:
    assert card_name("101c") == "ConnectX-6 VF"
    assert "101c" in VF_IDS


def test_unknown_ids_have_no_name() -> None:
    assert card_name("ffff") is None
    assert not set(PF_IDS) & set(VF_IDS)


@pytest.mark.parametrize("total", ["8", "0", None])
def test_a_card_that_is_known_can_have_vfs_and_its_vfs_cannot(total: str | None) -> None:
    tree = Tree().pf(vfs=1)
    tree = tree.drop(PF, "sriov_totalvfs") if total is None else tree.put(PF, sriov_totalvfs=total)
    assert [can_have_vfs(function) for function in tree.functions] == [True, False]


def test_a_card_that_nobody_knows_has_to_say_that_it_can_have_vfs() -> None:
    tree = Tree().function(PF, device="ffff")
    assert not can_have_vfs(tree.functions[0])
    assert can_have_vfs(tree.put(PF, sriov_totalvfs="8").functions[0])
