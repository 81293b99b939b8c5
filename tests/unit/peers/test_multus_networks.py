"""The networks annotation, each sentence of what Multus takes and refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.peers.multus import (
    Selection,
    Selections,
    Unreadable,
    read_networks,
)

JSON_FAULT = (
    "parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation "
    "JSON format: "
)


def selected(value: str) -> tuple[Selection, ...]:
    read = read_networks(value, namespace="train")
    assert isinstance(read, Selections), read
    return read.items


def refused(value: str) -> Unreadable:
    read = read_networks(value, namespace="train")
    assert isinstance(read, Unreadable), read
    return read


def names(value: str) -> list[tuple[str, str, str]]:
    return [(s.namespace, s.name, s.interface) for s in selected(value)]


def test_nothing_selects_nothing() -> None:
    assert read_networks("", namespace="train") == Selections(items=(), form="none")


def test_an_empty_list_selects_nothing() -> None:
    assert read_networks("[]", namespace="train") == Selections(items=(), form="json")


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("ib-net", ("train", "ib-net", "")),
        ("infra/ib-net", ("infra", "ib-net", "")),
        ("ib-net@ib0", ("train", "ib-net", "ib0")),
        ("infra/ib-net@ib0.1", ("infra", "ib-net", "ib0.1")),
        ("  infra / ib-net @ ib0  ", ("infra", "ib-net", "ib0")),
        ("ib-net@", ("train", "ib-net", "")),
        ("/ib-net", ("train", "ib-net", "")),
        ("null", ("train", "null", "")),
        ("ib-net@abcdefghijklmno", ("train", "ib-net", "abcdefghijklmno")),
    ],
)
def test_the_comma_form_is_namespace_name_interface(value: str, want: tuple[str, str, str]) -> None:
    assert names(value) == [want]


def test_a_selection_names_its_network() -> None:
    assert str(selected("infra/ib-net")[0].ref) == "NetworkAttachmentDefinition infra/ib-net"


def test_spaces_and_line_breaks_around_items_do_not_count() -> None:
    assert [s.name for s in selected(" a ,\n b\t,c ")] == ["a", "b", "c"]


def test_the_same_network_may_be_listed_several_times() -> None:
    assert [s.interface_name() for s in selected("ib-net, ib-net, ib-net@rail2, ib-net")] == [
        "net1",
        "net2",
        "rail2",
        "net4",
    ]


@pytest.mark.parametrize(
    ("value", "says", "at"),
    [
        ("a/b/c", "Invalid network object (failed at '/')", 0),
        ("ok, a@b@c", "Invalid network object (failed at '@')", 4),
        ("ib.net", "mismatch @ 'ib.net'", 0),
        ("IB-net", "mismatch @ 'IB-net'", 0),
        ("ib_net", "mismatch @ 'ib_net'", 0),
        ("-ib", "mismatch @ '-ib'", 0),
        ("ib-", "mismatch @ 'ib-'", 0),
        ("Infra/ib-net", "mismatch @ 'Infra'", 0),
        ("a@b/c", "mismatch @ 'a@b'", 0),
        ("ib-net@abcdefghijklmnop", "must be less than 15 chars", 0),
        ("ib-net@a b", "interface name 'a b'", 0),
    ],
)
def test_the_comma_form_refuses(value: str, says: str, at: int) -> None:
    fault = refused(value)
    assert fault.message.startswith("parsePodNetworkAnnotation: parsePodNetworkObjectName: ")
    assert says in fault.message
    assert fault.at == at
    assert fault.hint


def test_networks_separated_by_spaces_are_told_to_take_commas() -> None:
    assert refused("ib-net other-net").hint == "separate networks by commas"


@pytest.mark.parametrize(
    ("value", "at"), [("ib-net,", 7), (",ib-net", 0), ("a,, b", 2), ("infra/", 0), (" ", 0)]
)
def test_an_item_without_a_name_is_looked_up_and_not_found(value: str, at: int) -> None:
    fault = refused(value)
    assert fault.message.startswith("cannot find a network-attachment-definition () in namespace")
    assert fault.at == at
    assert fault.hint


@pytest.mark.parametrize("sign", ["[", "{", '"'])
def test_one_sign_of_json_makes_the_whole_json(sign: str) -> None:
    assert refused(f"ib-net{sign}").message.startswith(JSON_FAULT)


def test_the_json_form_reads_every_key() -> None:
    value = (
        '[{"name": "ib-net", "namespace": "infra", "interface": "rail0", "deviceID": "d",'
        ' "infiniband-guid": "02:00:00:00:00:00:00:01", "mac": "02:00:00:00:00:01",'
        ' "ips": ["10.0.0.1", "10.0.0.2/24", "fd00::1"], "default-route": ["10.0.0.254"],'
        ' "cni-args": {"guid": "x"}, "portMappings": [{"hostPort": 1}], "bandwidth": {}},'
        ' {"name": "b"}]'
    )
    first, second = selected(value)
    assert first == Selection(
        index=0,
        name="ib-net",
        namespace="infra",
        interface="rail0",
        device_id="d",
        guid="02:00:00:00:00:00:00:01",
        mac="02:00:00:00:00:01",
        ips=("10.0.0.1", "10.0.0.2/24", "fd00::1"),
        gateways=("10.0.0.254",),
        path=(0,),
        text=first.text,
    )
    assert first.text.startswith('{"name": "ib-net"')
    assert (second.namespace, second.interface_name(), second.path) == ("train", "net2", (1,))


def test_the_comma_form_has_no_inner_path() -> None:
    assert selected("ib-net")[0].path is None


def test_keys_match_whatever_their_case_and_null_means_not_given() -> None:
    first = selected('[{"NAME": "a", "Namespace": null, "ips": null}]')[0]
    assert (first.name, first.namespace, first.ips) == ("a", "train", ())


@pytest.mark.parametrize(
    ("keys", "want"),
    [
        ('"interfaceRequest": "old"', "old"),
        ('"interfaceRequest": "old", "interface": "new"', "new"),
    ],
)
def test_the_old_key_for_the_interface_is_still_read(keys: str, want: str) -> None:
    assert selected(f'[{{"name": "a", {keys}}}]')[0].interface == want


def test_json_names_and_interfaces_are_not_looked_at() -> None:
    assert names('[{"name": "Ib.Net", "interface": "far-too-long-for-linux"}]') == [
        ("train", "Ib.Net", "far-too-long-for-linux")
    ]


def test_a_single_object_is_told_to_be_a_list() -> None:
    fault = refused('{"name": "ib-net"}')
    assert fault.message == (
        f"{JSON_FAULT}json: cannot unmarshal object into Go value of type "
        "[]*types.NetworkSelectionElement"
    )
    assert fault.hint == "a list of objects: wrap it in [ ]"


@pytest.mark.parametrize(
    ("value", "says", "path"),
    [
        ('["a"]', "cannot unmarshal string into Go value", (0,)),
        ('[{"name": 1}]', "cannot unmarshal number into Go struct field", (0, "name")),
        ('[{"name": "a", "ips": "10.0.0.1"}]', "of type []string", (0, "ips")),
        ('[{"name": "a", "ips": [1]}]', "of type string", (0, "ips", 0)),
        ('[{"name": "a", "cni-args": "guid"}]', "of type map", (0, "cni-args")),
        ('[{"name": "a"}, {"name": "b", "mac": true}]', "unmarshal bool", (1, "mac")),
        (
            '[{"name": "a", "default-route": ["x"]}]',
            "invalid IP address: x",
            (0, "default-route", 0),
        ),
        ('[{"name": "a", "DeviceID": 1}]', "Element.deviceID of type string", (0, "DeviceID")),
        ("[null]", "nil pointer dereference", (0,)),
        ('[{"interface": "net1"}]', "cannot find a network-attachment-definition ()", (0,)),
        ('"ib-net"', "cannot unmarshal string into Go value", ()),
        (
            '[{"name": "a", "infiniband-guid": "0200:0000:0000:0001"}]',
            "failed to validate infiniband GUID: address 0200:0000:0000:0001: invalid MAC",
            (0, "infiniband-guid"),
        ),
        ('[{"name": "a", "mac": "x"}]', "failed to mac: address x", (0, "mac")),
        ('[{"name": "a", "ips": ["10.0.0.1/33"]}]', 'parse CIDR "10.0.0.1/33"', (0, "ips", 0)),
        ('[{"name": "a", "ips": ["10.0.0.1/x"]}]', "invalid CIDR address", (0, "ips", 0)),
        ('[{"name": "a", "ips": ["10.0.0"]}]', 'parse IP address "10.0.0"', (0, "ips", 0)),
        ('[{"name": "a", "ips": ["fe80::1%eth0"]}]', "parse IP address", (0, "ips", 0)),
        ('[{"name": "a", "ips": [null]}]', 'parse IP address ""', (0, "ips", 0)),
    ],
)
def test_the_json_form_refuses(value: str, says: str, path: tuple[str | int, ...]) -> None:
    fault = refused(value)
    assert says in fault.message
    assert fault.message.endswith(fault.reason)
    assert fault.path == path


@pytest.mark.parametrize(
    ("value", "says", "at"),
    [
        ('[{"name": "a"}', "unexpected end of JSON input", 14),
        ('[{"name": "a"} {"name": "b"}]', "invalid character '{' after array element", 15),
        ('[{"name": "a", }]', "invalid character '}' looking for beginning of object key", 15),
        ('[{"name" "a"}]', "invalid character '\"' after object key", 9),
        ("[{'name': 'a'}]", "invalid character '\\'' looking for beginning of object key", 2),
        ('[{"näme": }]', "invalid character '}' looking for beginning of value", 10),
    ],
)
def test_broken_json_is_told_in_multus_words_with_the_place(value: str, says: str, at: int) -> None:
    fault = refused(value)
    assert fault.message.startswith(JSON_FAULT + says)
    assert fault.at == at


def test_single_quotes_are_told_to_be_double() -> None:
    assert refused("[{'name': 'a'}]").hint == "JSON takes double quotes"


@pytest.mark.parametrize(
    "guid", ["02:00:00:00:00:00:00:01", "02-00-00-00-00-00-00-01", "0200.0000.0000.0001"]
)
def test_a_guid_is_read_as_a_mac_in_each_of_gos_ways(guid: str) -> None:
    assert selected(f'[{{"name": "a", "infiniband-guid": "{guid}"}}]')[0].guid == guid


@pytest.mark.parametrize(
    ("gateways", "family"),
    [
        (("10.0.0.1", "10.0.0.2"), "IPv4"),
        (("fd00::1", "fd00::2"), "IPv6"),
        (("10.0.0.1", "::ffff:10.0.0.2"), "IPv4"),
        (("fd00::1", ""), "IPv6"),
    ],
)
def test_two_default_routes_of_a_family_are_refused(gateways: tuple[str, str], family: str) -> None:
    value = ", ".join(f'{{"name": "a", "default-route": ["{g}"]}}' for g in gateways)
    fault = refused(f"[{value}]")
    assert fault.message == "multus does not support ECMP for default-route"
    assert fault.path == (1, "default-route")
    assert fault.hint == f"one {family} default-route for the whole pod"


def test_one_default_route_of_each_family_is_fine() -> None:
    value = '[{"name": "a", "default-route": ["10.0.0.1", "fd00::1"]}, {"name": "b"}]'
    assert len(selected(value)) == 2


def test_null_takes_no_name_back_and_empties_a_list() -> None:
    value = '[{"name": "a", "NAME": null, "ips": ["10.0.0.1"], "IPs": null}]'
    assert [(s.name, s.ips) for s in selected(value)] == [("a", ())]


@given(st.text() | st.from_regex(r"[\[\]{}\":,a-z0-9/@ ]*"))
def test_reading_never_raises(value: str) -> None:
    read = read_networks(value, namespace="train")
    assert isinstance(read, Selections | Unreadable)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "ips", "mac", "cni-args", "default-route", "interface", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(_values, max_size=3))
def test_reading_json_never_raises(tree: list[object]) -> None:
    read = read_networks(json.dumps(tree), namespace="train")
    assert isinstance(read, Selections | Unreadable)


def test_deep_nesting_is_refused() -> None:
    assert refused("[" * 100_000).message.startswith(JSON_FAULT)
