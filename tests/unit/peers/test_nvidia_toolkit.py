"""What a container gets of a node's GPUs, by which door, and what closes it."""

from collections.abc import Mapping

import msgspec
import pytest

from podwire.facts.node import Card, Mig, TextFile
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.model.versions import Version
from podwire.peers.cdi import registry
from podwire.peers.nvidia_toolkit import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    ANNOTATION_PREFIXES,
    Door,
    FaultKind,
    Mode,
    Mount,
    Node,
    Outcome,
    Program,
    Request,
    Stage,
    ToolkitConfig,
    outcome,
    read_config,
)

FIRST = GpuUuid(text="GPU-00000000-aaaa-bbbb-cccc-dddddddddddd")
SECOND = GpuUuid(text="GPU-00000001-aaaa-bbbb-cccc-dddddddddddd")
PART = GpuUuid(text="MIG-00000000-1111-2222-3333-444444444444")
CARDS = (
    Card(index=0, model="NVIDIA H200", uuid=FIRST),
    Card(index=1, model="NVIDIA H200", uuid=SECOND),
)
SPLIT = (
    msgspec.structs.replace(CARDS[0], migs=(Mig(profile="1g.18gb", uuid=PART),)),
    CARDS[1],
)
NO_VERSION: Unknown = Unknown(reason="the toolkit's image has no version as tag")
SYS_ADMIN = frozenset({"CAP_SYS_ADMIN"})
MANAGEMENT = """\
cdiVersion: 0.5.0
kind: management.nvidia.com/gpu
devices:
- name: all
  containerEdits: {deviceNodes: [{path: /dev/nvidia0}, {path: /dev/nvidia1}]}
"""


def at(version: str) -> Answer[Version]:
    return Known(value=Version.parse(version))


def node(
    cards: Answer[tuple[Card, ...] | None] | None = None, specs: Mapping[str, str] | None = None
) -> Node:
    files = {
        f"var/run/cdi/{name}": TextFile(
            document=Document(name=name, origin=Origin.NODE, owner="gpu-a"), text=text
        )
        for name, text in (specs or {}).items()
    }
    return Node(cards=cards or Known(value=CARDS), registry=Known(value=registry(files)))


def config_of(text: str) -> ToolkitConfig:
    document = Document(name="config.toml", origin=Origin.NODE, owner="gpu-a")
    return read_config(TextFile(document=document, text=text))


def of(
    request: Request,
    config: ToolkitConfig | None = None,
    version: str = "1.20.2",
    on: Node | None = None,
) -> Outcome:
    made = outcome(request, config or ToolkitConfig(), version=at(version), node=on or node())
    assert isinstance(made, Known)
    return made.value


def visible(value: str, *, privileged: bool = False) -> Request:
    return Request(
        env=(f"NVIDIA_VISIBLE_DEVICES={value}",),
        capabilities=SYS_ADMIN if privileged else frozenset(),
    )


def test_a_variable_of_an_ordinary_container_opens_every_gpu() -> None:
    made = of(visible("all"))

    assert made.gpus == Known(value=(FIRST, SECOND))
    assert (made.door, made.lets, made.mode) == (Door.ENVIRONMENT, ACCEPT_VARIABLE, Mode.JIT_CDI)


def test_the_setting_closes_the_variable() -> None:
    closed = ToolkitConfig(accept_variable=False)

    made = of(visible("all"), closed)

    assert made.gpus == Known(value=())
    assert made.ignored
    assert made.says == Known(value="")


def test_the_setting_does_not_close_it_for_sys_admin() -> None:
    made = of(visible("all", privileged=True), ToolkitConfig(accept_variable=False))

    assert made.gpus == Known(value=(FIRST, SECOND))
    assert made.lets == ()


def test_a_variable_of_the_image_counts_where_the_pod_has_none() -> None:
    of_image = Request(image_env=("NVIDIA_VISIBLE_DEVICES=all",))

    assert of(of_image).door is Door.IMAGE
    assert of(of_image).gpus == Known(value=(FIRST, SECOND))


def test_a_variable_of_the_pod_overrides_the_image() -> None:
    both = Request(env=("NVIDIA_VISIBLE_DEVICES=void",), image_env=("NVIDIA_VISIBLE_DEVICES=all",))

    assert of(both).gpus == Known(value=())
    assert of(both).door is None


