"""Who serves GPUs, what a container is handed, and what comes of it."""

import json
from typing import Any

import pytest
from tests.pictures import items, picture
from tests.unit.wire.gpu_clusters import (
    CARDS,
    ENVVAR,
    FILES,
    MIG,
    NODE,
    POD,
    POD_OF_PLUGIN,
    RUNNING,
    A,
    B,
    gpus,
    plugin,
    use,
)

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.registrants import Program
from podwire.wire.gpu.uses import Way

GPU = ResourceName.parse("nvidia.com/gpu")


def programs(found: Gpus) -> list[Program]:
    return [each.program for each in found.plugins.registrants]


def way(found: Gpus) -> Way:
    (judged,) = found.judged
    assert isinstance(judged.way, Known), judged.way
    return judged.way.value


def gap(answer: Answer[Any]) -> str:
    assert isinstance(answer, Unknown)
    return answer.reason


# --- in sight ---------------------------------------------------------------------------------


def test_requests_for_gpus_alone_do_not_wake_the_gpu_half() -> None:
    pod = POD.replace("runtimeClassName: nvidia", "hostNetwork: false")
    assert picture(cluster={"pods": items(pod)}).gpus is None


@pytest.mark.parametrize(
    ("cluster", "files"),
    [
        ({"pods": items(POD)}, {}),
        ({}, {"nodes/gpu-a/nvidia-smi-L.txt": CARDS}),
        ({}, {"nodes/gpu-a/toolkit/config.toml": ""}),
        ({"clusterpolicies": items("{kind: ClusterPolicy, metadata: {name: p}}")}, {}),
        ({"daemonsets": items(plugin())}, {}),
    ],
)
def test_what_is_about_gpus_wakes_it(
    cluster: dict[str, list[dict[str, object]]], files: dict[str, str]
) -> None:
    assert picture(cluster=cluster, files=files).gpus is not None


# --- who serves -------------------------------------------------------------------------------


def test_a_plugin_is_told_by_its_image() -> None:
    assert programs(gpus(plugin())) == [Program.NVIDIA]
    assert programs(gpus(plugin(image="hami:v2.10.0"))) == [Program.HAMI]


def test_the_operators_plugin_is_told_by_its_name() -> None:
    assert programs(gpus(plugin("nvidia-device-plugin-daemonset"))) == [Program.OPERATOR]


def test_other_programs_in_the_plugins_image_are_none() -> None:
    discovery = plugin("gfd").replace("name: main", "name: main\n        command: [config-manager]")
    assert programs(gpus(discovery)) == []


def test_hamis_plugin_shows_in_its_nodes_annotation() -> None:
    units = json.dumps([{"id": A, "count": 10}])
    node = NODE.replace(
        "labels:", f"annotations: {{hami.io/node-nvidia-register: '{units}'}}, labels:"
    )
    assert programs(gpus(node=node)) == [Program.HAMI]


def test_one_plugin_on_the_node_serves_it() -> None:
    answer = gpus(plugin(), pods="").plugins.serving("gpu-a", GPU)
    assert gap(answer) == "which device plugin serves nvidia.com/gpu on gpu-a"
    running = POD_OF_PLUGIN + "---" + POD
    answer = gpus(plugin(), pods=running).plugins.serving("gpu-a", GPU)
    assert isinstance(answer, Known)
    assert answer.value.ref.name == "plugin"


def test_of_two_plugins_nobody_says_which_hands_out() -> None:
    second = POD_OF_PLUGIN.replace("plugin", "other").replace("k8s-device-other", "hami")
    second = second.replace("image:", "command: [nvidia-device-plugin], image:")
    answer = gpus(plugin(), pods=RUNNING + "---" + second).plugins.serving("gpu-a", GPU)
    assert gap(answer).startswith("which of ")


# --- what is handed over, and what comes of it ------------------------------------------------


def test_the_variable_reaches_the_toolkit_under_nvidias_class() -> None:
    found = way(
        gpus(plugin(env=ENVVAR), pods=RUNNING, assume={"nvidia-container-toolkit": "1.18.2"})
    )
    assert found.handler.is_nvidia
    assert found.handed.variable == A
    assert found.is_example
    assert found.fault == ""


def test_without_the_class_runc_reads_no_variable() -> None:
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    assert way(gpus(plugin(env=ENVVAR), pods=pods)).fault == "variable unread"


def test_a_pod_whose_class_does_not_exist_has_no_way_to_judge() -> None:
    pods = RUNNING.replace("runtimeClassName: nvidia", "runtimeClassName: other")
    assert gpus(plugin(env=ENVVAR), pods=pods).judged == ()


def test_a_container_that_ran_is_not_judged() -> None:
    state = "status: {phase: Running, containerStatuses: [{name: main, state: {running: {}}}]}"
    pods = RUNNING.replace("status: {phase: Pending}", state)
    assert gpus(plugin(env=ENVVAR), pods=pods).judged == ()


def test_one_that_its_runtime_refused_is() -> None:
    state = (
        "status: {phase: Running, containerStatuses: [{name: main, state: {waiting: {reason: "
        "CrashLoopBackOff}}, lastState: {terminated: {reason: StartError, message: 'unresolvable "
        "CDI devices x/y=z'}}}]}"
    )
    found = gpus(plugin(env=ENVVAR), pods=RUNNING.replace("status: {phase: Pending}", state))
    refusal = use(found).refusal
    assert refusal is not None
    assert refusal[0] == "unresolvable CDI devices x/y=z"


