"""Folders of CDI specs: what resolves, what does not, and why."""

import json

import pytest

from podwire.documents.locate import Form, locate
from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Known, Origin, Unknown
from podwire.model.versions import Version
from podwire.peers.cdi import (
    CONTAINERD,
    LIBRARIES,
    NEWEST,
    TOOLKIT,
    Registry,
    conflict_sentence,
    library_of,
    registry,
)

MANAGEMENT = """\
cdiVersion: 0.5.0
kind: management.nvidia.com/gpu
containerEdits:
  env: [NVIDIA_VISIBLE_DEVICES=void]
  mounts:
  - {hostPath: /usr/bin/nvidia-smi, containerPath: /usr/bin/nvidia-smi, options: [ro]}
devices:
- name: all
  containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
    - {path: /dev/nvidia1, hostPath: /dev/gpus/1}
"""
UUID = "GPU-3fa90004-0c2e-4d71-8b1a-6e5d4c3b0004"


def spec(*names: str, kind: str = "nvidia.com/gpu", version: str = "0.6.0", node: int = 0) -> str:
    devices = [
        {"name": name, "containerEdits": {"deviceNodes": [{"path": f"/dev/nvidia{node}"}]}}
        for name in names
    ]
    return json.dumps({"cdiVersion": version, "kind": kind, "devices": devices})


def text_file(name: str, text: str) -> TextFile:
    name = f"nodes/gpu-a/{name}"
    return TextFile(document=Document(name=name, origin=Origin.NODE, owner="gpu-a"), text=text)


def known(texts: dict[str, str], **options: object) -> Registry:
    files = {name: text_file(name, text) for name, text in texts.items()}
    return registry(files, **options)  # type: ignore[arg-type] # the options are registry's own


def test_a_uuid_of_a_kind_that_has_only_all_does_not_resolve() -> None:
    found = known({"var/run/cdi/management.nvidia.com-gpu.yaml": MANAGEMENT})
    resolution = found.resolve([f"management.nvidia.com/gpu={UUID}"])
    assert resolution.sentence == f"unresolvable CDI devices management.nvidia.com/gpu={UUID}"
    assert found.kinds == {"management.nvidia.com/gpu": ("all",)}
    assert resolution.edits.device_nodes == ()


def test_a_name_that_resolves_gives_the_spec_s_edits_and_the_device_s() -> None:
    found = known({"var/run/cdi/management.nvidia.com-gpu.yaml": MANAGEMENT})
    resolution = found.resolve(["management.nvidia.com/gpu=all"])
    assert resolution.sentence == ""
    assert resolution.edits.env == ("NVIDIA_VISIBLE_DEVICES=void",)
    assert [mount.container_path for mount in resolution.edits.mounts] == ["/usr/bin/nvidia-smi"]
    nodes = found.devices["management.nvidia.com/gpu=all"].device_nodes
    assert [(node.path, node.host) for node in nodes] == [
        ("/dev/nvidia0", "/dev/nvidia0"),
        ("/dev/nvidia1", "/dev/gpus/1"),
    ]


def test_a_device_stands_where_its_name_does() -> None:
    device = known({"etc/cdi/a.yaml": MANAGEMENT}).devices["management.nvidia.com/gpu=all"]
    assert device.file == "/etc/cdi/a.yaml"
    located = locate(MANAGEMENT, form=Form.YAML, path=device.place.path)
    assert located is not None
    assert (located.position.line, located.position.column) == (8, 9)


def test_all_names_that_do_not_resolve_are_in_the_sentence_in_their_order() -> None:
    resolution = known({"etc/cdi/a.json": spec("0")}).resolve(
        ["c/d=1", "nvidia.com/gpu=0", "a/b=2"]
    )
    assert resolution.unresolved == ("c/d=1", "a/b=2")
    assert resolution.sentence == "unresolvable CDI devices c/d=1, a/b=2"


