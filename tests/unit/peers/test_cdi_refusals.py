"""What keeps a CDI spec from being loaded, and the library's sentence for it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Origin
from podwire.peers.cdi import LIBRARIES, NEWEST, Fault, Library, registry

PATH = "/etc/cdi/a.yaml"
NODE = {"path": "/dev/null"}
DEVICE = 'failed add device "a": invalid device "a": '


def fault_of(text: str, library: Library = NEWEST) -> Fault | None:
    document = Document(name="nodes/n/etc/cdi/a.yaml", origin=Origin.NODE, owner="n")
    files = {"etc/cdi/a.yaml": TextFile(document=document, text=text)}
    return registry(files, library=library).faults.get(PATH)


def spec(edits: object, version: str = "1.1.0", **more: object) -> str:
    devices = [{"name": "a", "containerEdits": edits}]
    return json.dumps({"cdiVersion": version, "kind": "x.com/y", "devices": devices, **more})


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ({"env": ["A"]}, 'invalid container edits: invalid environment variable "A"'),
        ({"env": ["=1"]}, 'invalid container edits: invalid environment variable "=1"'),
        ({"deviceNodes": [{}]}, "invalid (empty) device path"),
        ({"deviceNodes": [{**NODE, "type": "x"}]}, 'device "/dev/null": invalid type "x"'),
        (
            {"deviceNodes": [NODE, {**NODE, "permissions": "rx"}]},
            'device "/dev/null": invalid permissions "rx"',
        ),
        ({"hooks": [{"hookName": "x"}]}, 'invalid hook name "x"'),
        ({"hooks": [{"hookName": "poststop"}]}, 'invalid hook "poststop" with empty path'),
        (
            {"hooks": [{"hookName": "poststop", "path": "/x", "env": ["A"]}]},
            'invalid hook "poststop": invalid environment variable "A"',
        ),
        ({"mounts": [{"containerPath": "/x"}]}, "invalid mount, empty host path"),
        ({"mounts": [{"hostPath": "/x"}]}, "invalid mount, empty container path"),
        ({"intelRdt": {"closID": ".."}}, "invalid ClosID"),
        ({"netDevices": [{"name": "x"}]}, "invalid linux net device, empty HostInterfaceName"),
        ({"netDevices": [{"hostInterfaceName": "x"}]}, "invalid linux net device, empty Name"),
        (
            {"netDevices": [{"hostInterfaceName": "ib0", "name": n} for n in "xy"]},
            'invalid linux net device, duplicate HostInterfaceName "ib0" with names "y" and "x"',
        ),
        (
            {"netDevices": [{"hostInterfaceName": n, "name": "x"} for n in ("ib0", "ib1")]},
            'invalid linux net device, duplicate Name "x" with HostInterfaceName "ib1" and "ib0"',
        ),
    ],
)
def test_edits_that_do_not_fit_refuse_the_whole_spec(edits: object, sentence: str) -> None:
    fault = fault_of(spec(edits))
    assert fault is not None
    assert fault.sentence == f"failed to load CDI Spec invalid CDI Spec: {DEVICE}{sentence}"
    assert fault.place.path[:3] == ("devices", 0, "containerEdits")


def test_a_device_that_adds_nothing_is_refused() -> None:
    fault = fault_of(spec({"env": []}))
    assert fault is not None
    assert fault.sentence.endswith('failed add device "a": invalid device, empty device edits')


def test_edits_of_the_spec_itself_may_be_empty_and_have_to_fit() -> None:
    good = {"deviceNodes": [NODE]}
    assert fault_of(spec(good, containerEdits={})) is None
    fault = fault_of(spec(good, containerEdits={"env": ["A"]}))
    assert fault is not None
    assert fault.place.path == ("containerEdits", "env", 0)


@pytest.mark.parametrize(
    ("edits", "least"),
    [
        ({"mounts": [{"hostPath": "/x", "containerPath": "/x", "type": "bind"}]}, "0.4.0"),
        ({"deviceNodes": [{**NODE, "hostPath": "/dev/zero"}]}, "0.5.0"),
        ({"additionalGids": [5]}, "0.7.0"),
        ({"intelRdt": {}}, "0.7.0"),
        ({"intelRdt": {"enableMonitoring": True}}, "1.1.0"),
        ({"netDevices": [{"hostInterfaceName": "ib0", "name": "x"}]}, "1.1.0"),
    ],
)
def test_a_version_lower_than_what_is_used_refuses_the_spec(edits: object, least: str) -> None:
    fault = fault_of(spec(edits, version="0.3.0"))
    assert fault is not None
    assert fault.sentence.endswith(f"the spec version must be at least v{least}")
    assert fault_of(spec(edits, version=f"v{least}")) is None


def test_annotations_need_0_6_and_are_never_checked() -> None:
    text = spec({"deviceNodes": [NODE]}, version="0.5.0", annotations={"no key!": "x"})
    fault = fault_of(text)
    assert fault is not None
    assert fault.sentence.endswith("the spec version must be at least v0.6.0")
    assert fault_of(text.replace("0.5.0", "0.6.0")) is None


def test_of_host_paths_only_the_last_device_s_count_for_the_version() -> None:
    moved = {"name": "a", "containerEdits": {"deviceNodes": [{**NODE, "hostPath": "/dev/zero"}]}}
    plain = {"name": "b", "containerEdits": {"deviceNodes": [NODE]}}
    first = {"cdiVersion": "0.3.0", "kind": "x.com/y", "devices": [moved, plain]}
    assert fault_of(json.dumps(first)) is None
    assert fault_of(json.dumps({**first, "devices": [plain, moved]})) is not None


@pytest.mark.parametrize(
    ("edits", "since"),
    [
        ({"intelRdt": {"closID": "/"}}, "1.1.0"),
        ({"deviceNodes": [{**NODE, "permissions": "none"}]}, "1.1.1"),
    ],
)
def test_newer_libraries_take_more(edits: object, since: str) -> None:
    taken = {
        version
        for version, library in LIBRARIES.items()
        if fault_of(spec(edits, version="0.7.0"), library) is None
    }
    every = list(LIBRARIES)
    assert taken == set(every[every.index(since) :])


def test_the_newest_library_refuses_negative_numbers() -> None:
    text = spec({"deviceNodes": [{**NODE, "type": "c", "major": -1, "minor": 5}]})
    fault = fault_of(text, LIBRARIES["1.1.2"])
    assert fault is not None
    assert fault.sentence.endswith('device "/dev/null": invalid (negative) device number -1:5')
    assert fault_of(text) is None


def test_a_spec_without_devices_is_loaded_before_1_0() -> None:
    text = json.dumps({"cdiVersion": "0.6.0", "kind": "x.com/y", "devices": []})
    assert fault_of(text, LIBRARIES["0.8"]) is None
    assert fault_of(text, LIBRARIES["1.0"]) is not None


def test_an_empty_item_of_a_list_which_crashes_the_library_is_a_fault_in_podwire_s_words() -> None:
    fault = fault_of(spec({"deviceNodes": [NODE, None]}))
    assert fault is not None
    assert fault.sentence.endswith("an item of deviceNodes is empty")
    assert not fault.is_exact


TEXT = """\
cdiVersion: "0.6.0"
kind: x.com/y
devices:
- name: {name}
  containerEdits:
    deviceNodes:
    - path: /dev/null
      major: {major}
