"""The configuration file, as cmd/sriovdp/manager.go and pkg/types/types.go read it (v3.11.0)."""

import pytest
from tests.unit.peers.sriovdp_trees import NO_VERSION, config_of, entry, text_of, version

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.sriovdp.config import read_config
from podwire.peers.sriovdp.records import Config, ConfigFault, Effect, FaultKind, UnknownKey

GOOD = {"vendors": ["15b3"]}


def read(text: str, *, of: str | None = "v3.11.0") -> Config:
    return read_config(text, default_prefix="intel.com", version=version(of))


def only(config: Config) -> ConfigFault:
    (fault,) = config.faults
    return fault


def ignored(config: Config) -> list[UnknownKey]:
    below = ((*e.unknown, *(k for s in e.selectors for k in s.unknown)) for e in config.entries)
    return [*config.unknown, *(key for keys in below for key in keys)]


def is_quiet(config: Config) -> bool:
    return not config.faults and config.is_fatal == Known(value=False)


# Keys and types: Go's encoding/json.


def test_keys_match_in_any_case() -> None:
    config = read('{"RESOURCELIST": [{"ResourceName": "a", "SELECTORS": {"PFNAMES": ["p0"]}}]}')
    assert config.entries[0].resource_name == "a"
    assert config.entries[0].selectors[0].pf_names == ("p0",)
    assert not ignored(config)


def test_a_place_has_the_key_as_it_is_written() -> None:
    config = read('{"RESOURCELIST": [{"ResourceName": "a b", "Selectors": [{"Devices": []}]}]}')
    assert only(config).path == ("RESOURCELIST", 0, "ResourceName")
    path = ("RESOURCELIST", 0, "Selectors", 0, "Devices")
    assert config.entries[0].selectors[0].at("devices") == path
    assert config.entries[0].selectors[0].at("vendors") == (*path[:-1], "vendors")


def test_the_last_of_equal_keys_wins() -> None:
    config = read('{"resourceList": [{"resourceName": "a", "resourcename": "b", "selectors": {}}]}')
    assert config.entries[0].resource_name == "b"


def test_null_takes_no_name_back_and_empties_a_list() -> None:
    config = read(
        '{"resourceList": [{"resourceName": "a", "ResourceName": null,'
        ' "excludeTopology": true, "ExcludeTopology": null,'
        ' "selectors": {"isRdma": true, "IsRdma": null, "devices": ["101e"], "Devices": null}}]}'
    )
    (found,) = config.entries
    assert (found.resource_name, found.exclude_topology) == ("a", True)
    assert (found.selectors[0].is_rdma, found.selectors[0].devices) == (True, ())


def test_a_wrong_type_counts_also_where_a_later_key_would_do() -> None:
    config = read('{"resourceList": [{"resourceName": 1, "ResourceName": "a", "selectors": {}}]}')
    assert only(config).path == ("resourceList", 0, "resourceName")


def test_what_is_no_json_is_told_in_gos_words_with_the_place() -> None:
    fault = only(read('{"resourceList": [],}'))
    assert fault.reason == "invalid character '}' looking for beginning of object key string"
    assert fault.at == 20


def test_an_unknown_selector_key_is_ignored_and_the_nearest_is_named() -> None:
    config = config_of(entry("a", {"pfName": ["p0"]}))
    (key,) = ignored(config)
    assert is_quiet(config)
    assert key.path == ("resourceList", 0, "selectors", 0, "pfName")
    assert (key.key, key.nearest, key.device_types) == ("pfName", "pfNames", ())


def test_a_selector_key_outside_of_selectors_is_unknown() -> None:
    (key,) = ignored(config_of(entry("a", GOOD, rootDevices=["0000:18:00.0"])))
    assert key.path == ("resourceList", 0, "rootDevices")
    assert key.device_types == ("netDevice", "auxNetDevice")


def test_an_entry_key_inside_of_selectors_is_unknown() -> None:
    (key,) = ignored(config_of(entry("a", {**GOOD, "excludeTopology": True})))
    assert key.path == ("resourceList", 0, "selectors", 0, "excludeTopology")


def test_an_unknown_key_at_the_top_is_listed() -> None:
    config = read('{"resourcelist": [{"resourceName": "a", "selectors": {}}], "resourceLists": 1}')
    (key,) = config.unknown
    assert (key.path, key.nearest) == (("resourceLists",), "resourceList")


def test_a_key_that_only_another_device_type_knows_is_unknown() -> None:
    (key,) = ignored(config_of(entry("a", {"auxTypes": ["sf"]})))
    assert key.device_types == ("auxNetDevice",)


