"""What the GPU Operator runs where."""

from typing import Any

import pytest

from podwire.facts.objects import ClusterPolicy, Meta, Owner, Pod
from podwire.facts.workloads import view_of
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.gpu_operator import is_operand, read_policy, runs_plugin_on


def a_policy(spec: dict[str, Any], chart: str = "gpu-operator-v25.10.0") -> ClusterPolicy:
    labels = {"helm.sh/chart": chart} if chart else {}
    return ClusterPolicy(metadata=Meta(name="cluster-policy", labels=labels), spec=spec)


def value(answer: Answer[Any]) -> object:
    return answer.value if isinstance(answer, Known) else answer


@pytest.mark.parametrize(
    ("version", "uses_cdi"), [("v24.9.2", False), ("v25.3.4", False), ("v25.10.0", True)]
)
def test_cdi_is_on_by_default_since_25_10(version: str, *, uses_cdi: bool) -> None:
    policy = read_policy(a_policy({}, chart=f"gpu-operator-{version}"))
    assert value(policy.uses_cdi(policy.version)) is uses_cdi


def test_what_is_written_goes_before_the_default() -> None:
    policy = read_policy(a_policy({"cdi": {"enabled": False}}))
    assert value(policy.uses_cdi(policy.version)) is False


def test_without_a_chart_the_version_is_not_known() -> None:
    policy = read_policy(a_policy({}, chart=""))
    assert isinstance(policy.version, Unknown)
    assert isinstance(policy.uses_cdi(policy.version), Unknown)


def test_a_version_newer_than_was_read_is_not_guessed() -> None:
    policy = read_policy(a_policy({}))
    assert isinstance(policy.uses_cdi(Known(value=Version.parse("v27.1.0"))), Unknown)


@pytest.mark.parametrize(
    ("env", "uses_cdi", "is_default"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"CONTAINERD_SET_AS_DEFAULT": "false"}, False, False),
        ({"CONTAINERD_SET_AS_DEFAULT": "true"}, True, False),  # the operator's own false is first
        ({"NVIDIA_RUNTIME_SET_AS_DEFAULT": "true"}, True, True),
        (
            {"CONTAINERD_SET_AS_DEFAULT": "false", "NVIDIA_RUNTIME_SET_AS_DEFAULT": "true"},
            False,
            True,
        ),
    ],
)
def test_the_first_of_two_variables_makes_nvidias_runtime_the_default(
    env: dict[str, str], *, uses_cdi: bool, is_default: bool
) -> None:
    toolkit = {"env": [{"name": name, "value": value} for name, value in env.items()]}
    policy = read_policy(a_policy({"cdi": {"enabled": uses_cdi}, "toolkit": toolkit}))
    setup = policy.toolkit_setup(policy.version).need().value
    assert setup.is_default_runtime is is_default


@pytest.mark.parametrize(
    ("spec", "handler"),
    [
        ({}, "nvidia"),
        ({"operator": {"runtimeClass": "gpu"}}, "gpu"),
        ({"toolkit": {"env": [{"name": "NVIDIA_RUNTIME_NAME", "value": "mine"}]}}, "mine"),
    ],
)
def test_the_handler_is_called_as_the_policy_says(spec: dict[str, Any], handler: str) -> None:
    policy = read_policy(a_policy(spec))
    assert policy.toolkit_setup(policy.version).need().value.handler == handler


def test_parts_are_on_unless_they_are_switched_off() -> None:
    assert read_policy(a_policy({})).runs_plugin
    off = read_policy(a_policy({"devicePlugin": {"enabled": False}, "toolkit": {"enabled": False}}))
    assert (off.runs_plugin, off.runs_toolkit) == (False, False)


def test_variables_of_its_plugin_are_found_with_their_place() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "0"}]
    policy = read_policy(a_policy({"devicePlugin": {"env": env}}))
    assert list(policy.plugin_values("NVIDIA_VISIBLE_DEVICES")) == [(1, "0")]


@pytest.mark.parametrize(
    ("labels", "runs"),
    [
        ({}, None),
        ({"nvidia.com/gpu.deploy.device-plugin": "true"}, True),
        ({"nvidia.com/gpu.deploy.device-plugin": "false"}, False),
        ({"nvidia.com/gpu.deploy.device-plugin": "hami"}, False),
        (
            {
                "nvidia.com/gpu.deploy.device-plugin": "true",
                "nvidia.com/gpu.deploy.operands": "false",
            },
            False,
        ),
    ],
)
def test_labels_of_a_node_decide_about_its_plugin(
    labels: dict[str, str], *, runs: bool | None
) -> None:
    assert runs_plugin_on(labels) is runs


def a_pod(app: str = "", owner: str = "DaemonSet") -> Pod:
    owners = (Owner(kind=owner, name="x", controller=True),)
    labels = {"app": app} if app else {}
    return Pod(metadata=Meta(name="p", namespace="gpu", labels=labels, owner_references=owners))


@pytest.mark.parametrize(
    ("pod", "image", "is_own"),
    [
        (a_pod("nvidia-dcgm-exporter"), "images.example.com/gpu/dcgm-exporter:4.2", True),
        (a_pod("anything", owner="ClusterPolicy"), "images.example.com/x:1", True),
        (a_pod("nvidia-dcgm-exporter"), "images.example.com/team/trainer:1", False),
        (a_pod("trainer"), "images.example.com/gpu/dcgm-exporter:4.2", False),
        (a_pod(), "images.example.com/gpu/cuda@sha256:00", False),
    ],
)
def test_its_own_pods_are_told_by_owner_or_by_image_and_label(
    pod: Pod, image: str, *, is_own: bool
) -> None:
    assert is_operand(view_of(pod), image) is is_own
