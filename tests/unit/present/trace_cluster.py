"""A small cluster: three ranks of one job on two nodes, two VFs each; the third is odd."""

import json
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from tests.inventories import inventory

from podwire.facts.node import PCI, NodeFiles
from podwire.facts.objects import ApiObject, ConfigMap, Network, Node, Pod
from podwire.facts.sysfs_tree import functions_of
from podwire.model.evidence import Document, Known, Origin, Unknown
from podwire.wire.picture import Picture

O = TypeVar("O", bound=ApiObject)  # noqa: E741 - an object
NAMESPACE = "train"
RESOURCE = "example.com/ib_vf"
NODES = ("gpu-a", "gpu-b")
_NOT_READ = Unknown(reason="not collected")
_PLUGIN = {
    "resourceList": [
        {
            "resourcePrefix": "example.com",
            "resourceName": "ib_vf",
            "selectors": {"vendors": ["15b3"], "devices": ["101e"], "isRdma": True},
        }
    ]
}


def an_object(kind: type[O], metadata: Mapping[str, object], **fields: object) -> O:
    """Decode an object as the API would give it."""
    tag = kind.__struct_config__.tag
    return msgspec.convert({"kind": tag, "metadata": metadata, **fields}, kind)


def rank(number: int, *, node: str, devices: int = 2) -> Pod:
    """Give a pod of the job; one that has a node has its VFs too."""
    status = [
        {
            "name": "train/ib-net",
            "interface": f"net{i + 1}",
            "device-info": {"pci": {"pci-address": f"0000:18:00.{2 * number + i + 1}"}},
        }
        for i in range(2)
    ]
    annotations = {
        "k8s.v1.cni.cncf.io/networks": "ib-net, ib-net",
        "k8s.v1.cni.cncf.io/network-status": json.dumps(status if node else []),
    }
    limits = {RESOURCE: str(devices), "nvidia.com/gpu": "8"}
    return an_object(
        Pod,
        {
            "name": f"llm-{number}",
            "namespace": NAMESPACE,
            "uid": f"uid-{number}",
            "annotations": annotations,
            "ownerReferences": [{"kind": "Job", "name": "llm", "controller": True}],
        },
        spec={
            "nodeName": node,
            "containers": [{"name": "main", "resources": {"limits": limits}}],
        },
        status={"phase": "Running" if node else "Pending"},
    )


def files(node: str) -> NodeFiles:
    """Give a PF with four VFs."""
    document = Document(name=f"nodes/{node}/sysfs.txt", origin=Origin.NODE, owner=node)
    pf = f"{PCI}/0000:18:00.0"
    values = {f"{pf}/class": "0x020700", f"{pf}/net/ibs1/type": "32"}
    links = {f"{pf}/driver": "mlx5_core"}
    for i in range(4):
        vf = f"{PCI}/0000:18:00.{i + 1}"
        links |= {
            f"{pf}/virtfn{i}": f"0000:18:00.{i + 1}",
            f"{vf}/physfn": "0000:18:00.0",
            f"{vf}/driver": "mlx5_core",
        }
        values |= {
            f"{vf}/class": "0x020700",
            f"{vf}/vendor": "0x15b3",
            f"{vf}/device": "0x101e",
            f"{vf}/numa_node": "0",
            f"{vf}/infiniband/mlx5_{i + 2}/node_guid": f"a088:c203:0021:100{i}",
            f"sys/class/infiniband_verbs/uverbs{i + 2}/ibdev": f"mlx5_{i + 2}",
        }
    functions = functions_of(values, links=links, document=document, is_whole=False)
    return NodeFiles(
        name=node,
        functions=Known(value=functions),
        default_routes=Known(value=frozenset()),
        allocatable=_NOT_READ,
        held=_NOT_READ,
        kubelet=_NOT_READ,
        rdma_mode=_NOT_READ,
    )


def cluster(
    *pods: Pod, networks: Mapping[str, str] | None = None, nodes: tuple[str, ...] = NODES
) -> Picture:
    """Join everything; `networks` are CNI configurations by the network's name."""
    nads = [
        an_object(
            Network,
            {
                "name": name,
                "namespace": NAMESPACE,
                "annotations": {"k8s.v1.cni.cncf.io/resourceName": RESOURCE},
            },
            spec={"config": text},
        )
        for name, text in (networks or {"ib-net": '{"type": "ib-sriov"}'}).items()
    ]
    capacity = {"capacity": {RESOURCE: "4", "nvidia.com/gpu": "8"}}
    machines = [an_object(Node, {"name": name}, status=capacity) for name in nodes]
    plugin = an_object(
        ConfigMap,
        {"name": "sriovdp", "namespace": "kube-system"},
        data={"config.json": json.dumps(_PLUGIN)},
    )
    facts = inventory(
        [*pods, *nads, *machines, plugin],
        whole=("Pod", "Node", "NetworkAttachmentDefinition", "ConfigMap"),
    )
    node_files = {name: files(name) for name in NODES if name in nodes}
    return Picture(msgspec.structs.replace(facts, node_files=node_files))