def test_known_keys_are_quiet() -> None:
    selector = {
        **{k: ["x"] for k in ("vendors", "devices", "drivers", "pciAddresses", "acpiIndexes")},
        **{k: ["x"] for k in ("pfNames", "rootDevices", "linkTypes", "ddpProfiles", "pKeys")},
        "isRdma": True,
        "needVhostNet": True,
        "vdpaType": "",
    }
    more = {"deviceType": "netDevice", "excludeTopology": True, "additionalInfo": {"*": {"a": "b"}}}
    config = config_of(entry("a", selector, **more))
    assert is_quiet(config)
    assert not ignored(config)
    assert config.entries[0].exclude_topology


@pytest.mark.parametrize(
    "text",
    [
        "",
        "resourceList:\n- resourceName: a",
        '{"resourceList": []} // a comment',
        '{"resourceList": [],}',
        '{"resourceList": NaN}',
        "[" * 100_000,
    ],
)
def test_what_is_no_json_ends_the_plugin(text: str) -> None:
    config = read(text)
    fault = only(config)
    assert (fault.kind, fault.effect) == (FaultKind.NOT_JSON, Effect.PLUGIN_ENDS)
    assert fault.says.startswith("error getting resources from file")
    assert fault.says.endswith("please make sure the config is in json format")
    assert config.is_fatal == Known(value=True)
    assert config.entries == ()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[]", ()),
        ('{"resourceList": {}}', ("resourceList",)),
        ('{"resourceList": [3]}', ("resourceList", 0)),
        (text_of(entry("a", GOOD, excludeTopology="true")), ("resourceList", 0, "excludeTopology")),
        (text_of(entry("a", GOOD, deviceType=3)), ("resourceList", 0, "deviceType")),
        (
            text_of(entry("a", GOOD, additionalInfo={"*": "b"})),
            ("resourceList", 0, "additionalInfo"),
        ),
    ],
)
def test_a_value_of_another_type_above_the_selectors_ends_the_plugin(
    text: str, path: tuple[str | int, ...]
) -> None:
    fault = only(read(text))
    assert (fault.kind, fault.effect) == (FaultKind.WRONG_TYPE, Effect.PLUGIN_ENDS)
    assert fault.path == path


# deviceType


def test_the_device_type_is_netdevice_unless_said() -> None:
    assert config_of(entry("a", GOOD)).entries[0].device_type == "netDevice"


@pytest.mark.parametrize("other", ["netdevice", "vfio-pci", "NetDevice"])
def test_another_device_type_ends_the_plugin_and_its_case_matters(other: str) -> None:
    config = config_of(entry("a", GOOD), entry("b", GOOD, deviceType=other))
    fault = only(config)
    assert fault.kind is FaultKind.BAD_DEVICE_TYPE
    assert fault.says == f'error getting resources from file unsupported deviceType:  "{other}"'
    assert fault.path == ("resourceList", 1, "deviceType")
    assert config.is_fatal == Known(value=True)


@pytest.mark.parametrize("legal", ["netDevice", "accelerator", "auxNetDevice"])
def test_legal_device_types_are_quiet(legal: str) -> None:
    assert is_quiet(config_of(entry("a", GOOD, deviceType=legal)))


# selectors


def test_selectors_may_be_an_object() -> None:
    config = config_of({"resourceName": "a", "selectors": GOOD})
    assert is_quiet(config)
    assert config.entries[0].selectors[0].path == ("resourceList", 0, "selectors")


def test_selectors_may_be_a_list_of_objects() -> None:
    config = config_of(entry("a", GOOD, {"devices": ["101e"]}))
    assert is_quiet(config)
    assert [s.devices for s in config.entries[0].selectors] == [(), ("101e",)]
    assert config.entries[0].selectors[1].path == ("resourceList", 0, "selectors", 1)


@pytest.mark.parametrize(
    ("selectors", "path"),
    [
        ({"vendors": "15b3"}, ("vendors",)),
        ([{"isRdma": "true"}], (0, "isRdma")),
        ([GOOD, "15b3"], (1,)),
        ([], ()),
        ("15b3", ()),
        ({"devices": [101]}, ("devices",)),
    ],
)
def test_selectors_of_another_form_cost_only_their_pool(
    selectors: object, path: tuple[str | int, ...]
) -> None:
    config = config_of(entry("good", GOOD), {"resourceName": "bad", "selectors": selectors})
    fault = only(config)
    assert fault.kind is FaultKind.SELECTORS_UNREADABLE
    assert fault.effect is Effect.POOL_DROPPED
    assert fault.says.startswith("unable to get SelectorObj from selectors list:")
    assert fault.path == ("resourceList", 1, "selectors", *path)
    assert [e.is_kept for e in config.entries] == [True, False]
    assert config.is_fatal == Known(value=False)


@pytest.mark.parametrize("more", [{}, {"selectors": None}, {"selectors": [None]}])
def test_absent_selectors_crash_the_plugin(more: dict[str, object]) -> None:
    config = config_of({"resourceName": "a", **more}, entry("b", GOOD))
    assert only(config).kind is FaultKind.SELECTORS_MISSING
    assert only(config).says.startswith("panic: runtime error: invalid memory address")
    assert config.is_fatal == Known(value=True)


