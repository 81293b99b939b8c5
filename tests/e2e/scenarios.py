"""Good and broken wiring as Kubernetes objects, and what the cluster makes of each.

Which rule has to say so stands with the recorded dump, in tests/cases/real/cluster-1.37.
"""

import json
from typing import Any

import msgspec

from tests.e2e.api import Object
from tests.e2e.cluster import End, namespace_of

RESOURCE = "example.com/ib_vf"
NETWORKS = "k8s.v1.cni.cncf.io/networks"


class Scenario(msgspec.Struct, frozen=True):
    """One pod, or the workload that makes it."""

    why: str
    ends: End
    made: Object

    @property
    def name(self) -> str:
        return f"{self.made['metadata']['namespace']}/{self.made['metadata']['name']}"


def network(
    name: str,
    *,
    namespace: str = "train",
    resource: str = RESOURCE,
    cni: str = "ib-sriov",
    config: str = "",
) -> Object:
    ipam = {
        "type": "host-local",
        "dataDir": "/run/cni-ipam",
        "ranges": [[{"subnet": "10.56.0.0/16"}]],
    }
    whole = {"cniVersion": "0.3.1", "name": name, "type": cni, "ipam": ipam}
    annotations = {"k8s.v1.cni.cncf.io/resourceName": resource} if resource else {}
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"config": config or json.dumps(whole, indent=2)},
    }


def container(name: str = "trainer", *, resource: str = RESOURCE, count: int = 1) -> Object:
    amounts = {resource: str(count)} if count else {}
    return {
        "name": name,
        "image": "lab.local/busybox:1",
        "args": ["sleep", "86400"],
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        "resources": {"requests": amounts, "limits": amounts},
    }


def pod(
    name: str,
    networks: str | None = "ib-net",
    *,
    namespace: str = "train",
    key: str = NETWORKS,
    count: int = 1,
    resource: str = RESOURCE,
    **spec: Any,  # noqa: ANN401 - a pod's own fields
) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"app": name},
            "annotations": {} if networks is None else {key: networks},
        },
        "spec": {"containers": [container(resource=resource, count=count)], **spec},
    }


def deployment(name: str, *, networks: str) -> Object:
    """Make a Deployment that carries the annotation itself."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "train", "annotations": {NETWORKS: networks}},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container()]}},
        },
    }


def surroundings(*, bridge: str) -> list[Object]:
    """Make what the pods stand among: namespaces, the plugin's configuration, networks."""
    selectors = {"vendors": ["15b3"], "devices": ["101e"], "isRdma": True}
    pool = {"resourceName": "ib_vf", "resourcePrefix": "example.com", "selectors": [selectors]}
    other = "example.com/sriov_ib"
    return [
        *[namespace_of(name) for name in ("train", "netops", "train-extra")],
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "sriovdp-config", "namespace": "kube-system"},
            "data": {"config.json": json.dumps({"resourceList": [pool]}, indent=2)},
        },
        network("ib-net"),
        network("ib-net-other-resource", resource=other),
        network("ib-net-noannot", resource=""),
        network("ib-net-elsewhere", namespace="netops"),
        network("ib-net-shared", namespace="netops"),
        network("ib-net-notjson", config='{\n  "cniVersion": "0.3.1",\n  "type": "ib-sriov",\n'),
        network("ib-net-badtype", cni="ibsriov"),
        network("ib-net", namespace="train-extra"),
        network(
            "bridge-other-resource",
            namespace="train-extra",
            resource=other,
            config=json.dumps({"cniVersion": "0.3.1", "type": "bridge", "bridge": bridge}),
        ),
    ]


def _pod(why: str, ends: End, name: str, *networks: str | None, **more: Any) -> Scenario:  # noqa: ANN401 - as `pod`
    return Scenario(why, ends, pod(name, *networks, **more))


def _extra(why: str, ends: End, name: str, *networks: str | None, **more: Any) -> Scenario:  # noqa: ANN401 - as `pod`
    return _pod(why, ends, name, *networks, namespace="train-extra", **more)