def test_an_old_image_asks_for_everything_without_a_word() -> None:
    old = Request(image_env=("CUDA_VERSION=11.0",))
    new = Request(image_env=("CUDA_VERSION=12.4", "NVIDIA_REQUIRE_CUDA=cuda>=12.4"))

    assert of(old).door is Door.OLD_IMAGE
    assert of(old).gpus == Known(value=(FIRST, SECOND))
    assert of(new).gpus == Known(value=())


def test_the_last_of_two_variables_counts() -> None:
    """A pod's own variable stands after the device plugin's, and widens its list."""
    widened = Request(env=(f"NVIDIA_VISIBLE_DEVICES={FIRST}", "NVIDIA_VISIBLE_DEVICES=all"))

    assert of(widened).gpus == Known(value=(FIRST, SECOND))


@pytest.mark.parametrize("version", ["1.18.2", "1.20.2"])
def test_a_gpu_named_twice_is_no_gpu(version: str) -> None:
    """The list keeps an empty name for the first of two, and an empty name means `none`."""
    assert of(visible("0,0"), version=version).gpus == Known(value=())


def test_a_gpu_named_twice_is_one_gpu_to_nvidia_container_cli() -> None:
    assert of(visible("0,0"), version="1.17.8").gpus == Known(value=(FIRST,))


def test_none_gave_every_gpu_in_one_version() -> None:
    assert of(visible("none"), version="1.18.0").gpus == Known(value=(FIRST, SECOND))
    assert of(visible("none"), version="1.18.2").gpus == Known(value=())


def test_a_mount_is_a_door_only_where_it_is_let_in() -> None:
    mounting = Request(
        mounts=(Mount(source="/dev/null", destination="/var/run/nvidia-container-devices/1"),)
    )

    made = of(mounting, ToolkitConfig(accept_mounts=True, accept_variable=False))

    assert (made.door, made.lets) == (Door.VOLUME_MOUNT, ACCEPT_MOUNTS)
    assert made.gpus == Known(value=(SECOND,))
    assert of(mounting).gpus == Known(value=())


def test_an_annotation_is_a_door_although_variables_are_refused() -> None:
    annotated = Request(annotations={"cdi.k8s.io/x": "runtime.nvidia.com/gpu=1"})

    made = of(annotated, ToolkitConfig(accept_variable=False))

    assert (made.door, made.lets, made.mode) == (Door.ANNOTATION, ANNOTATION_PREFIXES, Mode.CDI)
    assert made.gpus == Known(value=(SECOND,))


def test_a_uuid_becomes_a_name_of_the_default_kind_which_has_none() -> None:
    config = ToolkitConfig(mode="cdi", default_kind="management.nvidia.com/gpu")

    made = of(visible(str(FIRST)), config, on=node(specs={"management.yaml": MANAGEMENT}))

    assert made.asked == (f"management.nvidia.com/gpu={FIRST}",)
    assert made.says == Known(
        value="could not apply required modification to OCI specification: error modifying OCI "
        "spec: failed to inject CDI devices: unresolvable CDI devices "
        f"management.nvidia.com/gpu={FIRST}",
        assumes=tuple(
            f"{folder} of node gpu-a has no CDI spec beside those collected"
            for folder in ("/etc/cdi", "/var/run/cdi")
        ),
    )
    assert made.stage is Stage.RUNTIME


def test_all_of_the_default_kind_is_every_gpu() -> None:
    config = ToolkitConfig(mode="cdi", default_kind="management.nvidia.com/gpu")

    made = of(visible("all"), config, on=node(specs={"management.yaml": MANAGEMENT}))

    assert made.gpus == Known(value=(FIRST, SECOND))
    assert made.says == Known(value="")


def test_a_device_whose_name_says_nothing_leaves_the_gpus_open() -> None:
    spec = MANAGEMENT.replace("name: all", "name: blue")

    made = of(visible("management.nvidia.com/gpu=blue"), on=node(specs={"management.yaml": spec}))

    assert made.says == Known(value="")
    assert isinstance(made.gpus, Unknown)


def test_features_let_rdma_devices_in_beside_a_gpu() -> None:
    env = ("NVIDIA_VISIBLE_DEVICES=0", "NVIDIA_MOFED=enabled")

    assert of(Request(env=env)).features == ("mofed",)
    assert of(Request(env=env[1:])).features == ()


