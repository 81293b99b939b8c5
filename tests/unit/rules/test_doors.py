"""Rules about doors to reserved GPUs on a whole node, and on everything that is in order."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.bundles import CASES, document_of
from tests.rule_cases import Case, cases, said

from podwire.findings.model import Severity

UUIDS = [f"GPU-3fa9000{n}-0c2e-4d71-8b1a-6e5d4c3b000{n}" for n in range(8)]
DOORS = {
    "reserved-gpu-by-variable",
    "reserved-gpu-by-mount",
    "reserved-gpu-by-annotation",
    "reserved-gpu-by-privilege",
    "reserved-gpu-offered",
    "hidden-gpu-by-variable",
}
RUNTIME = """version = 3
[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "nvidia"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
  BinaryName = "/usr/bin/nvidia-container-runtime"
"""
TOOLKIT = "accept-nvidia-visible-devices-as-volume-mounts = true\n"


def container(number: int) -> dict[str, Any]:
    """Most pods do nothing special; a few use each door."""
    found: dict[str, Any] = {"name": "main", "image": f"images.example.com/team/app-{number % 9}:1"}
    if number < 3:
        found["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    elif number == 3:
        path = f"/var/run/nvidia-container-devices/{UUIDS[7]}"
        found["volumeMounts"] = [{"name": "null", "mountPath": path}]
    elif number in {4, 5}:
        found["securityContext"] = {"privileged": True}
    elif number < 14:
        found["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
    return found


def ordinary(number: int) -> dict[str, Any]:
    spec: dict[str, Any] = {"nodeName": "gpu-b", "containers": [container(number)]}
    if number == 3:
        spec["volumes"] = [{"name": "null", "hostPath": {"path": "/dev/null"}}]
    return {
        "kind": "Pod",
        "metadata": {"name": f"app-{number}", "namespace": f"team-{number % 4}", "uid": "u"},
        "spec": spec,
        "status": {"phase": "Running"},
    }


def daemon(name: str, *, namespace: str, image: str) -> dict[str, Any]:
    owner = {"kind": "DaemonSet", "name": name, "uid": "d", "controller": True}
    meta = {"name": f"{name}-x", "namespace": namespace, "uid": "u", "ownerReferences": [owner]}
    main = {"name": "main", "image": image, "securityContext": {"privileged": True}}
    spec = {"nodeName": "gpu-b", "containers": [main]}
    return {"kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": "Running"}}


@pytest.fixture(scope="module")
def node_of_sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of eight GPUs are reserved, 60 ordinary pods run, and the node's own software."""
    folder = tmp_path_factory.mktemp("sixty")
    capacity = {"nvidia.com/gpu": "6", "pods": "110"}
    info = {"kubeletVersion": "v1.32.4", "containerRuntimeVersion": "containerd://2.0.5"}
    node = {
        "kind": "Node",
        "metadata": {"name": "gpu-b"},
        "status": {"capacity": capacity, "allocatable": capacity, "nodeInfo": info},
    }
    system = [
        daemon(
            "kube-proxy", namespace="kube-system", image="images.example.com/kube-proxy:v1.32.4"
        ),
        daemon("cilium", namespace="cilium", image="images.example.com/cilium:v1.17"),
        daemon("csi-node", namespace="storage", image="images.example.com/csi/driver:v4"),
        daemon("dcgm", namespace="monitoring", image="images.example.com/dcgm-exporter:4.2"),
    ]
    wish = {"names": ["gpu-b"], "gpus": {"reserveForHost": UUIDS[6:]}}
    spec = {"apiVersion": "podwire.io/v1alpha1", "kind": "Wiring", "nodes": [wish]}
    devices = [{"resource_name": "nvidia.com/gpu", "device_ids": UUIDS[:6]}]
    texts = {
        "cluster/pods.json": json.dumps(
            {"kind": "List", "items": [*map(ordinary, range(60)), *system]}
        ),
        "cluster/nodes.json": json.dumps({"kind": "List", "items": [node]}),
        "cluster/runtimeclasses.json": json.dumps({"kind": "List", "items": []}),
        "spec/wiring.yaml": json.dumps(spec),
        "nodes/gpu-b/toolkit/config.toml": TOOLKIT,
        "nodes/gpu-b/etc/containerd/config.toml": RUNTIME,
        "nodes/gpu-b/podresources-allocatable.json": json.dumps({"devices": devices}),
        "nodes/gpu-b/nvidia-smi-L.txt": "".join(
            f"GPU {n}: NVIDIA H200 (UUID: {uuid})\n" for n, uuid in enumerate(UUIDS)
        ),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def findings(node_of_sixty: Path) -> list[dict[str, Any]]:
    found = document_of(node_of_sixty)["findings"]
    return [each for each in found if each["slug"] in DOORS]


def test_each_open_door_is_one_finding(findings: list[dict[str, Any]]) -> None:
    assert Counter(each["slug"] for each in findings) == {
        "reserved-gpu-by-variable": 1,
        "reserved-gpu-by-mount": 1,
        "reserved-gpu-by-privilege": 1,
    }


@pytest.mark.parametrize(
    ("slug", "pods"),
    [
        ("reserved-gpu-by-variable", {"team-0/app-0", "team-1/app-1", "team-2/app-2"}),
        ("reserved-gpu-by-mount", {"team-3/app-3"}),
        ("reserved-gpu-by-privilege", {"team-0/app-4", "team-1/app-5"}),
    ],
)
def test_a_finding_names_the_node_and_the_pods_in_its_door(
    findings: list[dict[str, Any]], slug: str, pods: set[str]
) -> None:
    (finding,) = (each for each in findings if each["slug"] == slug)
    named = {"Node gpu-b", *(f"Pod {pod}" for pod in pods)}
    assert {finding["subject"], *finding["subjects"]} == named


def test_the_nodes_own_software_is_in_no_finding(findings: list[dict[str, Any]]) -> None:
    text = json.dumps(findings)
    assert not [name for name in ("kube-proxy", "cilium", "csi-node", "dcgm-x") if name in text]


@pytest.mark.parametrize("case", [pytest.param(c, id=c.id) for c in cases("quiet")])
def test_doors_say_at_most_a_note_about_what_is_in_order(case: Case) -> None:
    loud = [
        judged
        for judged in said(case.folder).report.findings
        if judged.rule.slug in DOORS and judged.finding.severity is not Severity.NOTE
    ]
    assert not loud, said(case.folder).text


def test_the_article_is_told_that_pods_can_take_what_it_hides() -> None:
    document = document_of(CASES / "articles/3-hide")
    (finding,) = (f for f in document["findings"] if f["slug"] == "hidden-gpu-by-variable")
    assert finding["severity"] == "note"
    assert finding["message"].startswith("any pod under NVIDIA's runtime on gpu-node-01")
    assert finding["evidence"][0]["place"].startswith("nodes/gpu-node-01/toolkit/config.toml")
    assert "legitimate pods and the plugin itself get no GPU" in finding["fix"][0]["breaks"]
