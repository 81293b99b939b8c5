"""One selector before one function: pkg/resources/deviceSelectors.go and its neighbours."""

import pytest
from tests.unit.peers.sriovdp_trees import Tree, config_of, entry, filled, taken_by, version

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Known, Unknown
from podwire.peers.sriovdp.fates import Step
from podwire.peers.sriovdp.items import read_item
from podwire.peers.sriovdp.places import place_of
from podwire.peers.sriovdp.selectors import Outcome, checks_of, judge
from podwire.peers.sriovdp.start import start_of

ALL = ["0000:18:00.1", "0000:18:00.2", "0000:18:00.3", "0000:18:00.4"]


def vfs(*indexes: int) -> list[str]:
    return [ALL[i] for i in indexes]


def outcome(
    selector: dict[str, object], tree: Tree, *, of: str | None = "v3.11.0", vf: str = ALL[0]
) -> Outcome:
    fate = filled(tree, entry("p", selector), of=of).fates[PciAddress.parse(vf)]
    return fate.trials[0].outcome


def is_unknown(selector: dict[str, object], tree: Tree, *, of: str | None = "v3.11.0") -> bool:
    return isinstance(outcome(selector, tree, of=of).answer, Unknown)


# vendors, devices, drivers, pciAddresses, acpiIndexes


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ({"vendors": ["15b3"]}, True),
        ({"vendors": ["8086", "15b3"]}, True),
        ({"vendors": ["0x15b3"]}, False),
        ({"vendors": ["15B3"]}, False),
        ({"devices": ["101e"]}, True),
        ({"devices": ["1021"]}, False),
        ({"drivers": ["mlx5_core"]}, True),
        ({"drivers": ["mlx5_ib"]}, False),
        ({"pciAddresses": ALL}, True),
        ({"pciAddresses": ["18:00.1", "0000:18:00.*"]}, False),
        ({}, True),
        ({"vendors": []}, True),
        ({"needVhostNet": True}, True),
    ],
)
def test_values_are_compared_exactly(selector: dict[str, object], *, fits: bool) -> None:
    assert taken_by(selector, Tree().pf()) == (ALL if fits else [])


def test_keys_narrow_and_values_widen() -> None:
    assert taken_by({"vendors": ["15b3"], "pciAddresses": vfs(0, 2)}, Tree().pf()) == vfs(0, 2)


def test_a_dropped_function_says_what_was_wanted_and_had_and_where() -> None:
    tree = Tree().pf()
    drop = outcome({"vendors": ["15b3"], "devices": ["101c"]}, tree)
    assert (drop.key, drop.wanted, drop.had) == ("devices", ("101c",), "101e")
    result = filled(tree, entry("p", {}))
    function = result.fates[PciAddress.parse(ALL[0])].function
    place = place_of(drop.key, function, result.start)
    assert str(place) == "Node n1 /sys/bus/pci/devices/0000:18:00.1/device"
    pf = str(place_of("pfNames", function, result.start))
    assert pf == "Node n1 /sys/bus/pci/devices/0000:18:00.0/net"


def test_the_first_key_in_the_plugins_order_is_named() -> None:
    assert outcome({"pfNames": ["x"], "vendors": ["8086"]}, Tree().pf()).key == "vendors"


def test_one_function_can_be_asked_alone() -> None:
    tree = Tree().pf()
    start = start_of(tree.functions, away=frozenset(), version=version(None))
    vf = start.functions[PciAddress.parse(ALL[0])]
    (selector,) = (
        config_of(entry("p", {"vendors": ["15b3"], "devices": ["101e"]})).entries[0].selectors
    )
    checks = checks_of(selector)
    assert [check.key for check in checks] == ["vendors", "devices"]
    assert judge(vf, checks=checks, start=start).answer == Known(value=True)
    pf = start.functions[PciAddress.parse("0000:18:00.0")]
    assert judge(pf, checks=checks, start=start).answer == Known(value=False)


@pytest.mark.parametrize("name", ["vendor", "device"])
def test_an_id_that_was_not_collected_is_not_guessed(name: str) -> None:
    tree = Tree().pf().drop(ALL[0], name)
    assert is_unknown({f"{name}s": ["15b3"]}, tree)


def test_a_key_that_surely_drops_decides_over_one_that_is_not_known() -> None:
    tree = Tree().pf().drop(ALL[0], "vendor")
    assert outcome({"vendors": ["15b3"], "devices": ["1018"]}, tree).key == "devices"


def test_two_unknown_keys_give_both_reasons() -> None:
    tree = Tree().pf().drop(ALL[0], "vendor", "device")
    answer = outcome({"vendors": ["15b3"], "devices": ["101e"]}, tree).answer
    assert isinstance(answer, Unknown)
    assert "/vendor" in answer.reason
    assert "/device" in answer.reason


