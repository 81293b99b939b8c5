"""Small GPU clusters as YAML, for tests of the wire."""

from collections.abc import Mapping
from typing import Any

from tests.pictures import items, picture

from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.uses import GpuUse

A, B = "GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000", "GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001"
MIG = "MIG-3fa90002-0c2e-4d71-8b1a-6e5d4c3b0002"
CARDS = f"GPU 0: NVIDIA H200 (UUID: {A})\nGPU 1: NVIDIA H200 (UUID: {B})\n"
CONTAINERD = """version = 3
[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
  BinaryName = "/usr/bin/nvidia-container-runtime"
"""
FILES = {
    "nodes/gpu-a/nvidia-smi-L.txt": CARDS,
    "nodes/gpu-a/etc/containerd/config.toml": CONTAINERD,
    "nodes/gpu-a/toolkit/config.toml": "",
}
CLASS = "{kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}"
NODE = """
kind: Node
metadata: {name: gpu-a, labels: {pool: gpu}}
status:
  capacity: {nvidia.com/gpu: "2"}
  nodeInfo: {kubeletVersion: v1.32.4, containerRuntimeVersion: "containerd://2.0.5"}
"""
POD = """
kind: Pod
metadata: {name: w, namespace: train, uid: u}
spec:
  nodeName: gpu-a
  runtimeClassName: nvidia
  containers:
  - {name: main, image: trainer, resources: {limits: {nvidia.com/gpu: "1"}}}
status: {phase: Pending}
"""

POD_OF_PLUGIN = """
kind: Pod
metadata:
  name: plugin-x
  namespace: kube-system
  uid: p
  ownerReferences: [{kind: DaemonSet, name: plugin, uid: d, controller: true}]
spec:
  nodeName: gpu-a
  containers: [{name: main, image: "images.example.com/gpu/k8s-device-plugin:v0.17.1"}]
status:
  phase: Running
  containerStatuses: [{name: main, ready: true, state: {running: {}}}]
"""
RUNNING = POD_OF_PLUGIN + "---" + POD
ENVVAR = "{name: DEVICE_LIST_STRATEGY, value: envvar}"


def plugin(name: str = "plugin", *, env: str = "", image: str = "k8s-device-plugin:v0.17.1") -> str:
    """A DaemonSet with one container; `env` are entries of its list."""
    return f"""
kind: DaemonSet
metadata: {{name: {name}, namespace: kube-system}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: main
        image: images.example.com/gpu/{image}
        env: [{env}]
        volumeMounts: [{{name: kubelet, mountPath: /var/lib/kubelet/device-plugins}}]
      volumes: [{{name: kubelet, hostPath: {{path: /var/lib/kubelet/device-plugins}}}}]
"""


def gpus(
    *daemons: str,
    node: str = NODE,
    pods: str = POD,
    files: Mapping[str, str] = FILES,
    others: Mapping[str, list[dict[str, Any]]] | None = None,
    assume: Mapping[str, str] | None = None,
) -> Gpus:
    """Join a cluster of one node; everything is listed."""
    cluster = {
        "daemonsets": items("---".join(daemons)),
        "nodes": items(node),
        "pods": items(pods),
        "runtimeclasses": items(CLASS),
        **(others or {}),
    }
    found = picture(cluster=cluster, files=files, assume=assume).gpus
    assert found is not None
    return found


def use(found: Gpus) -> GpuUse:
    """The one container that requests a GPU and has not started."""
    (judged,) = found.judged
    return judged.use
