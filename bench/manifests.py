"""Manifests as people write them: three small files, and a folder of 1,000 documents."""

from collections.abc import Iterator
from pathlib import Path

DOCUMENTS = 1000
_FILES = 10

_NETWORK = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata:
  name: ib-train
  namespace: train
  annotations:
    k8s.v1.cni.cncf.io/resourceName: example.com/ib_fv
spec:
  config: |-
    {"cniVersion": "0.3.1", "type": "ib-sriov", "pkey": "0x7001", "link_state": "enable"}
"""
_POOLS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: sriovdp-config
  namespace: kube-system
data:
  config.json: |-
    {"resourceList": [{"resourcePrefix": "example.com", "resourceName": "ib_vf",
      "selectors": {"vendors": ["15b3"], "devices": ["101e"], "isRdma": true}}]}
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: runner-{number}
  namespace: train
  labels:
    app: runner
    rank: "{number}"{annotations}
spec:
  containers:
  - name: main
    image: registry.example.com/train/runner:1.4.{number}
    command: ["python", "-m", "train", "--rank={number}"]
    env:
    - name: NCCL_DEBUG
      value: INFO
    resources:
      requests:
        cpu: "4"
        memory: 16Gi
      limits:
        memory: 16Gi{device}
"""
_CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: runner-{number}
  namespace: train
  labels:
    app: runner
data:
  rank: "{number}"
  settings.yaml: |
    batch_size: 32
    learning_rate: 0.0003
    checkpoint: /data/checkpoints/{number}
    log_level: info
    seed: 202603020815{number}
"""
_ANNOTATIONS = """
  annotations:
    k8s.v1.cni.cncf.io/networks: ib-train"""
_DEVICE = """
        example.com/ib_vf: "1\""""


def _pod(number: int, *, has_device: bool) -> str:
    return _POD.format(
        number=number,
        annotations=_ANNOTATIONS if has_device else "",
        device=_DEVICE if has_device else "",
    )


def write_small(folder: Path) -> None:
    """Write a pod, its network with a misspelt resource, and the pools."""
    (folder / "pod.yaml").write_text(_pod(0, has_device=True))
    (folder / "network.yaml").write_text(_NETWORK)
    (folder / "pools.yaml").write_text(_POOLS)


def write_thousand(folder: Path) -> None:
    """Write 500 pods, every fifth with a device, and 500 ConfigMaps, in ten files."""
    for number in range(_FILES):
        documents = _documents(number, step=_FILES)
        (folder / f"runners-{number}.yaml").write_text("---\n".join(documents))


def _documents(start: int, *, step: int) -> Iterator[str]:
    for number in range(start, DOCUMENTS // 2, step):
        yield _pod(number, has_device=number // step % 5 == 0)
        yield _CONFIG.format(number=number)