def test_acpi_indexes_are_compared_with_the_file() -> None:
    tree = Tree(is_whole=True).pf().put(ALL[1], acpi_index="101\n")
    assert taken_by({"acpiIndexes": ["101"]}, tree) == vfs(1)


def test_an_acpi_index_that_was_not_collected_is_not_guessed() -> None:
    assert is_unknown({"acpiIndexes": ["101"]}, Tree().pf())


# pfNames and rootDevices


@pytest.mark.parametrize(
    ("names", "fits"),
    [
        (["ibp24s0"], [0, 1, 2, 3]),
        (["IBP24S0"], [0, 1, 2, 3]),
        (["ibp24s0#0-1,3"], [0, 1, 3]),
        (["ibp24s0#2"], [2]),
        (["ibp24s0#+1"], [1]),
        (["other", "ibp24s0#3"], [3]),
        (["ibp24s0#0-1", "ibp24s0#2-3"], [0, 1]),
        (["ibp24s0#9"], []),
        (["ibp*"], []),
        (["ibp24s"], []),
        (["ibp24s0#"], []),
        (["ibp24s0#a"], []),
        (["ibp24s0#0-"], []),
        (["ibp24s0#0-1-2"], []),
        (["ibp24s0#0#1"], []),
        (["ibp24s0# 0"], []),
        (["ibp24s0#3-0"], []),
        (["ibp24s0#1,x,3"], [1]),
    ],
)
def test_pf_names_take_a_name_or_a_name_with_indexes(names: list[str], fits: list[int]) -> None:
    assert taken_by({"pfNames": names}, Tree().pf()) == vfs(*fits)


def test_root_devices_take_the_same_form_with_the_pfs_address() -> None:
    tree = Tree().pf().pf("3a", name="ibp58s0")
    assert taken_by({"rootDevices": ["0000:18:00.0#0-1"]}, tree) == vfs(0, 1)
    assert taken_by({"rootDevices": ["0000:18:00.0"]}, tree) == ALL
    assert taken_by({"rootDevices": ["18:00.0"]}, tree) == []


def test_pf_names_never_match_a_pf_without_net_device() -> None:
    tree = Tree().pf(name=None)
    assert taken_by({"pfNames": ["ibp24s0"]}, tree) == []
    assert outcome({"pfNames": ["ibp24s0"]}, tree).had == ""
    assert taken_by({"rootDevices": ["0000:18:00.0"]}, tree) == ALL


def test_a_pf_has_no_pf_name_of_its_own() -> None:
    tree = Tree().pf(vfs=0)
    assert taken_by({"pfNames": ["ibp24s0"]}, tree) == []
    assert taken_by({"rootDevices": ["0000:18:00.0"]}, tree) == []


def test_the_index_is_the_one_of_the_pfs_list() -> None:
    tree = Tree().pf()
    tree.links["sys/bus/pci/devices/0000:18:00.0/virtfn0"] = ALL[3]
    tree.links["sys/bus/pci/devices/0000:18:00.0/virtfn3"] = ALL[0]
    assert taken_by({"pfNames": ["ibp24s0#0"]}, tree) == vfs(3)


def test_a_pf_that_was_not_collected_is_not_guessed() -> None:
    tree = Tree().pf()
    for held in (tree.values, tree.links):
        for path in [p for p in held if "/0000:18:00.0/" in p]:
            del held[path]
    assert is_unknown({"pfNames": ["ibp24s0"]}, tree)
    assert is_unknown({"rootDevices": ["0000:18:00.0#0"]}, tree)
    assert taken_by({"rootDevices": ["0000:18:00.0"]}, tree) == ALL


def test_of_several_net_devices_the_eswitch_mode_decides() -> None:
    tree = Tree().pf(name="p0", link="1")
    tree.values["sys/bus/pci/devices/0000:18:00.0/net/p0r0/type"] = "1"
    assert is_unknown({"pfNames": ["p0"]}, tree)
    assert taken_by({"pfNames": ["other"]}, tree) == []
    assert taken_by({"pfNames": ["p0", "p0r0"]}, tree) == ALL


def test_infiniband_has_no_eswitch_mode_so_the_first_name_counts() -> None:
    tree = Tree().pf()
    tree.values["sys/bus/pci/devices/0000:18:00.0/net/ibp24s0.8001/type"] = "32"
    assert taken_by({"pfNames": ["ibp24s0"]}, tree) == ALL
    assert taken_by({"pfNames": ["ibp24s0.8001"]}, tree) == []


