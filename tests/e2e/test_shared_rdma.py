"""The real RDMA shared device plugin on a made-up card, and what a container gets of it.

The character devices are there and have no driver: a container that may open one is told that
there is no such device, one that may not that it is not permitted.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bundles import report_of
from tests.e2e import fake_sysfs
from tests.e2e.api import Object
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.node import Node
from tests.e2e.programs import KUBE
from tests.e2e.scenarios import pod
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

RESOURCE, NAMESPACE = "rdma/hca_shared", "shared"
CARD = fake_sysfs.Card(address="0000:18:00.0", rdma="mlx5_0", numa=0, number=0)
CONFIG = {
    "periodicUpdateInterval": 0,
    "configList": [
        {"resourceName": "hca_shared", "rdmaHcaMax": 63, "selectors": {"vendors": ["15b3"]}}
    ],
}
_HOST_PATH = {"name": "devices", "hostPath": {"path": "/dev/infiniband"}}


@pytest.fixture(scope="module")
def node(lab: Cluster) -> Iterator[Node]:
    machine = lab.new_node("rdma")
    fake_sysfs.lay(machine.folder, cards=(CARD,))
    machine.start()
    lab.apply([namespace_of(NAMESPACE)])
    yield machine
    machine.stop()


@pytest.fixture(scope="module")
def plugin(lab: Cluster, node: Node) -> Iterator[None]:
    config = node.folder / "shared-dp.json"
    config.write_text(json.dumps(CONFIG))
    ids = f"PCIDB_PATH={node.folder / 'pci.ids'}"
    command = [str(KUBE / "old_kernel.py"), str(lab.programs / "k8s-rdma-shared-dp")]
    with (node.folder / "shared-dp.log").open("w") as log:
        running = subprocess.Popen(  # noqa: S603 - ours
            node.entering("env", ids, *command, f"--config-file={config}"), stdout=log, stderr=log
        )
        yield
        running.kill()
        running.wait()


def _ran(lab: Cluster, name: str, script: str, *, count: int, **spec: Any) -> str:  # noqa: ANN401 - as `pod`
    """Run a script in a pod, and give what it wrote."""
    made = pod(name, None, namespace=NAMESPACE, resource=RESOURCE, count=count, **spec)
    (container,) = made["spec"]["containers"]
    container["args"] = ["sh", "-c", f"({script}) >/dev/termination-log 2>&1"]
    if "volumes" in spec:
        container["volumeMounts"] = [{"name": "devices", "mountPath": "/dev/infiniband"}]
    made["spec"]["restartPolicy"] = "Never"
    lab.apply([made])

    def state() -> Object:
        status = lab.api.get("Pod", name, namespace=NAMESPACE)["status"]
        containers: list[Object] = status.get("containerStatuses", [])
        return containers[0]["state"] if containers else {}

    return str(
        wait_for(name, state, holds=lambda now: "terminated" in now)["terminated"]["message"]
    )


@pytest.mark.usefixtures("plugin")
def test_a_pod_gets_the_devices_of_the_card(lab: Cluster, node: Node) -> None:
    node.await_amounts(RESOURCE, capacity=63, allocatable=63)
    listed = _ran(lab, "lists", "/bin/busybox ls /dev/infiniband", count=1)
    assert listed.split() == ["issm0", "rdma_cm", "umad0", "uverbs0"]
    opened = _ran(lab, "opens", "cat /dev/infiniband/uverbs0", count=1)
    assert "No such device or address" in opened


@pytest.mark.usefixtures("plugin")
def test_a_mount_of_the_folder_shows_devices_that_do_not_open(lab: Cluster, tmp_path: Path) -> None:
    script = "/bin/busybox ls /dev/infiniband; cat /dev/infiniband/uverbs0"
    said = _ran(lab, "mounts", script, count=0, volumes=[_HOST_PATH])
    assert "uverbs0\n" in said
    assert "Operation not permitted" in said
    report = report_of(lab.dump(tmp_path / "bundle"))
    (told,) = [j for j in report.findings if j.rule.slug == "host-path-infiniband"]
    assert "the devices are listed and do not open" in told.finding.sees
    assert '"Operation not permitted"' in told.finding.sees
    assert f"{NAMESPACE}/mounts" in {ref.full_name for ref in told.subjects}
