"""Pods for a node with two NUMA nodes, one after the other, and what became of each."""

import contextlib
import io
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import yaml

from podwire.cli.main import main
from podwire.cli.world import real_world
from tests.e2e import fake_sysfs
from tests.e2e.api import Object
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.device_plugin.pools import Device, Pools, numbered
from tests.e2e.node import Node
from tests.e2e.waiting import wait_for
from tests.oracle.cases import Case

GPU, VF = "nvidia.com/gpu", "example.com/ib_vf"
RAIL_A, RAIL_B, BARE = "example.com/rail_a", "example.com/rail_b", "example.com/bare"
NAMESPACE = "numa"
POLICIES = ("restricted", "single-numa-node")
SCOPES = ("container", "pod")
_ONE_AT_A_TIME = threading.Lock()  # standard output is one


class Setting(msgspec.Struct, frozen=True):
    """What a node's kubelet is told."""

    policy: str
    scope: str

    @property
    def node(self) -> str:
        return f"{self.policy.partition('-')[0]}-{self.scope}"


SETTINGS = tuple(Setting(policy, scope) for policy in POLICIES for scope in SCOPES)


class Try(msgspec.Struct, frozen=True):
    """A pod by what its containers ask for; one that stays holds its devices to the end."""

    name: str
    asks: tuple[dict[str, int], ...]
    init: tuple[dict[str, int], ...] = ()
    stays: bool = False


TRIES = (
    Try("one-gpu", ({GPU: 1},)),
    Try("a-gpu-and-its-vf", ({GPU: 1, VF: 1},)),
    Try("one-socket", ({GPU: 4, VF: 4},)),
    Try("whole-node-and-one-vf", ({GPU: 8, VF: 1},)),
    Try("whole-node", ({GPU: 8, VF: 8},)),
    Try("five-and-one", ({GPU: 5, VF: 1},)),
    Try("a-vf-of-each-rail", ({RAIL_A: 1, RAIL_B: 1},)),
    Try("whole-node-and-bare", ({GPU: 8, BARE: 1},)),
    Try("two-containers", ({GPU: 4}, {GPU: 4})),
    Try("after-an-init-container", ({GPU: 4, VF: 1},), init=({GPU: 4},)),
    Try("holds-three", ({GPU: 3},), stays=True),
    Try("holds-two", ({GPU: 2},), stays=True),
    Try("three-more", ({GPU: 3},)),
    Try("one-more", ({GPU: 1, VF: 1},)),
)


def pools() -> Pools:
    """Give four GPUs and four VFs to each NUMA node, a rail to each, and one pool to neither."""
    return {
        GPU: _halves("gpu"),
        VF: _halves("vf"),
        RAIL_A: numbered("rail-a", 4, numa=0),
        RAIL_B: numbered("rail-b", 4, numa=1),
        BARE: numbered("bare", 4),
    }


def _halves(name: str) -> tuple[Device, ...]:
    return (*numbered(f"{name}-0-", 4, numa=0), *numbered(f"{name}-1-", 4, numa=1))


def lay(node: Node, setting: Setting) -> None:
    """Make two NUMA nodes, and kubelet's settings."""
    fake_sysfs.lay(node.folder)
    (node.folder / "kubelet.more").write_text(
        f"topologyManagerPolicy: {setting.policy}\ntopologyManagerScope: {setting.scope}\n"
    )


def start(cluster: Cluster) -> dict[Setting, Node]:
    """Start one node for each setting, at the same time."""
    nodes = {setting: cluster.new_node(setting.node) for setting in SETTINGS}
    for setting, node in nodes.items():
        lay(node, setting)
    with ThreadPoolExecutor() as threads:
        list(threads.map(Node.start, nodes.values()))
    return nodes


def pod_of(name: str, attempt: Try, *, node: str) -> Object:
    """Write the pod, which the scheduler can only put there."""
    app = [_container(f"c{n}", asks) for n, asks in enumerate(attempt.asks)]
    init = [{**_container(f"i{n}", asks), "args": ["env"]} for n, asks in enumerate(attempt.init)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": node},
            "restartPolicy": "Never",
            "containers": app,
            **({"initContainers": init} if init else {}),
        },
    }


def _container(name: str, asks: dict[str, int]) -> Object:
    amounts = {resource: str(count) for resource, count in asks.items()}
    return {
        "name": name,
        "image": "lab.local/busybox:1",
        "args": ["sleep", "86400"],
        "resources": {"requests": amounts, "limits": amounts},
    }


class Outcome(msgspec.Struct, frozen=True):
    """What a real kubelet did, what it had before, and what podwire said beforehand."""

    is_admitted: bool
    reason: str
    message: str
    given: dict[str, dict[str, list[str]]]  # by container and resource
    case: Case
    bundle: Path  # of the moment before, with the pod as a manifest
    said: dict[str, Any]