"""


@pytest.mark.parametrize(
    ("name", "older", "newer"),
    [("0", "0", "0"), ("0x10", "16", "0x10"), ("on", "true", "on"), ("1e3", "1000", "1e3")],
)
def test_an_unquoted_name_is_read_as_json_would_before_1_1_1(
    name: str, older: str, newer: str
) -> None:
    document = Document(name="a.yaml", origin=Origin.NODE, owner="n")
    text = TEXT.format(name=name, major=0)
    files = {"etc/cdi/a.yaml": TextFile(document=document, text=text)}
    assert list(registry(files, library=LIBRARIES["1.1.0"]).devices) == [f"x.com/y={older}"]
    assert list(registry(files).devices) == [f"x.com/y={newer}"]


@pytest.mark.parametrize("major", ["abc", '"5"', "99999999999999999999", "[1]", "{a: 1}", "yes"])
def test_a_number_that_is_none_is_refused_with_its_line(major: str) -> None:
    fault = fault_of(TEXT.format(name="a", major=major))
    assert fault is not None
    assert fault.sentence.endswith("line 8: major is no int64")
    assert fault.place.path == ("devices", 0, "containerEdits", "deviceNodes", 0, "major")


def test_a_fraction_is_cut_off_since_1_1_1_and_refused_before() -> None:
    text = TEXT.format(name="a", major="1.5")
    assert fault_of(text) is None
    assert fault_of(text, LIBRARIES["1.1.0"]) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: a", "name: [a]"),
        ("- path", "path"),
        ("devices:", "devices: x\nother:"),
        ("kind: x.com/y", "annotations: x\nkind: x.com/y"),
        ("kind: x.com/y", "kind: x.com/y\nkind: x.com/z"),
        ("kind: x.com/y", "containerEdits: 5\nkind: x.com/y"),
        ("kind: x.com/y", "containerEdits: {intelRdt: {enableMonitoring: 5}}\nkind: x.com/y"),
    ],
)
def test_what_is_of_another_kind_or_stands_twice_is_refused(before: str, after: str) -> None:
    text = TEXT.format(name="a", major=0)
    assert fault_of(text) is None
    for library in (NEWEST, LIBRARIES["1.1.0"]):
        fault = fault_of(text.replace(before, after), library)
        assert fault is not None
        assert "failed to unmarshal CDI Spec: " in fault.sentence


@pytest.mark.parametrize(
    ("text", "newest", "older"),
    [
        ("", ": failed to unmarshal CDI Spec: EOF", ", no Spec data"),
        ("# later\n", ": failed to unmarshal CDI Spec: EOF", ", no Spec data"),
        ("---\n", ", no Spec data", ", no Spec data"),
        ("~\n", ", no Spec data", ", no Spec data"),
    ],
)
def test_a_file_that_says_nothing_is_refused(text: str, newest: str, older: str) -> None:
    above = f'failed to load CDI Spec failed to parse CDI Spec "{PATH}"'
    now, before = fault_of(text), fault_of(text, LIBRARIES["1.1.0"])
    assert now is not None
    assert before is not None
    assert (now.sentence, before.sentence) == (f"{above}{newest}", f"{above}{older}")


def test_fields_in_other_letters_count_before_1_1_1_only() -> None:
    text = TEXT.format(name="a", major=0).replace("kind:", "Kind:").replace("devices:", "DEVICES:")
    assert fault_of(text, LIBRARIES["1.1.0"]) is None
    fault = fault_of(text)
    assert fault is not None
    assert "\n  line 2: field Kind not found in type specs.Spec" in fault.sentence


def test_anchors_and_merged_keys_are_followed() -> None:
    text = TEXT.format(name="&n a", major=0).replace("containerEdits:", "containerEdits: &e", 1)
    merged = "- name: b\n  containerEdits:\n    <<: *e\n    env: [A=1]\n"
    more = f"{merged}- {{name: c, containerEdits: *e}}\n"
    document = Document(name="a.yaml", origin=Origin.NODE, owner="n")
    files = {"etc/cdi/a.yaml": TextFile(document=document, text=f"{text}{more}")}
    devices = registry(files).devices
    assert [len(devices[f"x.com/y={name}"].device_nodes) for name in "abc"] == [1, 1, 1]


PIECES = (
    "cdiVersion: 0.6.0\n",
    "kind: x.com/y\n",
    "devices:\n",
    "- name: a\n",
    "  containerEdits:\n",
    "    deviceNodes:\n",
    "    - path: /dev/null\n",
    "&a ",
    "*a",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    "- ",
    ": ",
    "~",
    "\n",
    "---\n",
    "? ",
    "!!binary ",
    "!x ",
    "\t",
    "|\n",
    '"',
    "x",
    "1e999",
    "\ud7ff",
    "\0",
)


@given(st.lists(st.sampled_from(PIECES)), st.sampled_from(list(LIBRARIES.values())))
def test_no_text_makes_it_raise(pieces: list[str], library: Library) -> None:
    fault = fault_of("".join(pieces), library)
    assert fault is None or fault.sentence.startswith("failed to load CDI Spec ")