def test_a_pf_that_a_pod_held_at_the_start_gave_no_name() -> None:
    pool = filled(Tree().pf(), entry("p", {"pfNames": ["ibp24s0"]}), away=["0000:18:00.0"]).pools[0]
    assert pool.taken == {}


def test_a_malformed_item_says_so() -> None:
    assert read_item("p0#1,x").is_malformed
    assert read_item("p0#0#1").is_malformed
    assert not read_item("p0#0-3,7").is_malformed
    assert not read_item("p0").is_malformed


# The key linkTypes, after pkg/devices/gen_net.go


@pytest.mark.parametrize(("wanted", "fits"), [("infiniband", True), ("ether", False)])
def test_link_types_compare_the_net_devices_type(wanted: str, *, fits: bool) -> None:
    assert taken_by({"linkTypes": [wanted]}, Tree().pf()) == (ALL if fits else [])
    ethernet = Tree().pf(link="1")
    assert taken_by({"linkTypes": [wanted]}, ethernet) == ([] if fits else ALL)


def test_link_types_need_no_version_where_the_net_device_is_there() -> None:
    assert taken_by({"linkTypes": ["infiniband"]}, Tree().pf(), of=None) == ALL


def test_the_link_type_of_a_function_that_is_away_is_its_pfs_since_3_6_0() -> None:
    for of in ("v3.6.0", "v3.11.0"):
        pool = filled(
            Tree().pf(), entry("p", {"linkTypes": ["infiniband"]}), of=of, away=vfs(0, 1)
        ).pools[0]
        assert list(map(str, pool.taken)) == ALL


def test_a_function_that_is_away_has_no_link_type_before_3_6_0() -> None:
    result = filled(
        Tree().pf(), entry("p", {"linkTypes": ["infiniband"]}), of="v3.5.1", away=vfs(0, 1)
    )
    assert list(map(str, result.pools[0].taken)) == vfs(2, 3)
    drop = result.fates[PciAddress.parse(ALL[0])].trials[0]
    assert (drop.step, drop.outcome.key, drop.outcome.had) == (Step.DROPPED, "linkTypes", "")


@pytest.mark.parametrize("of", [None, "v3.12.0"])
def test_the_link_type_of_a_function_that_is_away_needs_the_version(of: str | None) -> None:
    result = filled(Tree().pf(), entry("p", {"linkTypes": ["infiniband"]}), of=of, away=vfs(0))
    assert isinstance(result.pools[0].members, Unknown)
    wrong = filled(Tree().pf(), entry("p", {"linkTypes": ["ether"]}), of=of, away=vfs(0))
    assert wrong.pools[0].taken == {}
    assert wrong.pools[0].unsure == ()


def test_a_net_device_that_is_gone_now_may_have_been_there_then() -> None:
    tree = Tree().pf(held=[0])
    assert is_unknown({"linkTypes": ["infiniband"]}, tree, of="v3.5.1")
    assert taken_by({"linkTypes": ["ether"]}, tree, of="v3.5.1") == []


def test_a_net_device_that_is_gone_now_does_not_matter_where_the_pfs_type_counts() -> None:
    assert taken_by({"linkTypes": ["infiniband"]}, Tree().pf(held=[0])) == ALL


def test_user_space_drivers_have_no_net_device() -> None:
    tree = Tree().pf(driver="vfio-pci", held=[0, 1, 2, 3])
    assert taken_by({"linkTypes": ["infiniband"]}, tree, of="v3.5.1") == []
    assert taken_by({"linkTypes": ["infiniband"]}, tree) == ALL


@pytest.mark.parametrize("value", ["", "772"])
def test_a_link_type_that_nobody_can_tell_is_not_guessed(value: str) -> None:
    tree = Tree().pf()
    tree.values["sys/bus/pci/devices/0000:18:00.1/net/ib18v0/type"] = value
    assert is_unknown({"linkTypes": ["infiniband"]}, tree)


def test_a_link_type_that_was_not_collected_is_not_guessed() -> None:
    tree = Tree().pf()
    del tree.values["sys/bus/pci/devices/0000:18:00.1/net/ib18v0/type"]
    tree.values["sys/bus/pci/devices/0000:18:00.1/net/ib18v0/mtu"] = "4092"
    assert is_unknown({"linkTypes": ["infiniband"]}, tree)


def test_a_pf_without_vfs_and_without_net_device_is_not_guessed() -> None:
    tree = Tree().pf(vfs=0, name=None)
    drop = outcome({"linkTypes": ["infiniband"]}, tree, vf="0000:18:00.0")
    assert isinstance(drop.answer, Unknown)


# ddpProfiles, pKeys, vdpaType


def test_mellanox_cards_have_no_ddp_profile() -> None:
    assert taken_by({"ddpProfiles": ["x", ""]}, Tree().pf()) == []


