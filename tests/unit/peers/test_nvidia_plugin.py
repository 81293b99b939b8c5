"""What NVIDIA's device plugin is told, and what it hands over."""

import pytest

from podwire.model.names import ResourceName
from podwire.peers.nvidia_plugin import (
    VOLUME_MOUNTS_FOLDER,
    Handed,
    Settings,
    Strategy,
    allocated,
    is_config,
    physical,
    read_settings,
)

A, B = "GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000", "GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001"
KIND = "k8s.device-plugin.nvidia.com/gpu"


def no_flag(_name: str) -> None:
    return None


def test_without_settings_it_hands_over_a_variable() -> None:
    settings = read_settings(no_flag, {})
    assert settings.strategies == (Strategy.ENVVAR,)
    assert allocated(settings, [A, B]) == Handed(variable=f"{A},{B}")


def test_a_flag_goes_before_the_environment_and_that_before_the_file() -> None:
    config = {"version": "v1", "flags": {"plugin": {"deviceListStrategy": ["volume-mounts"]}}}
    env = {"DEVICE_LIST_STRATEGY": "cdi-cri"}

    def flag(name: str) -> str | None:
        return "cdi-annotations" if name == "device-list-strategy" else None

    assert read_settings(flag, env, config).strategies == (Strategy.CDI_ANNOTATIONS,)
    assert read_settings(no_flag, env, config).strategies == (Strategy.CDI_CRI,)
    assert read_settings(no_flag, {}, config).strategies == (Strategy.VOLUME_MOUNTS,)


def test_a_strategy_that_does_not_exist_ends_it() -> None:
    settings = read_settings(no_flag, {"DEVICE_LIST_STRATEGY": "envvar,cdi"})
    assert settings.refused == "invalid --device-list-strategy: envvar,cdi"


def test_volume_mounts_name_devices_and_the_variable_the_folder() -> None:
    handed = allocated(Settings(strategies=(Strategy.VOLUME_MOUNTS,)), [A])
    assert handed == Handed(variable=VOLUME_MOUNTS_FOLDER, mounts=(A,))


def test_cdi_strategies_name_devices_of_the_plugins_own_kind() -> None:
    both = Settings(strategies=(Strategy.CDI_ANNOTATIONS, Strategy.CDI_CRI))
    assert allocated(both, [A]) == Handed(annotated=(f"{KIND}={A}",), named=(f"{KIND}={A}",))


def test_device_nodes_come_only_beside_a_strategy_that_is_not_cdi() -> None:
    passing = {"PASS_DEVICE_SPECS": "true"}
    cdi = {**passing, "DEVICE_LIST_STRATEGY": "cdi-cri"}
    assert allocated(read_settings(no_flag, passing), [A]).has_device_nodes
    assert not allocated(read_settings(no_flag, cdi), [A]).has_device_nodes


def test_replicas_of_one_gpu_are_one_device() -> None:
    assert physical(f"{A}::3") == A
    assert allocated(Settings(), [f"{A}::3", f"{A}::4"]).variable == A


@pytest.mark.parametrize(
    ("settings", "name", "is_served"),
    [
        (Settings(), "nvidia.com/gpu", True),
        (Settings(), "nvidia.com/gpu.shared", False),
        (Settings(renames=True), "nvidia.com/gpu.shared", True),
        (Settings(), "nvidia.com/mig-1g.10gb", False),
        (Settings(mig="mixed"), "nvidia.com/mig-1g.10gb", True),
        (Settings(), "example.com/gpu", False),
        (Settings(mig="mixed"), "nvidia.com/gpumem", False),
    ],
)
def test_it_serves_what_its_settings_name(
    settings: Settings, name: str, *, is_served: bool
) -> None:
    assert settings.serves(ResourceName.parse(name)) is is_served


def test_what_is_shared_keeps_its_place_and_what_is_ignored() -> None:
    config = {
        "version": "v1",
        "sharing": {
            "mps": {
                "renameByDefault": True,
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4, "devices": ["0:1"]}],
            }
        },
    }
    settings = read_settings(no_flag, {}, config)
    (share,) = settings.shares
    assert settings.renames
    assert (share.path, share.replicas) == (("sharing", "mps", "resources", 0), 4)
    assert share.ignored == (
        "Customizing the 'devices' field in sharing.mps.resources is not yet supported in the "
        "config. Ignoring..."
    )


@pytest.mark.parametrize(
    ("tree", "is_one"),
    [
        ({"version": "v1", "sharing": {"timeSlicing": {}}}, True),
        ({"version": "v1", "flags": {"migStrategy": "none"}}, True),
        ({"sharing": "yes"}, False),
        ({"flags": {}}, False),
        (["sharing"], False),
        (None, False),
    ],
)
def test_a_configuration_is_told_by_its_keys(tree: object, *, is_one: bool) -> None:
    assert is_config(tree) is is_one
