"""Objects of a large cluster as its API server gives them, as text, one by one."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

_OBJECTS = Path(__file__).parent / "objects"
_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_STATUS = "k8s.v1.cni.cncf.io/network-status"
_RESOURCE = "example.com/ib_vf"
NAMESPACES = 50  # each with a network
_IMAGES = 20  # on a node
_FABRIC = 5  # every fifth pod uses the fabric
_REPLICAS = 32
_BROKEN = 997  # of so many pods one is broken,
_BROKEN_AT = 5  # this one
_CONFIG = {"cniVersion": "0.3.1", "type": "ib-sriov", "pkey": "0x7001", "link_state": "enable"}
_ATTACHED: list[dict[str, Any]] = [
    {"name": "cbr0", "interface": "eth0", "ips": ["10.$octets.7"], "default": True, "dns": {}},
    {
        "name": "$namespace/ib-train",
        "interface": "net1",
        "mac": "00:00:10:49:fe:80:00:00:00:00:00:00:02:00:00:00:00:00:00:01",
        "dns": {},
        "device-info": {
            "type": "pci",
            "version": "1.1.0",
            "pci": {"pci-address": "0000:1a:00.1", "rdma-device": "mlx5_1"},
        },
    },
]


def pods(count: int, *, nodes: int) -> Iterator[str]:
    """Make pods: most plain, every fifth on the fabric, a few of these broken."""
    plain, attached, broken = (_template("pod", c) for c in (_keep, _attach, _break))
    for number in range(count):
        if number % _BROKEN == _BROKEN_AT:
            template = broken
        else:
            template = plain if number % _FABRIC else attached
        yield template.substitute(_values(number, nodes=nodes))


def nodes(count: int) -> Iterator[str]:
    """Make nodes with GPUs and virtual functions."""
    template = _template("node", _pull)
    for number in range(count):
        yield template.substitute(_values(number, nodes=count))


def networks() -> Iterator[str]:
    """Make the network of every namespace."""
    for number in range(NAMESPACES):
        yield _compact(
            {
                "apiVersion": "k8s.cni.cncf.io/v1",
                "kind": "NetworkAttachmentDefinition",
                "metadata": {
                    "name": "ib-train",
                    "namespace": _namespace(number),
                    "annotations": {"k8s.v1.cni.cncf.io/resourceName": _RESOURCE},
                },
                "spec": {"config": json.dumps(_CONFIG)},
            }
        )


def config_maps() -> Iterator[str]:
    """Make the device plugin's configuration."""
    selectors = {"vendors": ["15b3"], "devices": ["101e"], "isRdma": True}
    pool = {"resourcePrefix": "example.com", "resourceName": "ib_vf", "selectors": selectors}
    yield _compact(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "sriovdp-config", "namespace": "kube-system"},
            "data": {"config.json": json.dumps({"resourceList": [pool]})},
        }
    )


def _template(name: str, change: Callable[[Any], None]) -> Template:
    tree = json.loads((_OBJECTS / f"{name}.json").read_text())
    change(tree)
    return Template(_compact(tree))


def _keep(_: object) -> None:
    pass


def _pull(node: Any) -> None:  # noqa: ANN401 - a tree of JSON
    node["status"]["images"] *= _IMAGES


def _attach(pod: Any) -> None:  # noqa: ANN401 - a tree of JSON
    pod["metadata"]["annotations"] |= {
        _NETWORKS: "ib-train",
        _STATUS: json.dumps(_ATTACHED, indent=4),
    }
    for amounts in pod["spec"]["containers"][0]["resources"].values():
        amounts[_RESOURCE] = "1"


def _break(pod: Any) -> None:  # noqa: ANN401 - a tree of JSON
    """Name the network twice and request one device: the sandbox never comes up."""
    _attach(pod)
    annotations, status = pod["metadata"]["annotations"], pod["status"]
    annotations[_NETWORKS] = "ib-train,ib-train"
    del annotations[_STATUS], status["podIP"], status["podIPs"]
    status["phase"] = "Pending"
    for condition in status["conditions"]:
        if condition["type"] not in {"Initialized", "PodScheduled"}:
            condition["status"] = "False"
    for container in status["containerStatuses"]:
        del container["containerID"]
        container["imageID"] = ""
        container["ready"] = container["started"] = False
        container["state"] = {"waiting": {"reason": "ContainerCreating"}}


def _values(number: int, *, nodes: int) -> dict[str, object]:
    digest = sha256(str(number).encode()).hexdigest()
    return {
        "number": f"{number:06}",
        "hex": f"{number:012x}",
        "group": f"{number // _REPLICAS:04}",
        "node": f"{number % nodes:06}",
        "namespace": _namespace(number // _REPLICAS),
        "octets": f"{number >> 8 & 255}.{number & 255}",
        "second": f"{number % 60:02}",
        "digest": digest,
        "short": digest[:32],
    }


def _namespace(number: int) -> str:
    return f"team-{number % NAMESPACES:02}"


def _compact(tree: object) -> str:
    return json.dumps(tree, separators=(",", ":"))