_BOTH = json.dumps(
    [
        {"name": "ib-net", "interface": "ib0"},
        {"name": "ib-net", "namespace": "train", "interface": "ib1"},
    ]
)

SCENARIOS = (
    _pod("one network, one device", "runs", "good"),
    _pod(
        "networks of two namespaces, with interface names",
        "runs",
        "comma-form",
        "train/ib-net@ib0, netops/ib-net-shared@ib1",
        count=2,
    ),
    _pod("the same as JSON", "runs", "json-form", _BOTH, count=2),
    _extra("the longest name", "runs", "annotation-ifname-15", "ib-net@infiniband-rail"),
    # What the network says
    _pod(
        "it names a resource that nobody makes",
        "no sandbox",
        "nad-names-other-resource",
        "ib-net-other-resource",
    ),
    _pod("it names no resource", "no sandbox", "nad-without-annotation", "ib-net-noannot"),
    _pod("it does not exist", "no sandbox", "nad-missing", "ib-nett"),
    _pod(
        "it exists in another namespace",
        "no sandbox",
        "nad-in-other-namespace",
        "ib-net-elsewhere",
    ),
    _extra("its namespace is missing", "no sandbox", "nad-namespace-missing", "nowhere/ib-net"),
    _pod("its config is cut off", "no sandbox", "nad-config-not-json", "ib-net-notjson"),
    _pod("its CNI plugin is misspelt", "no sandbox", "nad-type-misspelt", "ib-net-badtype"),
    _extra(
        "its CNI plugin needs no device, and the pod's is left over",
        "runs",
        "silent-bridge-other-resource",
        "bridge-other-resource",
    ),
    # What the pod requests
    _pod("nothing", "no sandbox", "request-missing", count=0),
    _pod("one device for two networks", "no sandbox", "request-one-short", "ib-net,ib-net"),
    _pod("a device and no network", "runs", "request-without-network", None),
    _extra(
        "a device in its second container",
        "runs",
        "request-in-other-container",
        containers=[container("worker", count=0), container()],
    ),
    _extra(
        "a device in its init container only",
        "no sandbox",
        "request-in-init-container",
        count=0,
        initContainers=[{**container("probe"), "args": ["env"]}],
    ),
    # What the annotation says
    _pod("its key is misspelt", "runs", "annotation-key-misspelt", key=NETWORKS[:-1]),
    Scenario(
        "it stands on the Deployment, not on its pods",
        "runs",
        deployment("annotation-on-deployment", networks="ib-net"),
    ),
    _pod("JSON, cut off", "no sandbox", "annotation-half-json", '[{"name": "ib-net"'),
    _extra("no list", "no sandbox", "annotation-single-object", '{"name": "ib-net"}'),
    _extra("no name", "no sandbox", "annotation-without-name", '[{"interface": "ib0"}]'),
    _extra("upper case", "no sandbox", "annotation-upper-case", "IB-net"),
    _extra("a comma too many", "no sandbox", "annotation-trailing-comma", "ib-net,"),
    _extra("nothing", "runs", "annotation-empty", ""),
    _extra("an empty list", "runs", "annotation-empty-list", "[]"),
    _extra(
        "a long interface name",
        "no sandbox",
        "annotation-ifname-too-long",
        "ib-net@infiniband-rail0",
    ),
    _extra(
        "one interface name twice",
        "no sandbox",
        "annotation-ifname-twice",
        "ib-net@ib0,ib-net@ib0",
        count=2,
    ),
    # Where the pod may run
    _pod("nobody has it", "unscheduled", "resource-nowhere", resource="example.com/nope"),
    _extra("no node has so many", "unscheduled", "resource-over-capacity", count=100),
    _pod(
        "no node has the label",
        "unscheduled",
        "nodeselector-unmatched",
        nodeSelector={"podwire.example.com/rail": "a"},
    ),
)

# Once the pods above hold what they hold.
LATER = (_pod("others hold the rest", "unscheduled", "resource-exhausted", count=8),)