def test_kubelets_list_says_which_gpu_a_container_has() -> None:
    held = {
        "pod_resources": [
            {
                "name": "w",
                "namespace": "train",
                "containers": [
                    {
                        "name": "main",
                        "devices": [{"resource_name": "nvidia.com/gpu", "device_ids": [f"{B}::1"]}],
                    }
                ],
            }
        ]
    }
    files = {**FILES, "nodes/gpu-a/podresources-list.json": json.dumps(held)}
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    found = way(gpus(plugin(env=ENVVAR), pods=pods, files=files))
    assert found.handed.variable == B
    assert not found.is_example


def test_without_the_cards_nobody_knows_what_is_handed_over() -> None:
    files = {name: text for name, text in FILES.items() if "smi" not in name}
    (judged,) = gpus(plugin(env=ENVVAR), pods=RUNNING, files=files).judged
    assert "list of GPUs" in gap(judged.way)


def test_a_mig_resource_stands_for_mig_devices() -> None:
    cards = f"GPU 0: NVIDIA H200 (UUID: {A})\n  MIG 1g.18gb     Device  0: (UUID: {MIG})\n"
    env = "{name: MIG_STRATEGY, value: mixed}"
    pods = RUNNING.replace("nvidia.com/gpu", "nvidia.com/mig-1g.18gb").replace(
        "  runtimeClassName: nvidia\n", ""
    )
    node = NODE.replace("nvidia.com/gpu", "nvidia.com/mig-1g.18gb")
    files = {**FILES, "nodes/gpu-a/nvidia-smi-L.txt": cards}
    assert way(gpus(plugin(env=env), node=node, pods=pods, files=files)).handed.variable == MIG


def test_the_containers_own_variable_comes_after_the_plugins() -> None:
    pods = RUNNING.replace(
        "image: trainer,", "image: trainer, env: [{name: NVIDIA_VISIBLE_DEVICES, value: none}],"
    )
    found = way(gpus(plugin(env=ENVVAR), pods=pods, assume={"nvidia-container-toolkit": "1.18.2"}))
    assert found.outcome is not None
    assert found.outcome.gpus == Known(value=())


# --- what nobody read --------------------------------------------------------------------------


def test_two_ways_that_differ_leave_it_open_which_gpu_a_container_has() -> None:
    spec = f"kind: k8s.device-plugin.nvidia.com/gpu\ncdiVersion: 0.5.0\ndevices: [{{name: {A}, "
    spec += "containerEdits: {env: [A=1]}}]\n"
    files = {**FILES, "nodes/gpu-a/var/run/cdi/a.yaml": spec}
    env = "{name: DEVICE_LIST_STRATEGY, value: cdi-cri}"
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    (judged,) = gpus(plugin(env=env), pods=pods, files=files).judged
    assert gap(judged.way) == "which GPU container main of Pod train/w has on gpu-a"


def test_a_listing_with_a_spec_that_was_not_collected_leaves_names_open() -> None:
    files = {**FILES, "nodes/gpu-a/var/run/cdi/LISTING.txt": "a.yaml\n"}
    env = "{name: DEVICE_LIST_STRATEGY, value: cdi-cri}"
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    (judged,) = gpus(plugin(env=env), pods=pods, files=files).judged
    assert "a.yaml" in gap(judged.way)


def test_a_pod_whose_handler_is_not_configured_has_no_way_to_judge() -> None:
    files = {**FILES, "nodes/gpu-a/etc/containerd/config.toml": "version = 3\n"}
    assert gpus(plugin(env=ENVVAR), pods=RUNNING, files=files).judged == ()


def test_a_configuration_that_is_not_in_sight_may_name_any_strategy() -> None:
    daemon = plugin(env="{name: CONFIG_FILE, value: /config/config.yaml}")
    (judged,) = gpus(daemon, pods=RUNNING).judged
    assert gap(judged.way) == "which configuration DaemonSet kube-system/plugin reads"


def test_a_node_without_a_gpu_in_its_list_offers_none_to_hand_over() -> None:
    files = {**FILES, "nodes/gpu-a/nvidia-smi-L.txt": "No devices found.\n"}
    (judged,) = gpus(plugin(env=ENVVAR), pods=RUNNING, files=files).judged
    assert gap(judged.way) == "which devices of nvidia.com/gpu gpu-a has"


def test_other_pods_in_kubelets_list_are_not_this_one() -> None:
    held = {"pod_resources": [{"name": "other", "namespace": "train", "containers": []}]}
    files = {**FILES, "nodes/gpu-a/podresources-list.json": json.dumps(held)}
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    assert way(gpus(plugin(env=ENVVAR), pods=pods, files=files)).is_example


# --- what looks alike --------------------------------------------------------------------------


def test_amds_plugin_is_not_nvidias() -> None:
    amd = plugin().replace("images.example.com/gpu/k8s", "images.example.com/rocm/k8s")
    assert programs(gpus(amd)) == []


def test_a_resource_that_a_device_class_serves_is_no_plugins() -> None:
    classes = {
        "deviceclasses": items(
            "{kind: DeviceClass, metadata: {name: c}, spec: {extendedResourceName: nvidia.com/gpu}}"
        )
    }
    answer = gpus(plugin(), pods=RUNNING, others=classes).plugins.serving("gpu-a", GPU)
    assert "by DRA" in gap(answer)


def test_cri_o_may_have_a_hook_that_reads_the_variable() -> None:
    crio = '[crio.runtime]\ndefault_runtime = "crun"\n[crio.runtime.runtimes.crun]\n'
    files = {name: text for name, text in FILES.items() if "containerd" not in name}
    files["nodes/gpu-a/etc/crio/crio.conf"] = crio
    node = NODE.replace("containerd://2.0.5", "cri-o://1.32.0")
    pods = RUNNING.replace("  runtimeClassName: nvidia\n", "")
    (judged,) = gpus(plugin(env=ENVVAR), node=node, pods=pods, files=files).judged
    assert gap(judged.way) == "whether an OCI hook of CRI-O on gpu-a reads the variable"