def test_a_feature_in_mode_legacy_costs_the_gpus_since_1_19() -> None:
    request = Request(env=("NVIDIA_VISIBLE_DEVICES=0", "NVIDIA_GDS=enabled"))
    legacy = ToolkitConfig(mode="legacy")

    assert of(request, legacy, version="1.18.2").gpus == Known(value=(FIRST,))
    assert of(request, legacy, version="1.19.1").gpus == Known(value=())


def test_nvidia_container_cli_refuses_a_device_that_is_not_there() -> None:
    made = of(visible("9"), version="1.17.8")

    assert made.says == Known(value="nvidia-container-cli: device error: 9: unknown device")
    assert made.stage is Stage.CLI


def test_nvidia_container_cli_takes_uuids_in_any_case() -> None:
    shouted = visible(SECOND.text.upper())

    assert of(shouted, version="1.17.8").gpus == Known(value=(SECOND,))
    assert of(shouted, version="1.20.2").says != Known(value="")


@pytest.mark.parametrize("name", ["1", "+1", "01"])
def test_nvidia_container_cli_reads_numbers_as_c_does(name: str) -> None:
    assert of(visible(name), version="1.17.8").gpus == Known(value=(SECOND,))


@pytest.mark.parametrize("version", ["1.17.8", "1.20.2"])
def test_asking_for_all_is_told_from_asking_for_each(version: str) -> None:
    assert of(visible("all"), version=version).is_all
    assert not of(visible("0,1"), version=version).is_all


def test_an_address_is_left_open_where_nobody_knows_which_gpu_it_is() -> None:
    assert isinstance(of(visible("0000:1a:00.0"), version="1.17.8").says, Unknown)


@pytest.mark.parametrize("version", ["1.17.8", "1.20.2"])
@pytest.mark.parametrize("name", ["0:0", str(PART)])
def test_a_part_of_a_gpu_is_found_by_place_and_by_uuid(version: str, name: str) -> None:
    made = of(visible(name), version=version, on=node(Known(value=SPLIT)))

    assert made.gpus == Known(value=(PART,))


@pytest.mark.parametrize("version", ["1.17.8", "1.20.2"])
def test_all_are_the_parts_where_a_gpu_is_split(version: str) -> None:
    made = of(visible("all"), version=version, on=node(Known(value=SPLIT)))

    assert made.gpus == Known(value=(PART, SECOND))


def test_a_forced_program_overrides_the_mode() -> None:
    made = outcome(
        visible("0"),
        ToolkitConfig(mode="legacy"),
        version=at("1.20.2"),
        node=node(),
        program=Program.FORCED_CDI,
    )

    assert isinstance(made, Known)
    assert made.value.mode is Mode.CDI


def test_programs_are_told_by_their_paths() -> None:
    folder = "/usr/local/nvidia/toolkit"

    assert Program.at(f"{folder}/nvidia-container-runtime.legacy") is Program.FORCED_LEGACY
    assert Program.at(f"{folder}/nvidia-container-runtime") is Program.CONFIGURED
    assert Program.at("runc") is None


def test_without_a_version_what_all_agree_on_is_said() -> None:
    made = outcome(visible("all"), ToolkitConfig(), version=NO_VERSION, node=node())

    assert isinstance(made, Known)
    assert made.value.gpus == Known(value=(FIRST, SECOND))
    assert made.value.mode is None


def test_without_a_version_nothing_is_left_out_where_all_versions_are_alike() -> None:
    config = ToolkitConfig(mode="cdi")

    made = outcome(visible("void"), config, version=NO_VERSION, node=node())

    assert isinstance(made, Known)
    assert made.value.mode is Mode.CDI


def test_without_a_version_what_they_differ_in_is_not_said() -> None:
    made = outcome(visible("0,0"), ToolkitConfig(), version=NO_VERSION, node=node())

    assert made == NO_VERSION


@pytest.mark.parametrize("version", ["1.16.2", "1.18.1", "1.21.0"])
def test_a_version_that_was_not_read_is_asked_where_it_matters(version: str) -> None:
    config = ToolkitConfig()

    assert isinstance(outcome(visible("0,0"), config, version=at(version), node=node()), Unknown)
    assert isinstance(outcome(visible("all"), config, version=at(version), node=node()), Known)


