"""Manifests of the pieces of a wire, as short as tests of one joint want them."""

import json
from collections.abc import Mapping

from podwire.model.names import ResourceName

IB = ResourceName.parse("example.com/ib_vf")
IB_SRIOV = '{"type": "ib-sriov"}'

SYSFS = """\
sys/bus/pci/devices/0000:1a:00.0/vendor = 0x15b3
sys/bus/pci/devices/0000:1a:00.0/device = 0x1021
sys/bus/pci/devices/0000:1a:00.0/class = 0x020700
sys/bus/pci/devices/0000:1a:00.0/driver -> mlx5_core
sys/bus/pci/devices/0000:1a:00.0/net/ibp26s0/type = 32
sys/bus/pci/devices/0000:1a:00.0/virtfn0 -> 0000:1a:00.1
sys/bus/pci/devices/0000:1a:00.1/vendor = 0x15b3
sys/bus/pci/devices/0000:1a:00.1/device = 0x101e
sys/bus/pci/devices/0000:1a:00.1/class = 0x020700
sys/bus/pci/devices/0000:1a:00.1/physfn -> 0000:1a:00.0
sys/bus/pci/devices/0000:1a:00.1/driver -> mlx5_core
sys/bus/pci/devices/0000:1a:00.1/net/ibp26s0v0/type = 32
"""


def nad(
    name: str = "ib-net", resource: str | None = str(IB), *, config: str = IB_SRIOV, key: str = ""
) -> str:
    """A NetworkAttachmentDefinition of namespace train; `key` is another annotation key."""
    metadata: dict[str, object] = {"name": name, "namespace": "train"}
    if resource is not None:
        metadata["annotations"] = {key or "k8s.v1.cni.cncf.io/resourceName": resource}
    return document("NetworkAttachmentDefinition", metadata, spec={"config": config})


def pool(*names: str, prefix: str = "example.com", **selector: object) -> str:
    """The plugin's ConfigMap; without names one pool, ib_vf."""
    wanted = {"devices": ["101e"], **selector}
    entries = [
        {"resourceName": name, "resourcePrefix": prefix, "selectors": wanted}
        for name in names or ("ib_vf",)
    ]
    data = {"config.json": json.dumps({"resourceList": entries})}
    return document("ConfigMap", {"name": "sriovdp", "namespace": "kube-system"}, data=data)


def pod(
    name: str = "w",
    *,
    networks: str | None = None,
    limits: Mapping[str, int] | None = None,
    annotations: Mapping[str, str] | None = None,
    container: Mapping[str, object] | None = None,
    node: str = "",
    spec: Mapping[str, object] | None = None,
    status: Mapping[str, object] | None = None,
) -> str:
    """A pod of namespace train with one container, `t`; on a node it runs."""
    bound = {"nodeName": node} if node else {}
    status = {**({"phase": "Running"} if node else {}), **(status or {})}
    every = dict(annotations or {})
    if networks is not None:
        every["k8s.v1.cni.cncf.io/networks"] = networks
    first = {"name": "t", "resources": {"limits": dict(limits or {})}, **(container or {})}
    return document(
        "Pod",
        {"name": name, "namespace": "train", "annotations": every},
        spec={"containers": [first], **bound, **(spec or {})},
        **({"status": status} if status else {}),
    )


def role(*, networks: str = "", count: int = 0, replicas: int = 1) -> dict[str, object]:
    """What a PyTorchJob says of one role."""
    limits = {str(IB): count} if count else {}
    annotations = {"k8s.v1.cni.cncf.io/networks": networks} if networks else {}
    return {
        "replicas": replicas,
        "template": {
            "metadata": {"annotations": annotations},
            "spec": {"containers": [{"name": "pytorch", "resources": {"limits": limits}}]},
        },
    }


def pytorch_job(**roles: dict[str, object]) -> str:
    """PyTorchJob train/pt."""
    metadata = {"name": "pt", "namespace": "train"}
    return document("PyTorchJob", metadata, spec={"pytorchReplicaSpecs": roles})


def document(kind: str, metadata: Mapping[str, object], **rest: object) -> str:
    """One document of a YAML stream."""
    versions = {
        "NetworkAttachmentDefinition": "k8s.cni.cncf.io/v1",
        "Job": "batch/v1",
        "PyTorchJob": "kubeflow.org/v1",
        "RayCluster": "ray.io/v1",
        "JobSet": "jobset.x-k8s.io/v1alpha2",
        "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
        "MPIJob": "kubeflow.org/v2beta1",
    }
    tree = {
        "apiVersion": versions.get(kind, "v1"),
        "kind": kind,
        "metadata": dict(metadata),
        **rest,
    }
    return f"---\n{json.dumps(tree)}\n"
