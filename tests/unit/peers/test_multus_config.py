"""`spec.config` of a network, and the status annotation."""

import pytest

from podwire.model.addresses import PciAddress
from podwire.peers.multus import (
    CniConfig,
    Interface,
    Unreadable,
    read_network_config,
    read_status,
)

WHEREABOUTS = (
    '{"cniVersion": "0.3.1", "type": "ib-sriov", "link_state": "enable",'
    ' "ipam": {"type": "whereabouts", "range": "10.56.0.0/16"}}'
)


def config(text: str) -> CniConfig:
    read = read_network_config(text)
    assert isinstance(read, CniConfig), read
    return read


def test_a_single_plugin_is_the_main_one() -> None:
    read = config(WHEREABOUTS)
    assert (read.types, read.is_list) == (("ib-sriov",), False)
    assert read.main.path == ()
    assert read.main.ipam_type == "whereabouts"
    assert read.main.ipam.get("range") == "10.56.0.0/16"


def test_a_missing_name_is_no_fault() -> None:
    assert config(WHEREABOUTS).name == ""


def test_a_list_has_its_plugins_in_order() -> None:
    read = config('{"name": "n", "plugins": [{"type": "sriov"}, {"type": "rdma"}]}')
    assert (read.name, read.types, read.is_list) == ("n", ("sriov", "rdma"), True)
    assert [plugin.path for plugin in read.plugins] == [("plugins", 0), ("plugins", 1)]


def test_a_type_wins_over_plugins() -> None:
    assert config('{"type": "sriov", "plugins": [{"type": "rdma"}]}').types == ("sriov",)


def test_keys_match_whatever_their_case() -> None:
    read = config('{"Type": "ib-sriov", "IPAM": {"TYPE": "dhcp"}}')
    assert (read.main.type, read.main.ipam_type) == ("ib-sriov", "dhcp")


def test_an_empty_text_is_looked_for_among_the_files() -> None:
    assert read_network_config("") is None


@pytest.mark.parametrize(
    ("text", "says", "path"),
    [
        (" ", "failed to unmarshal Spec.Config: unexpected end of JSON input", None),
        ('{"type": "ib-sriov"', "failed to unmarshal Spec.Config: unexpected end", None),
        ('{"type": "a" "b": 1}', "invalid character '\"' after object key:value pair", None),
        ("[]", "cannot unmarshal array into Go value of type map", ()),
        ("null", "cannot unmarshal null", ()),
        ("{}", "delegate must have the 'type' or 'plugin' field", ()),
        ('{"plugins": []}', "delegate must have the 'type' or 'plugin' field", ()),
        ('{"plugins": [{}]}', "a plugin delegate must have the 'type' field", ("plugins", 0)),
        ('{"plugins": [{"type": "a"}, {}]}', "missing 'type'", ("plugins", 1)),
        (
            '{"plugins": [null]}',
            "conflist: json: cannot unmarshal null into Go struct field ...plugins of",
            ("plugins", 0),
        ),
        ('{"plugins": {"type": "a"}}', "unmarshal object into Go struct field ...plugins", ()),
        (
            '{"type": 1}',
            "config: json: cannot unmarshal number into Go struct field ...type",
            ("type",),
        ),
        (
            '{"type": "a", "ipam": "dhcp"}',
            "unmarshal string into Go struct field ...ipam",
            ("ipam",),
        ),
        (
            '{"plugins": [{"type": 1}]}',
            "number into Go struct field ...type",
            ("plugins", 0, "type"),
        ),
    ],
)
def test_a_config_that_multus_cannot_load(
    text: str, says: str, path: tuple[str | int, ...] | None
) -> None:
    read = read_network_config(text)
    assert isinstance(read, Unreadable)
    assert says in read.message
    assert read.message.endswith(read.reason)
    assert read.path == path
    assert (read.at is None) == (path is not None)


def test_null_leaves_a_type_and_empties_a_list() -> None:
    read = config('{"name": "n", "plugins": [{"type": "sriov", "Type": null}]}')
    assert read.types == ("sriov",)
    emptied = read_network_config('{"plugins": [{"type": "sriov"}], "Plugins": null}')
    assert isinstance(emptied, Unreadable)
    assert emptied.reason == "delegate must have the 'type' or 'plugin' field"


STATUS = """[{
    "name": "cilium", "interface": "eth0", "ips": ["10.0.1.9"], "default": true, "dns": {}
  }, {
    "name": "train/ib-net", "interface": "net1", "dns": {}, "mac": "00:00",
    "device-info": {"type": "pci", "version": "1.1.0",
      "pci": {"pci-address": "0000:18:00.2", "rdma-device": "mlx5_2"}}
  }]"""


def test_the_status_has_one_entry_for_each_interface() -> None:
    assert read_status(STATUS) == (
        Interface(network="cilium", name="eth0", ips=("10.0.1.9",), default=True),
        Interface(
            network="train/ib-net",
            name="net1",
            mac="00:00",
            pci_address=PciAddress.parse("0000:18:00.2"),
            rdma_device="mlx5_2",
        ),
    )


@pytest.mark.parametrize("value", ["", "null", "{}", '["a"]', '[{"ips": 1}]', "[" * 100_000])
def test_what_multus_would_not_write_is_no_status(value: str) -> None:
    assert read_status(value) is None


def test_an_address_that_is_none_is_left_out() -> None:
    read = read_status('[{"name": "a", "device-info": {"pci": {"pci-address": "x"}}}]')
    assert read == (Interface(network="a"),)