def test_a_version_between_two_that_differ_is_named() -> None:
    made = outcome(visible("0,0"), ToolkitConfig(), version=at("1.18.1"), node=node())

    assert isinstance(made, Unknown)
    assert made.reason == (
        "nvidia-container-toolkit 1.18.1 was not read, and the versions before and after it differ"
    )


def test_a_gpu_by_number_is_open_where_the_node_s_gpus_were_not_read() -> None:
    blind = node(Unknown(reason="nvidia-smi -L was not collected"))

    made = of(visible("0"), on=blind)

    assert isinstance(made.says, Unknown)
    assert made.asked == ("runtime.nvidia.com/gpu=0",)


def test_all_is_let_in_also_where_the_node_s_gpus_were_not_read() -> None:
    made = of(visible("all"), on=node(Unknown(reason="nvidia-smi -L was not collected")))

    assert made.says == Known(value="")
    assert isinstance(made.gpus, Unknown)


def test_names_are_open_where_the_specs_were_not_read() -> None:
    unread: Unknown = Unknown(reason="/var/run/cdi was not collected")
    blind = Node(cards=Known(value=CARDS), registry=unread)

    assert of(visible("nvidia.com/gpu=0"), on=blind).says == unread


def test_a_name_is_open_where_a_listed_spec_was_not_collected() -> None:
    listed = registry({}, listings={"var/run/cdi": ("nvidia.yaml",)})
    partly = Node(cards=Known(value=CARDS), registry=Known(value=listed))

    assert isinstance(of(visible("nvidia.com/gpu=0"), on=partly).says, Unknown)


def test_a_name_that_resolves_is_open_too_where_a_listed_spec_may_stand_against_it() -> None:
    document = Document(name="management.yaml", origin=Origin.NODE, owner="gpu-a")
    files = {"var/run/cdi/management.yaml": TextFile(document=document, text=MANAGEMENT)}
    listed = registry(files, listings={"var/run/cdi": ("management.yaml", "other.json")})
    partly = Node(cards=Known(value=CARDS), registry=Known(value=listed))

    assert isinstance(of(visible("management.nvidia.com/gpu=all"), on=partly).says, Unknown)


def test_mode_csv_is_left_open() -> None:
    assert isinstance(of(visible("0"), ToolkitConfig(mode="csv")).says, Unknown)
    assert of(Request(), ToolkitConfig(mode="csv")).says == Known(value="")


def test_settings_have_their_places() -> None:
    config = config_of(
        "accept-nvidia-visible-devices-envvar-when-unprivileged = false\n"
        '[nvidia-container-runtime]\nmode = "cdi"\n'
    )

    assert not config.accept_variable
    assert config.mode == "cdi"
    place = config.place(ACCEPT_VARIABLE)
    assert place is not None
    assert place.path == ACCEPT_VARIABLE
    absent = config.place(ACCEPT_MOUNTS)
    assert absent is not None
    assert absent.path == ()


def test_without_a_file_the_toolkit_has_its_defaults() -> None:
    assert read_config(None) == ToolkitConfig()
    assert read_config(None).place(ACCEPT_VARIABLE) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mode = [", FaultKind.NO_TOML),
        ("nvidia-container-runtime = 3", FaultKind.WRONG_TYPE),
        ('disable-require = "no"', FaultKind.WRONG_TYPE),
        ("swarm-resource = 1.5", FaultKind.WRONG_TYPE),
        ("swarm-resource = true", FaultKind.WRONG_TYPE),
        ('[nvidia-container-cli]\nldconfig = "/sbin/ldconfig"', FaultKind.LDCONFIG_OF_CONTAINER),
    ],
)
def test_a_file_that_cannot_be_used_stops_every_container(text: str, kind: FaultKind) -> None:
    config = config_of(text)

    assert config.fault is not None
    assert config.fault.kind is kind
    assert of(Request(), config).says == Known(value=config.fault.says)


def test_a_number_where_a_text_belongs_is_refused_in_go_s_words() -> None:
    fault = config_of("[nvidia-container-runtime]\nmode = 3\n").fault

    assert fault is not None
    assert fault.says.endswith("Can't convert 3(int64) to string")
    assert fault.path == ("nvidia-container-runtime", "mode")
