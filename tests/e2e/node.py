"""One node of a real cluster: what it has, how it is entered, and its kubelet."""

import contextlib
import json
import os
import signal
from pathlib import Path

import yaml

from tests.e2e import podresources
from tests.e2e.api import Api, Object
from tests.e2e.programs import KUBE, run
from tests.e2e.waiting import wait_for


class Node:
    """A kubelet with its containerd, in namespaces of their own."""

    def __init__(self, name: str, *, cluster: Path, api: Api) -> None:
        self.name = name
        self.folder = cluster / name
        self.log = cluster / "log" / f"kubelet-{name}.log"
        self._cluster = cluster
        self._api = api

    def start(self) -> None:
        """Start it; its folder may hold a sysfs, devices and more for kubelet by then."""
        run(str(KUBE / "node-up.sh"), str(self._cluster), self.name)

    def stop(self) -> None:
        """End every process of the node at once, and take it out of the cluster."""
        os.kill(self._init(), signal.SIGKILL)
        self._api.delete("Node", self.name)

    def amounts(self, resource: str) -> tuple[str, str]:
        """Give capacity and allocatable of a resource, empty where the node lacks it."""
        status = self._api.get("Node", self.name)["status"]
        return status["capacity"].get(resource, ""), status["allocatable"].get(resource, "")

    def await_amounts(
        self, resource: str, *, capacity: int, allocatable: int, within_s: float = 60
    ) -> None:
        wait_for(
            f"capacity and allocatable of {resource} on {self.name}",
            lambda: self.amounts(resource),
            holds=(str(capacity), str(allocatable)).__eq__,
            within_s=within_s,
        )

    def enter(self, *command: str) -> str:
        """Run a program in the node's namespaces."""
        return run(*self.entering(*command))

    def entering(self, *command: str) -> list[str]:
        """Write the command that runs a program in the node's namespaces."""
        return ["nsenter", "--mount", "--pid", "--target", str(self._init()), "--", *command]

    def restart_kubelet(self) -> None:
        """End kubelet as a restart of its service would; node.sh starts it again."""
        pid = self.folder / "kubelet.pid"
        before = pid.read_text()
        self.enter("kill", before.strip())
        wait_for("another kubelet", pid.read_text, holds=lambda now: now.strip() not in before)
        wait_for("its PodResources", self._answers, holds=bool)

    def refuse_with(self, version: str) -> None:
        """Have the stand-in CNI plugins speak as this version."""
        (self.folder / "cni/version").write_text(version)

    def held(self) -> Object:
        """Ask kubelet which devices pods hold."""
        return podresources.held(self._socket)

    def write_facts(self, folder: Path) -> None:
        """Write what kubelet says of itself, under the names that a bundle has for it."""
        folder.mkdir(parents=True)
        # What the API server's proxy gives of other nodes; it does not go to loopback addresses.
        port = yaml.safe_load((self.folder / "kubelet.yaml").read_text())["port"]
        configuration = self._api.ask("GET", "/configz", port=port)
        (folder / "kubelet-config.yaml").write_text(json.dumps(configuration))
        for file, answer in (
            ("podresources-list.json", podresources.held(self._socket)),
            ("podresources-allocatable.json", podresources.allocatable(self._socket)),
        ):
            (folder / file).write_text(json.dumps(answer))

    @property
    def _socket(self) -> Path:
        return self.folder / "var/pod-resources/kubelet.sock"

    def _answers(self) -> bool:
        with contextlib.suppress(ConnectionError):
            return "pod_resources" in self.held()
        return False

    def _init(self) -> int:
        """Find PID 1 of the node's namespaces: nsenter's child's child."""
        pid = int((self.folder / "pid").read_text())
        for _ in range(2):
            pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
        return pid
