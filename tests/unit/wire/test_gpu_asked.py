"""What a container asks of NVIDIA's runtime, and pods and nodes of which less is known."""

import json
from typing import Any

import pytest
from tests.pictures import items
from tests.unit.wire.gpu_clusters import (
    CARDS,
    ENVVAR,
    FILES,
    NODE,
    POD,
    POD_OF_PLUGIN,
    RUNNING,
    A,
    gpus,
    plugin,
)

from podwire.model.evidence import Answer, Known, Unknown
from podwire.wire.gpu.asked import Asked
from podwire.wire.gpu.uses import Way


def gap(answer: Answer[Any]) -> str:
    assert isinstance(answer, Unknown)
    return answer.reason


# --- what a container asks by itself ----------------------------------------------------------

ASKING = """
kind: Pod
metadata: {name: m, namespace: train, uid: m}
spec:
  nodeName: gpu-a
  runtimeClassName: nvidia
  containers: [{name: main, image: trainer}]
status: {phase: Pending}
"""


def asked(pods: str, files: dict[str, str] | None = None) -> Asked:
    found = gpus(plugin(), pods=pods, files=files or FILES)
    (pod,) = (view for view in found._pods.views if view.metadata.name == "m")
    return found.asks(pod, next(pod.containers()), "gpu-a")


def test_the_images_variables_are_a_gap_where_nothing_overrides_them() -> None:
    answer = asked(ASKING)
    assert answer.gap is not None
    assert answer.gap.fact == "the Env of images"


