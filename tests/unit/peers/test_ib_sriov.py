"""The CNI plugins that take a device."""

import pytest

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.go_json import Object
from podwire.peers.ib_sriov import (
    Refusal,
    device_link,
    near_miss_type,
    needs_device,
    no_device_any,
    no_device_sentence,
    refusals,
)
from podwire.peers.multus import CniConfig, Plugin, read_network_config

NOT_READ: Answer[Version] = Unknown("the version of ib-sriov-cni was not read")


def plugin(text: str) -> Plugin:
    read = read_network_config(text)
    assert isinstance(read, CniConfig), read
    return read.main


@pytest.mark.parametrize("name", ["ib-sriov", "sriov"])
def test_plugins_of_vfs_need_a_device(name: str) -> None:
    assert needs_device(Plugin(type=name)) == Known(value=True)


@pytest.mark.parametrize("name", ["macvlan", "ipvlan", "bridge", "ipoib", "tuning"])
def test_other_plugins_attach_without_one(name: str) -> None:
    assert needs_device(Plugin(type=name)) == Known(value=False)


@pytest.mark.parametrize(
    ("raw", "want"), [({}, True), ({"device": "ib0"}, False), ({"pciBusID": "x"}, False)]
)
def test_host_device_needs_one_unless_its_own_is_fixed(raw: dict[str, str], want: bool) -> None:  # noqa: FBT001 - a table's column
    assert needs_device(
        Plugin(type="host-device", raw=Object(members=tuple(raw.items())))
    ) == Known(value=want)


def test_of_an_unknown_plugin_nothing_is_said() -> None:
    assert isinstance(needs_device(Plugin(type="acme-net")), Unknown)


@pytest.mark.parametrize(
    ("name", "want"), [("ib-sriov", "infiniband"), ("sriov", "ether"), ("macvlan", None)]
)
def test_the_type_says_which_link_layer(name: str, want: str | None) -> None:
    assert device_link(name) == want


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ibsriov", "ib-sriov"),
        ("ib_sriov", "ib-sriov"),
        ("IB-SRIOV", "ib-sriov"),
        ("ib-sriov-cni", "ib-sriov"),
        ("sriov-ib", "ib-sriov"),
        ("sriov-cni", "sriov"),
        ("macvlna", "macvlan"),
        ("macvan", "macvlan"),
        ("srriov", "sriov"),
    ],
)
def test_a_misspelt_type_names_what_was_meant(name: str, meant: str) -> None:
    assert near_miss_type(name) == meant


@pytest.mark.parametrize(
    "name", ["ib-sriov", "sriov", "cilium-cni", "ovs", "acme", "", "vxlan", "sriov2"]
)
def test_a_known_or_far_type_is_left_alone(name: str) -> None:
    assert near_miss_type(name) is None


@pytest.mark.parametrize(
    ("version", "want"),
    [
        ("v1.1.1", "load config: vf pci addr is required"),
        ("v1.2.0", "load config: vf pci addr is required"),
        (
            "v1.3.0",
            "failed to get device specific information. load config: vf pci addr is required",
        ),
    ],
)
def test_the_missing_device_is_told_in_the_words_of_the_version(version: str, want: str) -> None:
    found = no_device_sentence("ib-sriov", Known(value=Version.parse(version)))
    assert isinstance(found, Known)
    assert found.value == want


@pytest.mark.parametrize("version", ["v1.0.3", "v1.3.0-80-g543060d", "v1.4.0"])
def test_versions_outside_the_table_have_no_known_words(version: str) -> None:
    found = no_device_sentence("ib-sriov", Known(value=Version.parse(version)))
    assert isinstance(found, Unknown)


def test_without_a_version_only_prose_is_left() -> None:
    assert no_device_sentence("ib-sriov", NOT_READ) == NOT_READ
    assert "deviceID is required" in no_device_any("ib-sriov")


def test_sriov_needs_no_version() -> None:
    assert no_device_sentence("sriov", NOT_READ) == Known(
        value="SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required"
    )


def test_host_device_says_what_it_wants() -> None:
    found = no_device_sentence("host-device", NOT_READ)
    assert isinstance(found, Known)
    assert found.value.startswith('specify either "device"')


def test_an_unknown_plugins_words_are_unknown() -> None:
    assert isinstance(no_device_sentence("acme", NOT_READ), Unknown)
    assert no_device_any("acme") == "a sandbox error of acme that no device was passed"


def test_a_link_state_outside_its_three_is_refused() -> None:
    assert refusals(plugin('{"type": "ib-sriov", "link_state": "up"}')) == (
        Refusal(
            path=("link_state",),
            text="up",
            message="infiniBand SRI-OV CNI failed to load netconf: invalid link_state value: up",
        ),
    )


def test_dhcp_is_refused_by_ib_sriov_only() -> None:
    text = '{{"type": "{}", "ipam": {{"type": "dhcp"}}}}'
    (refusal,) = refusals(plugin(text.format("ib-sriov")))
    assert refusal.path == ("ipam", "type")
    assert refusal.message == "ipam type dhcp is not supported"
    assert refusals(plugin(text.format("sriov"))) == ()


def test_a_wrong_type_is_refused_with_its_path_in_a_list() -> None:
    text = '{"plugins": [{"type": "ib-sriov", "rdmaIsolation": "true"}]}'
    (refusal,) = refusals(plugin(text))
    assert refusal.path == ("plugins", 0, "rdmaIsolation")
    assert "cannot unmarshal string into rdmaIsolation of type bool" in refusal.message


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "ib-sriov", "link_state": "enable", "rdmaIsolation": true, "pkey": "0x7fff"}',
        '{"type": "ib-sriov", "vlan": 5, "spoofchk": "on"}',
        '{"type": "ib-sriov", "link_state": ""}',
        '{"type": "acme", "link_state": "up", "ipam": {"type": "dhcp"}}',
    ],
)
def test_what_is_right_or_not_read_is_no_refusal(text: str) -> None:
    assert refusals(plugin(text)) == ()


def test_a_device_that_the_configuration_names_is_one() -> None:
    named = Plugin(type="ib-sriov", raw=Object(members=(("deviceID", "0000:18:00.2"),)))
    assert needs_device(named) == Known(value=False)


def test_null_takes_no_value_back() -> None:
    text = '{"type": "ib-sriov", "link_state": "up", "LINK_STATE": null, "ipam": null}'
    assert [(r.path, r.text) for r in refusals(plugin(text))] == [(("link_state",), "up")]


def test_a_value_of_another_kind_is_refused_also_where_a_later_one_would_do() -> None:
    (found,) = refusals(plugin('{"type": "ib-sriov", "pkey": 1, "PKEY": "0x7fff"}'))
    assert (found.path, found.text) == (("pkey",), "1")


def test_a_place_has_the_keys_as_they_are_written() -> None:
    (found,) = refusals(plugin('{"type": "ib-sriov", "IPAM": {"Type": "dhcp"}}'))
    assert (found.path, found.text) == (("IPAM", "Type"), "dhcp")
