"""A case's own nodes and pods before a real scheduler: nodes that no kubelet stands behind."""

import contextlib

from tests.e2e.api import Object, RefusedError
from tests.e2e.case_objects import IMAGE, Stage, Told
from tests.e2e.cluster import Cluster, Fate, namespace_of
from tests.e2e.quotation import short_of
from tests.e2e.waiting import wait_for

_NOT_READY = "node.kubernetes.io/not-ready"  # its taint follows from the condition
_PLENTY = {"cpu": "256", "memory": "1Ti", "pods": "110"}


def play(cluster: Cluster, stage: Stage, told: Told) -> dict[str, Fate]:
    """Make the case's nodes and pods, and give the fates of those that the finding is about."""
    nodes = [_lacking(node, stage, told) for node in stage.nodes()] or [_default_node(stage, told)]
    objects = stage.objects(on_a_node=False)
    cluster.apply(namespace_of(name) for name in (*stage.namespaces, stage.probes))
    try:
        for node in nodes:
            _make(cluster, node)
        for wanted in sorted(objects, key=lambda o: not o["spec"].get("nodeName")):
            cluster.api.apply(wanted)
            if wanted["kind"] == "Pod" and wanted["spec"].get("nodeName"):
                cluster.api.patch(_running(wanted), part="/status")
        return _await(cluster, stage, told)
    finally:
        _clear(cluster, stage, [node["metadata"]["name"] for node in nodes], objects)


def _await(cluster: Cluster, stage: Stage, told: Told) -> dict[str, Fate]:
    about = {stage.ref(ref) for ref in told.subjects if ref.kind not in {"Node", "ConfigMap"}}
    about = {name for name in about if not name.startswith(f"{stage.mark}-kube-system/")}

    def concerned() -> dict[str, Fate]:
        fates = cluster.fates_by_name()
        return {
            name: fate
            for name, fate in fates.items()
            if name.startswith(f"{stage.mark}-")
            and fate.end == "unscheduled"
            # a workload's pods begin with its name
            and (
                not about or any(name.startswith(each) for each in about) or name.endswith("/probe")
            )
        }

    if "once those are full" in told.finding.sees:
        _fill(cluster, stage)
        cluster.apply([_probe(stage, told)])
    elif not _has_waiting_pod(stage):
        cluster.apply([_probe(stage, told)])
    return wait_for(f"a pod of {told.id} that waits", concerned, holds=bool)


def _has_waiting_pod(stage: Stage) -> bool:
    """Say whether anything in the case makes a pod that nobody has placed."""
    return any(
        o["kind"] not in {"Namespace", "NetworkAttachmentDefinition"}
        and not o["spec"].get("nodeName")
        for o in stage.objects(on_a_node=False)
    )


def _fill(cluster: Cluster, stage: Stage) -> None:
    """Hold all that the case's nodes have of its pools, as pods would."""
    for node in stage.nodes():
        amounts = {k: v for k, v in node["status"]["allocatable"].items() if k in stage.made()}
        name = f"holds-{node['metadata']['name']}"
        pod = _pod(name, namespace=stage.probes, amounts=amounts)
        cluster.apply([{**pod, "spec": {**pod["spec"], "nodeName": node["metadata"]["name"]}}])
        cluster.api.patch(_running(pod), part="/status")


def _probe(stage: Stage, told: Told) -> Object:
    """Make a pod that asks for what the finding says is missing."""
    resource = short_of(stage.renamed(told.finding.sees))
    return _pod("probe", namespace=stage.probes, amounts={resource: "1"})


def _pod(name: str, *, namespace: str, amounts: dict[str, str]) -> Object:
    resources = {"requests": amounts, "limits": amounts}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "main", "image": IMAGE, "resources": resources}]},
    }


def _lacking(node: Object, stage: Stage, told: Told) -> Object:
    """Take from a node what it will lack once the case's pools are in force."""
    sees = stage.renamed(told.finding.sees)
    if f"{node['metadata']['name']} has no {short_of(sees)}" in sees:
        for part in ("capacity", "allocatable"):
            node["status"][part].pop(short_of(sees), None)
    return node


def _default_node(stage: Stage, told: Told) -> Object:
    """Make a node for manifests without one: it has what the pools make, and not what lacks."""
    lacking = short_of(stage.renamed(told.finding.sees))
    amounts = {name: "8" for name in stage.made() if name != lacking}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-a"},
        "spec": {},
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": []},
    }


def _make(cluster: Cluster, node: Object) -> None:
    """Make a node as its kubelet would have: ready unless the case says otherwise."""
    ready = next(
        (c["status"] for c in node["status"]["conditions"] if c["type"] == "Ready"),
        "False" if _NOT_READY in str(node["spec"].get("taints")) else "True",
    )
    status = {part: {**_PLENTY, **node["status"][part]} for part in ("capacity", "allocatable")}
    condition = {"type": "Ready", "status": ready, "reason": "Made"}
    named = {key: node[key] for key in ("apiVersion", "kind", "metadata")}
    cluster.api.apply({**named, "spec": node["spec"]})
    cluster.api.patch({**named, "status": {**status, "conditions": [condition]}}, part="/status")
    # The API server gives new nodes the taint not-ready; the case's own stay.
    wanted = node["spec"].get("taints")

    def taints() -> object:
        cluster.api.patch({**named, "spec": {"taints": wanted}})
        now = cluster.api.get("Node", node["metadata"]["name"])
        return now["spec"].get("taints") if now["status"].get("conditions") else "no status yet"

    if ready == "True":
        wait_for(f"the taints {wanted}", taints, holds=lambda now: now == wanted)


def _running(pod: Object) -> Object:
    named = {key: pod[key] for key in ("apiVersion", "kind", "metadata")}
    return {**named, "status": {"phase": "Running"}}


def _clear(cluster: Cluster, stage: Stage, nodes: list[str], objects: list[Object]) -> None:
    for wanted in objects:
        if wanted["kind"] != "Pod":
            with contextlib.suppress(RefusedError):  # it was never made
                cluster.api.remove(wanted)
    for namespace in (*stage.namespaces, stage.probes):
        cluster.api.delete("Pod", namespace=namespace)
    for node in nodes:
        cluster.api.delete("Node", node)