def test_no_usable_entry_ends_the_plugin() -> None:
    config = config_of({"resourceName": "a", "selectors": []})
    assert [f.kind for f in config.faults] == [
        FaultKind.SELECTORS_UNREADABLE,
        FaultKind.NOTHING_LEFT,
    ]
    assert config.faults[1].says == "no resource configuration; exiting"
    assert config.is_fatal == Known(value=True)
    assert only(read("{}")).kind is FaultKind.NOTHING_LEFT
    assert only(read("null")).kind is FaultKind.NOTHING_LEFT


def test_one_usable_entry_is_enough() -> None:
    assert is_quiet(config_of(entry("a", {})))


# Names: pkg/utils/utils.go ValidResourceName.


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "a b", "a-b.c", "a\n"])
@pytest.mark.parametrize("of", ["v3.5.1", "v3.11.0", None])
def test_other_characters_are_refused_in_every_version(name: str, of: str | None) -> None:
    config = config_of(entry("good", GOOD), entry(name, GOOD), of=of)
    fault = only(config)
    assert (fault.kind, fault.effect) == (FaultKind.BAD_NAME, Effect.PLUGIN_ENDS)
    assert fault.says == f'resource name "{name}" contains invalid characters'
    assert fault.path == ("resourceList", 1, "resourceName")
    assert fault.certain == Known(value=True)
    assert config.is_fatal == Known(value=True)
    assert config.entries[1].resource is None


@pytest.mark.parametrize("of", ["v3.5.1", "v3.11.0", "v9.0.0", None])
def test_letters_digits_and_underscores_are_quiet_in_every_version(of: str | None) -> None:
    assert is_quiet(config_of(entry("Ib_vf_0", GOOD), of=of))


def test_a_hyphen_is_refused_before_3_6_0() -> None:
    config = config_of(entry("ib_train", GOOD), entry("ib-storage", GOOD), of="v3.5.1")
    assert only(config).kind is FaultKind.BAD_NAME
    assert config.is_fatal == Known(value=True)


@pytest.mark.parametrize("of", ["v3.6.0", "v3.11.0"])
def test_a_hyphen_is_accepted_since_3_6_0(of: str) -> None:
    config = config_of(entry("ib-storage", GOOD), of=of)
    assert is_quiet(config)
    assert config.entries[0].resource == ResourceName(prefix="example.com", name="ib-storage")


@pytest.mark.parametrize("of", [None, "v2.9.0", "v3.12.0"])
def test_a_hyphen_claims_nothing_where_the_version_is_not_known(of: str | None) -> None:
    config = config_of(entry("ib-storage", GOOD), of=of)
    assert isinstance(only(config).certain, Unknown)
    assert isinstance(config.is_fatal, Unknown)
    assert config.entries[0].resource is not None
    if of is None:
        assert only(config).certain == NO_VERSION


def test_a_certain_fault_decides_beside_an_uncertain_one() -> None:
    config = config_of(entry("ib-storage", GOOD), entry("a b", GOOD), of=None)
    assert config.is_fatal == Known(value=True)


def test_the_name_of_a_dropped_entry_is_not_looked_at() -> None:
    config = config_of(entry("good", GOOD), {"resourceName": "a b", "selectors": []})
    assert [f.kind for f in config.faults] == [FaultKind.SELECTORS_UNREADABLE]


def test_a_name_used_twice_ends_the_plugin() -> None:
    twice = entry("a", GOOD, resourcePrefix="example.com")
    config = config_of(entry("a", GOOD), twice)
    assert only(config).kind is FaultKind.DUPLICATE_NAME
    assert only(config).says == 'resource name "example.com/a" already exists'
    assert config.is_fatal == Known(value=True)


def test_the_same_name_under_another_prefix_is_quiet() -> None:
    config = config_of(entry("a", GOOD), entry("a", GOOD, resourcePrefix="other.com"))
    assert is_quiet(config)
    assert [str(e.resource) for e in config.entries] == ["example.com/a", "other.com/a"]


def test_an_empty_prefix_means_the_default() -> None:
    assert config_of(entry("a", GOOD, resourcePrefix="")).entries[0].prefix == "example.com"


def test_is_rdma_and_vdpa_type_exclude_each_other() -> None:
    config = config_of(entry("a", GOOD, {"isRdma": True, "vdpaType": "vhost"}))
    fault = only(config)
    assert fault.kind is FaultKind.RDMA_AND_VDPA
    assert fault.says.startswith("invalid config: VdpaType and IsRdma")
    assert fault.path == ("resourceList", 0, "selectors", 1, "vdpaType")
    assert config.is_fatal == Known(value=True)


def test_is_rdma_in_one_selector_and_vdpa_type_in_another_are_quiet() -> None:
    assert is_quiet(config_of(entry("a", {"isRdma": True}, {"vdpaType": "vhost"})))