def test_the_ddp_profile_of_another_card_is_not_guessed() -> None:
    assert is_unknown({"ddpProfiles": ["x"]}, Tree().pf().put(ALL[0], vendor="0x8086"))


def test_p_keys_compare_the_first_key_of_port_1() -> None:
    tree = Tree().pf()
    for i, vf in enumerate(ALL):
        key = "0x8001" if i == 1 else "0xffff"
        tree.values[f"sys/bus/pci/devices/{vf}/infiniband/mlx5_18_{i}/ports/1/pkeys/0"] = key
    assert taken_by({"pKeys": ["0x8001"]}, tree) == vfs(1)


def test_p_keys_are_infinibands() -> None:
    assert taken_by({"pKeys": ["0xffff"]}, Tree().pf(link="1")) == []


def test_a_p_key_that_was_not_collected_is_not_guessed() -> None:
    assert is_unknown({"pKeys": ["0x8001"]}, Tree().pf())


def test_p_keys_of_functions_without_rdma_device_match_nothing() -> None:
    tree = Tree().pf(vfs=1).drop(ALL[0], "infiniband")
    assert taken_by({"pKeys": ["0xffff"]}, tree) == []
    assert is_unknown({"pKeys": ["0xffff"]}, Tree().pf(held=[0]).drop(ALL[0], "infiniband"))


def test_p_keys_need_the_link_type() -> None:
    assert is_unknown({"pKeys": ["0xffff"]}, Tree().pf(held=[0]), of="v3.5.1")


def test_a_p_key_that_does_not_exist_matches_nothing() -> None:
    assert taken_by({"pKeys": [""]}, Tree(is_whole=True).pf()) == []


def test_a_vdpa_device_is_not_guessed() -> None:
    assert is_unknown({"vdpaType": "vhost"}, Tree().pf())


# The key isRdma, after pkg/devices/rdma.go


def test_is_rdma_takes_functions_with_an_rdma_device() -> None:
    assert taken_by({"isRdma": True}, Tree().pf(), of=None) == ALL


def test_is_rdma_false_asks_nothing() -> None:
    tree = Tree().pf().drop(ALL[0], "infiniband")
    assert taken_by({"isRdma": False}, tree) == ALL


def test_is_rdma_drops_a_function_without_rdma_device() -> None:
    tree = Tree().pf().drop(ALL[0], "infiniband")
    assert taken_by({"isRdma": True}, tree, of="v3.7.0") == vfs(1, 2, 3)
    assert outcome({"isRdma": True}, tree, of="v3.7.0").had == "no RDMA device"


@pytest.mark.parametrize("of", ["v3.9.0", None])
def test_devlink_can_stand_for_an_rdma_device_that_is_not_on_the_host(of: str | None) -> None:
    assert is_unknown({"isRdma": True}, Tree().pf().drop(ALL[0], "infiniband"), of=of)


def test_user_space_drivers_have_no_rdma_device() -> None:
    tree = Tree().pf(driver="vfio-pci", held=[0, 1, 2, 3])
    for vf in ALL:
        tree.drop(vf, "infiniband")
    assert taken_by({"isRdma": True}, tree) == []


@pytest.mark.parametrize(
    ("held", "rdma", "mode", "of", "takes"),
    [
        # Still in the pod, and the RDMA device is on the host: so it was.
        (True, True, None, "v3.7.0", True),
        (True, True, "shared", "v3.11.0", True),
        # Both came back: in exclusive mode both were away.
        (False, True, "shared", "v3.7.0", True),
        (False, True, "exclusive", "v3.7.0", None),
        (False, True, None, "v3.7.0", None),
        # The RDMA device is away as well: devlink answers since v3.8 or v3.9.
        (True, False, "exclusive", "v3.7.0", False),
        (True, False, "exclusive", "v3.11.0", None),
    ],
)
def test_is_rdma_of_a_function_that_a_pod_held_at_the_start(
    *, held: bool, rdma: bool, mode: str | None, of: str, takes: bool | None
) -> None:
    tree = Tree().pf(held=[0] if held else [])
    if not rdma:
        tree.drop(ALL[0], "infiniband")
    pool = filled(tree, entry("p", {"isRdma": True}), of=of, away=vfs(0), mode=mode).pools[0]
    address = PciAddress.parse(ALL[0])
    assert (address in pool.unsure) is (takes is None)
    assert (address in pool.taken) is (takes is True)


def test_a_function_whose_devices_are_both_gone_now_is_not_guessed() -> None:
    tree = Tree().pf(held=[0]).drop(ALL[0], "infiniband")
    assert is_unknown({"isRdma": True}, tree, of="v3.7.0")
    assert is_unknown({"isRdma": True}, tree, of="v3.11.0")
