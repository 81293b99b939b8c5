"""The write-up's cluster: NVIDIA's own runtime under containerd, pods with made-up GPUs.

The device plugin for tests hands GPUs over as NVIDIA's and HAMi's do. What becomes of a pod, and
with which words, is what podwire says of the same files.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from podwire.collect.collecting import collect
from podwire.facts.inventory import Inventory, Objects
from podwire.facts.objects import PodStatus
from podwire.model.addresses import GpuUuid
from podwire.wire.doors.records import Kind
from podwire.wire.picture import Picture
from tests.bundles import inputs_of, report_of
from tests.e2e import nvidia
from tests.e2e.api import Object
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.device_plugin.pools import Device, offered
from tests.e2e.node import Node
from tests.e2e.nvidia import AS_OPERATOR, UUIDS, Toolkit
from tests.e2e.scenarios import pod
from tests.e2e.waiting import wait_for
from tests.oracle.toolkit.running import needs

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(needs() is not None, reason=f"missing: {needs()}"),
]

RESOURCE, NAMESPACE = "nvidia.com/gpu", "gpus"
CLASS = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "nvidia"},
    "handler": "nvidia",
}
SEES = "/bin/busybox ls /dev"


@pytest.fixture(scope="module")
def node(lab: Cluster) -> Iterator[Node]:
    machine = lab.new_node("gpu")
    machine.folder.mkdir(parents=True, exist_ok=True)
    nvidia.lay(machine, runc=lab.programs / "runc")
    machine.start()
    lab.apply([namespace_of(NAMESPACE), CLASS])
    yield machine
    machine.stop()


@contextlib.contextmanager
def _serving(node: Node, strategy: str) -> Iterator[None]:
    """Offer both GPUs by a strategy, until the block ends."""
    gpus = tuple(Device(name, strategy=strategy) for name in UUIDS)
    with offered(node, {RESOURCE: gpus}):
        node.await_amounts(RESOURCE, capacity=2, allocatable=2)
        yield
    node.await_amounts(RESOURCE, capacity=2, allocatable=0)


def _end(lab: Cluster, name: str, *, keep: bool = False, **spec: Any) -> str:  # noqa: ANN401 - as `pod`
    """Make a pod that lists its devices; give them, or the sentence of its refusal."""
    count, security = spec.pop("count", 1), spec.pop("security", None)
    variables, mounts = spec.pop("env", {}), spec.pop("mounts", [])
    made = pod(
        name, None, namespace=NAMESPACE, resource=RESOURCE, count=count, nodeName="gpu", **spec
    )
    (container,) = made["spec"]["containers"]
    container["args"] = ["sh", "-c", f"({SEES}) >/dev/termination-log 2>&1"]
    container["env"] = [{"name": k, "value": v} for k, v in variables.items()]
    container["volumeMounts"] = mounts
    if security:
        container["securityContext"] = security
    made["spec"]["restartPolicy"] = "Never"
    lab.apply([made])
    state = wait_for(name, lambda: _state(lab, name), holds=_is_settled)
    ended = state.get("terminated") or state.get("waiting") or {}
    said = str(ended.get("message", ""))
    if not keep:
        lab.api.delete("Pod", name, namespace=NAMESPACE)
    return said


def _state(lab: Cluster, name: str) -> Object:
    status = lab.api.get("Pod", name, namespace=NAMESPACE)["status"]
    containers: list[Object] = status.get("containerStatuses", [])
    return containers[0]["state"] if containers else {}


def _is_settled(state: Object) -> bool:
    waiting = state.get("waiting", {}).get("reason", "")
    return "terminated" in state or waiting in {"RunContainerError", "CreateContainerError"}


def _gpus(said: str) -> list[str]:
    return sorted(word for word in said.split() if word in {"nvidia0", "nvidia1"})


def _set_up(node: Node, toolkit: Toolkit, *, specs: str = "") -> None:
    nvidia.configure(node, toolkit)
    nvidia.clear_specs(node)
    if "management" in specs:
        nvidia.management_spec(node)
    if "plugin" in specs:
        nvidia.plugins_spec(node)


def _bundle(lab: Cluster, node: Node, folder: Path, toolkit: Toolkit) -> Path:
    """Write what podwire is given: the cluster's dump and the node's files."""
    lab.dump(folder)
    listed = {"kind": "List", "items": [CLASS]}
    (folder / "cluster/runtimeclasses.json").write_text(json.dumps(listed))
    nvidia.write_facts(node, folder, toolkit)
    return folder


def test_a_bare_uuid_fails_under_a_management_only_spec(lab: Cluster, node: Node) -> None:
    _set_up(node, AS_OPERATOR, specs="management")
    with _serving(node, "envvar"):
        said = _end(lab, "share-0", runtimeClassName="nvidia")
    (name,) = (each for each in UUIDS if each in said)
    assert said.endswith(
        "failed to inject CDI devices: unresolvable CDI devices management.nvidia.com/gpu=" + name
    )


@pytest.mark.parametrize(
    ("strategy", "toolkit", "specs"),
    [
        ("cdi-cri", AS_OPERATOR, "management, plugin"),
        ("cdi-annotations", AS_OPERATOR, "management, plugin"),
        ("envvar", Toolkit(), "management"),
    ],
    ids=["strategy cdi-cri", "strategy cdi-annotations", "mode auto"],
)
def test_each_fix_gives_the_pod_one_gpu(
    lab: Cluster, node: Node, strategy: str, toolkit: Toolkit, specs: str
) -> None:
    _set_up(node, toolkit, specs=specs)
    with _serving(node, strategy):
        said = _end(lab, "mended", runtimeClassName="nvidia")
    assert len(_gpus(said)) == 1, said


def test_mode_auto_opens_the_door_that_the_fix_says_it_opens(lab: Cluster, node: Node) -> None:
    _set_up(node, Toolkit(), specs="management")
    said = _end(
        lab,
        "thief",
        count=0,
        env={"NVIDIA_VISIBLE_DEVICES": UUIDS[1]},
        runtimeClassName="nvidia",
    )
    assert _gpus(said) == ["nvidia1"], said


@pytest.mark.parametrize(
    ("toolkit", "strategy", "count"),
    [
        (Toolkit(), "envvar", 1),
        (Toolkit(accepts_variable=False), "envvar", 0),
        (Toolkit(accepts_variable=False), "volume-mounts", 0),
        (Toolkit(accepts_variable=False, accepts_mounts=True), "volume-mounts", 1),
        (Toolkit(accepts_variable=False), "cdi-annotations", 1),
        (Toolkit(accepts_variable=False), "cdi-cri", 1),
    ],
)
def test_what_kubelet_passes_on_is_what_the_runtime_reads(
    lab: Cluster, node: Node, toolkit: Toolkit, strategy: str, count: int
) -> None:
    _set_up(node, toolkit, specs="plugin")
    with _serving(node, strategy):
        said = _end(lab, "asks", runtimeClassName="nvidia")
    assert len(_gpus(said)) == count, said


_MOUNT: dict[str, Any] = {
    "volumes": [{"name": "null", "hostPath": {"path": "/dev/null"}}],
    "mounts": [
        {"name": "null", "mountPath": f"/var/run/nvidia-container-devices/{UUIDS[1]}"},
    ],
}


@pytest.mark.parametrize(
    ("toolkit", "asking", "kind"),
    [
        (Toolkit(), {"env": {"NVIDIA_VISIBLE_DEVICES": "1"}}, Kind.VARIABLE),
        (Toolkit(accepts_variable=False), {"env": {"NVIDIA_VISIBLE_DEVICES": "1"}}, None),
        (
            Toolkit(accepts_variable=False),
            {
                "env": {"NVIDIA_VISIBLE_DEVICES": "1"},
                "security": {"capabilities": {"add": ["SYS_ADMIN"]}},
            },
            Kind.VARIABLE,
        ),
        (AS_OPERATOR, {"env": {"NVIDIA_VISIBLE_DEVICES": "all"}}, Kind.VARIABLE),
        (
            AS_OPERATOR,
            {"env": {"NVIDIA_VISIBLE_DEVICES": f"runtime.nvidia.com/gpu={UUIDS[1]}"}},
            Kind.VARIABLE,
        ),
        (Toolkit(accepts_variable=False, accepts_mounts=True), _MOUNT, Kind.MOUNT),
        (Toolkit(accepts_variable=False), _MOUNT, None),
    ],
    ids=[
        "variable",
        "variable refused",
        "SYS_ADMIN",
        "all under the management spec",
        "automatic kind in mode cdi",
        "mount",
        "mount refused",
    ],
)
def test_a_pod_without_a_request_gets_a_gpu_by_the_door_that_podwire_names(
    lab: Cluster,
    node: Node,
    tmp_path: Path,
    toolkit: Toolkit,
    asking: dict[str, Any],
    kind: Kind | None,
) -> None:
    _set_up(node, toolkit, specs="management")
    said = _end(lab, "thief", count=0, runtimeClassName="nvidia", keep=True, **asking)
    bundle = _bundle(lab, node, tmp_path / "bundle", toolkit)
    lab.api.delete("Pod", "thief", namespace=NAMESPACE)
    assert ("nvidia1" in _gpus(said)) is (kind is not None), said
    assert _doors_of(bundle, "thief") == ({kind} if kind else set())


def _doors_of(bundle: Path, name: str) -> set[Kind]:
    """Ask podwire by which doors a pod gets the second GPU, as if it ran."""
    picture = Picture(_as_running(collect(inputs_of(bundle)), name))
    doors = picture.doors
    assert doors is not None
    every = doors.of("gpu", (GpuUuid(text=UUIDS[1]),))
    return {d.kind for d in every for t in d.takers if t.pod.metadata.name == name}


def _as_running(facts: Inventory, name: str) -> Inventory:
    """Take an ended pod for one that runs: what has ended holds nothing any more."""
    pods = [
        msgspec.structs.replace(each, status=PodStatus(phase="Running"))
        if each.metadata.name == name
        else each
        for each in facts.pods.items
    ]
    whole = Objects.of("Pod", pods, plural="pods", is_whole=True)
    return msgspec.structs.replace(facts, pods=whole)


def test_podwire_says_of_the_files_what_the_pod_was_told(
    lab: Cluster, node: Node, tmp_path: Path
) -> None:
    _set_up(node, AS_OPERATOR, specs="management")
    with _serving(node, "envvar"):
        said = _end(lab, "told", runtimeClassName="nvidia", keep=True)
        bundle = _bundle(lab, node, tmp_path / "bundle", AS_OPERATOR)
    lab.api.delete("Pod", "told", namespace=NAMESPACE)
    (bundle / "manifests").mkdir()
    (bundle / "manifests/plugin.yaml").write_text(PLUGIN)
    found = [
        judged.finding
        for judged in report_of(bundle).findings
        if judged.rule.slug == "cdi-name-unresolvable"
    ]
    assert [finding.sees in said for finding in found] == [True], (said, found)


# The plugin for tests is no pod; to podwire it is what it behaves like.
PLUGIN = """
apiVersion: v1
kind: Pod
metadata: {name: plugin, namespace: kube-system, labels: {app: plugin}}
spec:
  nodeName: gpu
  containers:
  - name: plugin
    image: images.example.com/gpu/k8s-device-plugin:v0.17.1
    env: [{name: DEVICE_LIST_STRATEGY, value: envvar}]
    volumeMounts: [{name: kubelet, mountPath: /var/lib/kubelet/device-plugins}]
  volumes: [{name: kubelet, hostPath: {path: /var/lib/kubelet/device-plugins}}]
"""