class Trial(msgspec.Struct, frozen=True):
    """One node and its pods."""

    cluster: Cluster
    node: Node
    setting: Setting
    folder: Path
    tries: tuple[Try, ...]

    def outcomes(self) -> Iterator[tuple[Try, Outcome]]:
        for attempt in self.tries:
            yield attempt, self._outcome(attempt)

    def _outcome(self, attempt: Try) -> Outcome:
        name = f"{attempt.name}-{self.node.name}"
        pod = pod_of(name, attempt, node=self.node.name)
        bundle = self._dump(pod, self.folder / attempt.name)
        case = self._case(attempt)
        said = _ask_podwire(name, bundle)
        self.cluster.api.apply(pod)
        status = wait_for(
            f"a verdict on {name}",
            lambda: self._verdict(name),
            holds=lambda now: now is not None,
        )
        assert status is not None
        given = self._given(name)
        if not attempt.stays and status["phase"] != "Failed":
            self._delete(name)
        return Outcome(
            is_admitted=status["phase"] != "Failed",
            reason=status.get("reason", ""),
            message=status.get("message", ""),
            given=given,
            case=case,
            bundle=bundle,
            said=said,
        )

    def _dump(self, pod: Object, bundle: Path) -> Path:
        """Write what a bundle of this moment holds, and the pod to come beside it."""
        for kind, file in (("Node", "nodes"), ("Pod", "pods")):
            items = self.cluster.api.list(kind)
            whole = {
                "apiVersion": "v1",
                "kind": "List",
                "items": [{"apiVersion": "v1", "kind": kind, **item} for item in items],
            }
            target = bundle / "cluster" / f"{file}.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(msgspec.json.encode(whole))
        self.node.write_facts(bundle / "nodes" / self.node.name)
        (bundle / "manifests").mkdir()
        (bundle / "manifests/pod.yaml").write_text(yaml.safe_dump(pod))
        return bundle

    def _case(self, attempt: Try) -> Case:
        """Write the same question for kubelet's own code."""
        taken = {
            device
            for pod in self.node.held().get("pod_resources", [])
            for container in pod.get("containers", [])
            for entry in container.get("devices", [])
            for device in entry["device_ids"]
        }
        containers = [
            *({"name": f"i{n}", "kind": "init", "wants": w} for n, w in enumerate(attempt.init)),
            *({"name": f"c{n}", "kind": "app", "wants": w} for n, w in enumerate(attempt.asks)),
        ]
        return {
            "numa": [0, 1],
            "distances": [],
            "policy": self.setting.policy,
            "scope": self.setting.scope,
            "options": {},
            "resources": {
                name: [(d.id, _nodes(d), d.is_healthy, d.id in taken) for d in pool]
                for name, pool in pools().items()
            },
            "containers": containers,
        }

    def _verdict(self, name: str) -> Object | None:
        """Give the pod's status once kubelet rejected it or went on with it."""
        status: Object = self.cluster.api.get("Pod", name, namespace=NAMESPACE)["status"]
        return status if "startTime" in status else None

    def _given(self, name: str) -> dict[str, dict[str, list[str]]]:
        given: dict[str, dict[str, list[str]]] = {}
        for pod in self.node.held().get("pod_resources", []):
            for container in pod.get("containers", []) if pod["name"] == name else ():
                for entry in container.get("devices", []):
                    of = given.setdefault(container["name"], {})
                    of.setdefault(entry["resource_name"], []).extend(entry["device_ids"])
        return given

    def _delete(self, name: str) -> None:
        self.cluster.api.delete("Pod", name, namespace=NAMESPACE)
        wait_for(f"the end of {name}", lambda: self._given(name), holds=lambda left: not left)


def _nodes(device: Device) -> list[int]:
    return [device.numa] if isinstance(device.numa, int) else list(device.numa or ())


def _ask_podwire(name: str, bundle: Path) -> dict[str, Any]:
    """Ask `podwire numa pod`, and give what it says of the one node that the pod may go to."""
    with _ONE_AT_A_TIME, contextlib.redirect_stdout(io.StringIO()) as said:
        asked = ["numa", "pod", f"pod/{name}", "-n", NAMESPACE, "-o", "json", str(bundle)]
        status = main(asked, world=real_world())
    assert status in {0, 1}
    (answer,) = msgspec.json.decode(said.getvalue())["pods"]
    (group,) = answer["nodes"]
    found: dict[str, Any] = group
    return found


def run_trials(
    cluster: Cluster,
    nodes: dict[Setting, Node],
    *,
    folder: Path,
    tries: Callable[[Setting], tuple[Try, ...]],
) -> dict[tuple[str, str], Outcome]:
    """Try every pod on every node, the nodes at the same time; by node and pod."""
    cluster.apply([namespace_of(NAMESPACE)])
    trials = [
        Trial(
            cluster=cluster,
            node=node,
            setting=setting,
            folder=folder / node.name,
            tries=tries(setting),
        )
        for setting, node in nodes.items()
    ]
    with ThreadPoolExecutor() as threads:
        done = threads.map(lambda trial: (trial.node.name, list(trial.outcomes())), trials)
        return {(node, attempt.name): what for node, all_ in done for attempt, what in all_}
