"""Nine symptoms that people report, each as objects for a namespace of its own.

Most have NADs, a plugin's configuration and pods that would work but for one thing.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from tests.e2e.api import Object
from tests.e2e.cluster import End, namespace_of
from tests.e2e.scenarios import NETWORKS, container, network, pod


class Symptom(msgspec.Struct, frozen=True):
    """What is applied, how far the pod gets, and what podwire has to say of it.

    `rules` may only be told from the cluster where `is_told_by_files` is false: they rest on
    what has happened, which no manifest holds.
    """

    name: str
    resource: str
    objects: tuple[Object, ...]
    ends: End
    rules: frozenset[str]
    is_told_by_files: bool = True

    @property
    def namespace(self) -> str:
        return f"symptom-{self.name}"


def _symptom(
    name: str,
    ends: End,
    rule: str,
    *made: Object,
    nad: Mapping[str, Any] = {},
    is_told_by_files: bool = True,
) -> Symptom:
    resource = resource_of(name)
    namespace = f"symptom-{name}"
    ib_net = network("ib-net", namespace=namespace, **{"resource": resource, **nad})
    return Symptom(
        name=name,
        resource=resource,
        objects=(namespace_of(namespace), ib_net, *made),
        ends=ends,
        rules=frozenset({rule} if rule else ()),
        is_told_by_files=is_told_by_files,
    )


def resource_of(name: str) -> str:
    return f"{name}.example.com/ib_vf"


def _pod(name: str, networks: str | None = "ib-net", **more: Any) -> Object:  # noqa: ANN401 - as `pod`
    resource = more.pop("resource", resource_of(name))
    return pod("worker", networks, namespace=f"symptom-{name}", resource=resource, **more)


def _deployment(name: str) -> Object:
    labels = {"app": "worker"}
    spec = {"containers": [container(resource=resource_of(name))]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "worker",
            "namespace": f"symptom-{name}",
            "annotations": {NETWORKS: "ib-net"},
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


SYMPTOMS = (
    _symptom(
        "pool-missing",
        "unscheduled",
        "resource-nowhere",
        _pod("pool-missing", resource="pool-missing.example.com/ib-vf"),
    ),
    _symptom(
        "nad-other",
        "no sandbox",
        "nad-resource-unadvertised",
        _pod("nad-other"),
        nad={"resource": "nad-other.example.com/sriov_ib"},
    ),
    _symptom("no-request", "no sandbox", "attachment-without-device", _pod("no-request", count=0)),
    _symptom("no-network", "runs", "device-without-attachment", _pod("no-network", None)),
    _symptom("misplaced", "runs", "networks-annotation-misplaced", _deployment("misplaced")),
    _symptom(
        "plugin-died",
        "unscheduled",
        "allocatable-below-capacity",
        _pod("plugin-died"),
        is_told_by_files=False,
    ),
    _symptom("no-cdi", "no container", "", _pod("no-cdi")),
    _symptom("no-scheduler", "unknown", "", _pod("no-scheduler", schedulerName="hami-scheduler")),
)


def plugin_configuration() -> Object:
    """Configure the pools that the plugin for tests offers in place of the SR-IOV plugin."""
    selectors = [{"vendors": ["15b3"], "devices": ["101e"], "isRdma": True}]
    pools = [
        {
            "resourceName": "ib_vf",
            "resourcePrefix": s.resource.split("/")[0],
            "selectors": selectors,
        }
        for s in SYMPTOMS
    ]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "sriovdp-config", "namespace": "kube-system"},
        "data": {"config.json": json.dumps({"resourceList": pools}, indent=2)},
    }