def test_the_images_variables_are_read_from_the_bundle() -> None:
    images = json.dumps({"trainer": {"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}})
    answer = asked(ASKING, {**FILES, "nodes/gpu-a/images.json": images})
    assert answer.gap is None
    assert answer.request.image_env == ("NVIDIA_VISIBLE_DEVICES=all",)


def test_a_secret_is_not_read_and_that_is_assumed() -> None:
    env = (
        "image: trainer, envFrom: [{secretRef: {name: s}}], "
        "env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]"
    )
    answer = asked(ASKING.replace("image: trainer", env))
    assert answer.assumes == ("Secret train/s does not set NVIDIA_VISIBLE_DEVICES",)


def test_sys_admin_is_what_the_toolkit_calls_privileged() -> None:
    adding = "image: trainer, securityContext: {capabilities: {add: [SYS_ADMIN]}}"
    dropping = "image: trainer, securityContext: {capabilities: {add: [ALL], drop: [SYS_ADMIN]}}"
    assert asked(ASKING.replace("image: trainer", adding)).request.is_privileged
    answer = asked(ASKING.replace("image: trainer", dropping))
    assert not answer.request.is_privileged


# --- a node of which only the operator's policy tells ------------------------------------------

LABELLED = NODE.replace("pool: gpu", 'nvidia.com/gpu.deploy.container-toolkit: "true"')


def policy(spec: str = "", version: str = "v25.10.0") -> dict[str, list[dict[str, Any]]]:
    text = f"""
kind: ClusterPolicy
apiVersion: nvidia.com/v1
metadata: {{name: cluster-policy, labels: {{helm.sh/chart: gpu-operator-{version}}}}}
spec: {{{spec}}}
"""
    return {"clusterpolicies": items(text)}


def set_up(spec: str = "", version: str = "v25.10.0", node: str = LABELLED) -> Answer[Way]:
    files = {"nodes/gpu-a/nvidia-smi-L.txt": CARDS}
    found = gpus(
        plugin(env=ENVVAR),
        node=node,
        pods=RUNNING,
        files=files,
        others=policy(spec, version),
        assume={"nvidia-container-toolkit": "1.18.2"},
    )
    return found.judged[0].way


def test_since_25_10_the_operator_sets_bare_names_up_to_fail() -> None:
    answer = set_up()
    assert isinstance(answer, Known)
    assert answer.value.unresolved == (f"management.nvidia.com/gpu={A}",)
    assert answer.value.assumes == (
        "gpu-a is set up as the ClusterPolicy says (its own files were not read)",
    )


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        ("", "v25.3.4"),
        ("cdi: {enabled: false}", "v25.10.0"),
        ("toolkit: {env: [{name: NVIDIA_CONTAINER_RUNTIME_MODE, value: auto}]}", "v25.10.0"),
    ],
)
def test_without_cdi_or_with_mode_auto_they_resolve(spec: str, version: str) -> None:
    answer = set_up(spec, version)
    assert isinstance(answer, Known)
    assert answer.value.fault == ""


def test_cdi_before_25_10_is_not_guessed() -> None:
    assert "was not read" in gap(set_up("cdi: {enabled: true}", "v25.3.4"))


@pytest.mark.parametrize(
    ("spec", "node"),
    [
        ("", NODE),
        ("toolkit: {enabled: false}", LABELLED),
        ("", LABELLED.replace("containerd://2.0.5", "cri-o://1.32.0")),
    ],
)
def test_a_node_without_the_operators_toolkit_is_not_set_up_by_it(spec: str, node: str) -> None:
    assert "was not read" in gap(set_up(spec, node=node))


# --- pods without a node -----------------------------------------------------------------------

TWO = f"{NODE}---{NODE.replace('gpu-a', 'gpu-b').replace('pool: gpu', 'pool: other')}"
WAITING = POD.replace("  nodeName: gpu-a\n", "").replace("  runtimeClassName: nvidia\n", "")
BOTH = {
    **FILES,
    **{name.replace("gpu-a", "gpu-b"): text for name, text in FILES.items()},
}
DEFAULT = FILES["nodes/gpu-a/etc/containerd/config.toml"].replace('"runc"', '"nvidia"')


def anywhere(files: dict[str, str], *, node: str = TWO) -> Answer[Way]:
    others = POD_OF_PLUGIN.replace("plugin-x", "plugin-y").replace("gpu-a", "gpu-b")
    found = gpus(
        plugin(env=ENVVAR),
        node=node,
        pods=f"{POD_OF_PLUGIN}---{others}---{WAITING}",
        files=files,
        assume={"nvidia-container-toolkit": "1.18.2"},
    )
    return found.judged[0].way


def test_one_node_where_it_works_is_enough() -> None:
    files = {**BOTH, "nodes/gpu-b/etc/containerd/config.toml": DEFAULT}
    answer = anywhere(files)
    assert isinstance(answer, Known)
    assert (answer.value.node, answer.value.fault) == ("gpu-b", "")


def test_it_is_broken_where_each_node_is() -> None:
    answer = anywhere(BOTH)
    assert isinstance(answer, Known)
    assert (answer.value.node, answer.value.fault) == ("gpu-a", "variable unread")


def test_a_node_of_which_nothing_was_read_leaves_it_open() -> None:
    assert "on gpu-b was not read" in gap(anywhere(dict(FILES)))


def test_a_node_without_the_resource_does_not_count() -> None:
    bare = NODE.replace("gpu-a", "cpu-a").replace('nvidia.com/gpu: "2"', 'cpu: "8"')
    answer = anywhere(dict(FILES), node=f"{NODE}---{bare}")
    assert isinstance(answer, Known)
    assert answer.value.fault == "variable unread"


# --- more of what a container asks -------------------------------------------------------------


def test_a_config_map_gives_variables_before_the_containers_own() -> None:
    settings = {
        "configmaps": items(
            "{kind: ConfigMap, metadata: {name: c, namespace: train}, data: {DEVICES: all}}"
        )
    }
    env = "image: trainer, envFrom: [{prefix: NVIDIA_VISIBLE_, configMapRef: {name: c}}]"
    found = gpus(plugin(), pods=ASKING.replace("image: trainer", env), others=settings)
    (pod,) = (view for view in found._pods.views if view.metadata.name == "m")
    answer = found.asks(pod, next(pod.containers()), "gpu-a")
    assert answer.request.env == ("NVIDIA_VISIBLE_DEVICES=all",)
    assert (answer.gap, answer.assumes) == (None, ())


def test_a_config_map_that_is_not_in_sight_is_assumed_not_to_matter() -> None:
    env = "image: trainer, envFrom: [{configMapRef: {name: c}}]"
    answer = asked(ASKING.replace("image: trainer", env))
    assert answer.assumes == ("ConfigMap train/c does not set NVIDIA_VISIBLE_DEVICES",)


def test_a_value_from_elsewhere_is_a_gap() -> None:
    source = "{configMapKeyRef: {name: c, key: k}}"
    env = f"image: trainer, env: [{{name: NVIDIA_VISIBLE_DEVICES, valueFrom: {source}}}]"
    answer = asked(ASKING.replace("image: trainer", env))
    assert answer.gap is not None
    assert answer.gap.fact == "the value of NVIDIA_VISIBLE_DEVICES"


def test_mounts_of_the_host_are_what_the_toolkit_may_read_as_a_request() -> None:
    mounting = (
        "image: trainer, volumeMounts: [{name: n, mountPath: /var/run/nvidia-container-devices/all}"
        ", {name: h, mountPath: /data, subPath: a}, {name: e, mountPath: /e}]"
    )
    volumes = (
        "volumes: [{name: n, hostPath: {path: /dev/null}}, {name: h, hostPath: {path: /srv}}, "
        "{name: e}]"
    )
    pods = ASKING.replace("image: trainer", mounting).replace(
        "runtimeClassName: nvidia", f"runtimeClassName: nvidia\n  {volumes}"
    )
    assert [(m.source, m.destination) for m in asked(pods).request.mounts] == [
        ("/dev/null", "/var/run/nvidia-container-devices/all"),
        ("/srv/a", "/data"),
    ]