def test_a_later_folder_has_priority() -> None:
    texts = {"etc/cdi/a.json": spec("0", node=0), "var/run/cdi/b.json": spec("0", node=1)}
    assert known(texts).devices["nvidia.com/gpu=0"].file == "/var/run/cdi/b.json"
    turned = known(texts, spec_dirs=("/var/run/cdi", "/etc/cdi"))
    assert turned.devices["nvidia.com/gpu=0"].file == "/etc/cdi/a.json"


def test_a_name_twice_in_one_folder_resolves_nowhere() -> None:
    found = known({"etc/cdi/a.json": spec("0", "1"), "etc/cdi/b.json": spec("0")})
    assert list(found.devices) == ["nvidia.com/gpu=1"]
    assert [place.document.name for place in found.conflicts["nvidia.com/gpu=0"]] == [
        "nodes/gpu-a/etc/cdi/a.json",
        "nodes/gpu-a/etc/cdi/b.json",
    ]
    sentence = conflict_sentence(
        "nvidia.com/gpu=0", newer="/etc/cdi/b.json", older="/etc/cdi/a.json"
    )
    assert sentence == (
        'conflicting device "nvidia.com/gpu=0" (specs "/etc/cdi/b.json", "/etc/cdi/a.json")'
    )


def test_a_conflict_is_not_cured_by_a_folder_of_higher_priority() -> None:
    texts = {f"etc/cdi/{name}.json": spec("0") for name in "ab"}
    found = known({**texts, "var/run/cdi/c.json": spec("0")})
    assert found.resolve(["nvidia.com/gpu=0"]).unresolved == ("nvidia.com/gpu=0",)


@pytest.mark.parametrize("name", ["a.yml", "a.txt", "A.YAML", "sub/a.yaml"])
def test_files_with_another_ending_and_those_in_folders_below_are_not_specs(name: str) -> None:
    found = known({f"var/run/cdi/{name}": spec("0")})
    assert found.devices == {}
    assert found.faults == {}


def test_the_link_of_var_run_is_followed() -> None:
    found = known({"var/run/cdi/a.json": spec("0")}, spec_dirs=("/run/cdi",))
    assert found.devices["nvidia.com/gpu=0"].file == "/run/cdi/a.json"
    found = known({"run/cdi/a.json": spec("0")})
    assert found.devices["nvidia.com/gpu=0"].file == "/var/run/cdi/a.json"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (spec("0", version="0.4.0"), "the spec version must be at least v0.5.0"),
        (spec("a", version="9.0"), 'invalid version "9.0"'),
        (spec("a", kind="nvidia.com"), "invalid vendor. empty name"),
        (spec("a", kind="a/b.c", version="0.5.0"), "the spec version must be at least v0.6.0"),
        (spec("a", "a"), 'invalid spec, multiple device "a"'),
        (spec(), "invalid spec, no devices"),
        (
            spec("-a"),
            'failed add device "-a": invalid class "-a", should start with a letter or digit',
        ),
    ],
)  # fmt: skip
def test_a_spec_that_is_refused_has_the_library_s_sentence(text: str, sentence: str) -> None:
    found = known({"etc/cdi/a.json": text})
    fault = found.faults["/etc/cdi/a.json"]
    assert fault.sentence == f"failed to load CDI Spec invalid CDI Spec: {sentence}"
    assert fault.is_exact
    assert found.devices == {}
    assert found.kinds == {}


def test_a_field_that_the_library_does_not_know_is_named_with_its_line() -> None:
    text = MANAGEMENT.replace("- name: all\n", "- name: all\n  note: x\n")
    fault = known({"etc/cdi/a.yaml": text}).faults["/etc/cdi/a.yaml"]
    assert fault.sentence == (
        'failed to load CDI Spec failed to parse CDI Spec "/etc/cdi/a.yaml": failed to unmarshal '
        "CDI Spec: yaml: unmarshal errors:\n  line 9: field note not found in type specs.Device"
    )
    assert fault.place.path == ("devices", 0, "note")


