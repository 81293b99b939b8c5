"""A real one-node cluster: started, asked, dumped, and taken down again."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from tests.e2e.api import Api, Object, is_namespaced
from tests.e2e.waiting import wait_for

NODE = "lab-node"
KUBE = Path(__file__).parent / "kube"

# What a bundle is made of here, by the name that kubectl has for it.
_DUMPED = (
    "pods",
    "nodes",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "configmaps",
    "namespaces",
    "events",
    "mutatingwebhookconfigurations",
    "net-attach-def",
)
_FILES = {"net-attach-def": "net-attach-defs"}  # where a bundle's file has another

End: TypeAlias = Literal["runs", "no sandbox", "unscheduled", "unknown"]

# The reasons of the warnings that tell how far a pod got.
_ENDS: dict[str, End] = {
    "FailedCreatePodSandBox": "no sandbox",
    "FailedScheduling": "unscheduled",
}
# Multus' own words when the machine has too much to do: it is asked again, and succeeds.
_SLOW = "context deadline exceeded"


class Fate(msgspec.Struct, frozen=True):
    """How far a pod got, and which warnings there were."""

    end: End
    warnings: tuple[str, ...]


class Cluster:
    """Where it runs, and what tests do to it."""

    def __init__(self, folder: Path, *, programs: Path) -> None:
        self.folder = folder
        self.api = Api(folder / "kubeconfig")
        self._programs = programs

    @property
    def bridge(self) -> str:
        """The bridge that pods' eth0 hangs on."""
        return f"pw{(self.folder / 'id').read_text().strip()}"

    def apply(self, objects: Iterable[Object]) -> None:
        for wanted in objects:
            self.api.apply(wanted)
            if wanted["kind"] == "Namespace":  # its pods are refused until this exists
                self._await_account(wanted["metadata"]["name"])

    def trial(self, wanted: Object) -> None:
        """Have the API server judge an object, in a namespace that is made where it lacks."""
        if is_namespaced(wanted["kind"]):
            namespace = wanted["metadata"].setdefault("namespace", "default")
            self.apply([namespace_of(namespace)])
        self.api.apply(wanted, is_trial=True)

    def fates(self) -> dict[str, Fate]:
        """Tell of each pod how far it got, by namespace and label `app`."""
        told: dict[str, list[Object]] = defaultdict(list)
        for event in self.api.list("Event"):
            if event["type"] == "Warning" and _SLOW not in event["message"]:
                told[event["involvedObject"].get("uid", "")].append(event)
        return {
            f"{meta['namespace']}/{meta['labels']['app']}": _fate(pod, told[meta["uid"]])
            for pod in self.api.list("Pod")
            if "app" in (meta := pod["metadata"]).get("labels", {})
        }

    def await_fate(self, pod: str, end: End) -> Fate:
        fates = wait_for(
            f"{pod}, which should end so: {end}",
            self.fates,
            holds=lambda now: pod in now and now[pod].end == end,
        )
        return fates[pod]

    def amounts(self, resource: str) -> tuple[str, str]:
        """Give capacity and allocatable of a resource, empty where the node lacks it."""
        status = self.api.get("Node", NODE)["status"]
        return status["capacity"].get(resource, ""), status["allocatable"].get(resource, "")

    def refuse_with(self, sentence: str) -> None:
        """Have the stand-in ib-sriov say this when it is passed no device."""
        (self.folder / "cni/ib-sriov.says").write_text(sentence)

    def dump(self, bundle: Path) -> Path:
        """Write what `kubectl get -o json` prints, as a bundle."""
        (bundle / "cluster").mkdir(parents=True)
        for kind in _DUMPED:
            file = bundle / "cluster" / f"{_FILES.get(kind, kind)}.json"
            file.write_text(self._kubectl("get", kind, "-A", "-o", "json"))
        return bundle

    def _kubectl(self, *arguments: str) -> str:
        config = f"--kubeconfig={self.folder / 'kubeconfig'}"
        return _run(str(self._programs / "kubectl"), config, *arguments)

    def _await_account(self, namespace: str) -> None:
        def accounts() -> list[str]:
            found = self.api.list("ServiceAccount", namespace=namespace)
            return [account["metadata"]["name"] for account in found]

        wait_for("a service account", accounts, holds=bool)


@contextlib.contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Start a cluster of one's own; PODWIRE_E2E_KEEP=1 leaves its folder with the logs."""
    programs = Path(_run(str(KUBE / "build.sh")).strip())
    above = Path(tempfile.mkdtemp(prefix="podwire-e2e-"))
    folder = above / "kube"
    try:
        _run(str(KUBE / "up.sh"), str(folder))
        yield Cluster(folder, programs=programs)
    finally:
        if folder.exists():
            _run(str(KUBE / "down.sh"), str(folder))
        if "PODWIRE_E2E_KEEP" not in os.environ:
            shutil.rmtree(above)


def _fate(pod: Object, warnings: list[Object]) -> Fate:
    conditions = {c["type"]: c["status"] for c in pod["status"].get("conditions", ())}
    ends = [_ENDS[event["reason"]] for event in warnings if event["reason"] in _ENDS]
    return Fate(
        end="runs" if conditions.get("Ready") == "True" else next(iter(ends), "unknown"),
        warnings=tuple(event["message"] for event in warnings),
    )


def namespace_of(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _run(*command: str) -> str:
    environment = {**os.environ, "KUBE_OWNER": str(os.getpid())}
    done = subprocess.run(  # noqa: S603 - our own scripts and builds
        command, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stderr}"
    return done.stdout
