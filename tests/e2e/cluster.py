"""A real one-node cluster: started, asked, dumped, and taken down again."""

import contextlib
import functools
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from tests.e2e.api import Api, Object, is_namespaced
from tests.e2e.node import Node
from tests.e2e.programs import KUBE, run
from tests.e2e.waiting import wait_for

NODE = "lab-node"

# What a bundle is made of here, by the name that kubectl has for it.
_DUMPED = (
    "pods",
    "nodes",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "jobs",
    "configmaps",
    "namespaces",
    "events",
    "mutatingwebhookconfigurations",
    "net-attach-def",
)
_FILES = {"net-attach-def": "net-attach-defs"}  # where a bundle's file has another

End: TypeAlias = Literal["runs", "no sandbox", "no container", "rejected", "unscheduled", "unknown"]

# The reasons of the warnings that tell how far a pod got.
_ENDS: dict[str, End] = {
    "Failed": "no container",
    "FailedCreatePodSandBox": "no sandbox",
    "FailedScheduling": "unscheduled",
}
_NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status"
# Multus' own words when the machine has too much to do: it is asked again, and succeeds.
_SLOW = "context deadline exceeded"


class Fate(msgspec.Struct, frozen=True):
    """How far a pod got, and which warnings there were."""

    end: End
    warnings: tuple[str, ...]
    networks: int = 0  # of Multus' network-status, beside the pod's own
    devices: int = 0  # those among them that have one
    asked: int = 0  # devices that its containers request
    message: str = ""  # kubelet's, where it rejected the pod


class Cluster:
    """Where it runs, and what tests do to it."""

    def __init__(self, folder: Path, *, programs: Path) -> None:
        self.folder = folder
        self.api = Api(folder / "kubeconfig")
        self.node = self.new_node(NODE)
        self.programs = programs

    @property
    def bridge(self) -> str:
        """The bridge that pods' eth0 hangs on."""
        return f"pw{(self.folder / 'id').read_text().strip()}"

    def new_node(self, name: str) -> Node:
        """Name another node; it runs once it is started."""
        return Node(name, cluster=self.folder, api=self.api)

    def apply(self, objects: Iterable[Object]) -> None:
        """Make them so; pods of new namespaces are refused until those have an account."""
        fresh: list[str] = []
        for wanted in objects:
            if wanted["kind"] == "Namespace":
                fresh.append(wanted["metadata"]["name"])
            else:
                self._await_accounts(fresh)
                fresh.clear()
            self.api.apply(wanted)
        self._await_accounts(fresh)

    def trial(self, wanted: Object) -> None:
        """Have the API server judge an object, in a namespace that is made where it lacks."""
        if is_namespaced(wanted["kind"]):
            namespace = wanted["metadata"].setdefault("namespace", "default")
            self.apply([namespace_of(namespace)])
        self.api.apply(wanted, is_trial=True)

    def fates(self) -> dict[str, Fate]:
        """Tell of each pod how far it got, by namespace and label `app`."""
        return {
            f"{meta['namespace']}/{meta['labels']['app']}": fate
            for meta, fate in self._fates()
            if "app" in meta.get("labels", {})
        }

    def fates_by_name(self) -> dict[str, Fate]:
        """Tell the same by namespace and name."""
        return {f"{meta['namespace']}/{meta['name']}": fate for meta, fate in self._fates()}

    def _fates(self) -> Iterator[tuple[Object, Fate]]:
        told: dict[str, list[Object]] = defaultdict(list)
        for event in self.api.list("Event"):
            if event["type"] == "Warning" and _SLOW not in event["message"]:
                told[event["involvedObject"].get("uid", "")].append(event)
        for pod in self.api.list("Pod"):
            yield pod["metadata"], _fate(pod, told[pod["metadata"]["uid"]])

    def await_fate(self, pod: str, end: End) -> Fate:
        fates = wait_for(
            f"{pod}, which should end so: {end}",
            self.fates,
            holds=lambda now: pod in now and now[pod].end == end,
        )
        return fates[pod]

    def dump(self, bundle: Path, *, nodes: Iterable[Node] = ()) -> Path:
        """Write what `kubectl get -o json` prints and what kubelets say, as a bundle."""
        (bundle / "cluster").mkdir(parents=True)
        for kind in _DUMPED:
            file = bundle / "cluster" / f"{_FILES.get(kind, kind)}.json"
            file.write_text(self._kubectl("get", kind, "-A", "-o", "json"))
        for node in nodes:
            node.write_facts(bundle / "nodes" / node.name)
        return bundle

    def _kubectl(self, *arguments: str) -> str:
        config = f"--kubeconfig={self.folder / 'kubeconfig'}"
        return run(str(self.programs / "kubectl"), config, *arguments)

    def _await_accounts(self, namespaces: Iterable[str]) -> None:
        for namespace in namespaces:
            wait_for(
                f"a service account in {namespace}",
                functools.partial(self.api.list, "ServiceAccount", namespace=namespace),
                holds=bool,
            )


@contextlib.contextmanager
def running_cluster(*nodes: str) -> Iterator[Cluster]:
    """Start a cluster of one's own; PODWIRE_E2E_KEEP=1 leaves its folder with the logs."""
    programs = Path(run(str(KUBE / "build.sh")).strip())
    above = Path(tempfile.mkdtemp(prefix="podwire-e2e-"))
    folder = above / "kube"
    try:
        run(str(KUBE / "up.sh"), str(folder), *nodes)
        yield Cluster(folder, programs=programs)
    finally:
        if folder.exists():
            run(str(KUBE / "down.sh"), str(folder))
        if "PODWIRE_E2E_KEEP" not in os.environ:
            shutil.rmtree(above, ignore_errors=True)


def _fate(pod: Object, warnings: list[Object]) -> Fate:
    status = pod["status"]
    conditions = {c["type"]: c["status"] for c in status.get("conditions", ())}
    ends = [_ENDS[event["reason"]] for event in warnings if event["reason"] in _ENDS]
    end: End = next(iter(ends), "unknown")
    if status["phase"] == "Failed":
        end = "rejected"
    elif conditions.get("Ready") == "True":
        end = "runs"
    annotations = pod["metadata"].get("annotations", {})
    more = [n for n in json.loads(annotations.get(_NETWORK_STATUS, "[]")) if not n.get("default")]
    return Fate(
        end=end,
        warnings=tuple(event["message"] for event in warnings),
        networks=len(more),
        devices=sum("device-info" in network for network in more),
        asked=sum(_asked(pod)),
        message=status.get("message", ""),
    )


def _asked(pod: Object) -> Iterator[int]:
    for container in pod["spec"]["containers"]:
        for resource, count in container.get("resources", {}).get("limits", {}).items():
            if "/" in resource:
                yield int(count)


def namespace_of(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