def test_older_libraries_name_the_field_alone() -> None:
    text = MANAGEMENT.replace("kind:", "comment: x\nkind:")
    fault = known({"etc/cdi/a.yaml": text}, library=LIBRARIES["1.1.0"]).faults["/etc/cdi/a.yaml"]
    assert fault.sentence.endswith(
        'error unmarshaling JSON: while decoding JSON: json: unknown field "comment"'
    )


def test_a_spec_that_is_no_yaml_has_the_place_where_reading_stopped() -> None:
    fault = known({"etc/cdi/a.yaml": "# one\n---\nkind: [\n"}).faults["/etc/cdi/a.yaml"]
    assert not fault.is_exact
    assert fault.sentence.startswith(
        'failed to load CDI Spec failed to parse CDI Spec "/etc/cdi/a.yaml": '
    )
    assert (fault.place.line, fault.place.path) == (4, ())


def test_net_devices_need_a_library_that_knows_them() -> None:
    edits = {"netDevices": [{"hostInterfaceName": "ib0", "name": "net1"}]}
    text = json.dumps(
        {
            "cdiVersion": "1.1.0",
            "kind": "ib.example.com/vf",
            "devices": [{"name": "0", "containerEdits": edits}],
        }
    )
    newest = known({"etc/cdi/a.json": text})
    (device,) = newest.resolve(["ib.example.com/vf=0"]).devices
    assert device.edits.net_devices[0].host_interface_name == "ib0"
    assert "/etc/cdi/a.json" in known({"etc/cdi/a.json": text}, library=LIBRARIES["1.0"]).faults


def test_a_broken_spec_does_not_harm_the_others() -> None:
    found = known({"etc/cdi/a.json": "{", "etc/cdi/b.json": spec("0")})
    assert list(found.devices) == ["nvidia.com/gpu=0"]
    assert list(found.faults) == ["/etc/cdi/a.json"]


def test_a_spec_that_is_listed_and_was_not_collected_leaves_it_open() -> None:
    listings = {"var/run/cdi": ("a.json", "nvidia.yaml", "README"), "etc/cdi": ()}
    found = known({"var/run/cdi/a.json": spec("0")}, listings=listings)
    whole = found.resolve(["nvidia.com/gpu=1"]).whole
    assert isinstance(whole, Unknown)
    assert whole.reason == "the CDI spec /var/run/cdi/nvidia.yaml of node gpu-a was not collected"


def test_folders_that_were_listed_whole_assume_nothing() -> None:
    files = {"var/run/cdi/a.json": spec("0")}
    found = known(files, listings={"var/run/cdi": ("a.json",), "etc/cdi": ()})
    assert found.whole == Known(value=True)


def test_of_a_folder_that_nobody_listed_it_is_assumed_that_nothing_else_is_there() -> None:
    files = {"var/run/cdi/a.json": spec("0")}
    whole = known(files, listings={"var/run/cdi": ("a.json",)}).whole
    assert isinstance(whole, Known)
    assert whole.assumes == ("/etc/cdi of node gpu-a has no CDI spec beside those collected",)


@pytest.mark.parametrize(
    ("component", "version", "expected"),
    [
        (CONTAINERD, "1.7.28", "0.8"),
        (CONTAINERD, "2.1.4", "1.0"),
        (CONTAINERD, "2.4.2", NEWEST.version),
        (TOOLKIT, "v1.17.8", "0.8"),
        (TOOLKIT, "v1.18.0", "1.0"),
        (TOOLKIT, "v1.20.0", "1.1.0"),
        (TOOLKIT, "v1.20.1", NEWEST.version),
    ],
)
def test_a_runtime_s_version_tells_its_library(component: str, version: str, expected: str) -> None:
    library = library_of(component, Known(value=Version.parse(version)))
    assert isinstance(library, Known)
    assert library.value.version == expected


def test_the_library_of_an_unknown_runtime_is_unknown() -> None:
    assert isinstance(library_of("cri-o", Known(value=Version.parse("1.33.0"))), Unknown)
    newer = library_of(CONTAINERD, Known(value=Version.parse("2.9.0")))
    assert isinstance(newer, Unknown)
    assert newer.reason == "containerd 2.9.0 is newer than 2.4.2, the newest podwire knows"
