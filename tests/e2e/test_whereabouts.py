"""Addresses of the real whereabouts: given out, written down, and podwire has nothing to say."""

import ipaddress
import json
from pathlib import Path
from typing import Any

import pytest

from podwire.findings.model import Severity
from tests.bundles import report_of
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.device_plugin.pools import devices, offered
from tests.e2e.scenarios import network, pod
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

NAMESPACE, RESOURCE = "addressed", "example.com/addressed_vf"
RANGE = ipaddress.ip_network("10.57.0.0/24")
CONFIG = {
    "cniVersion": "0.3.1",
    "name": "ib-net",
    "type": "ib-sriov",
    "ipam": {"type": "whereabouts", "range": str(RANGE)},
}


def test_pods_get_addresses_of_their_own(cluster: Cluster, tmp_path: Path) -> None:
    ib_net = network("ib-net", namespace=NAMESPACE, resource=RESOURCE, config=json.dumps(CONFIG))
    names = [f"worker-{number}" for number in range(2)]
    pods = [pod(name, namespace=NAMESPACE, resource=RESOURCE) for name in names]
    with offered(cluster.node, {RESOURCE: devices("0000:1a:00")}):
        cluster.node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        cluster.apply([namespace_of(NAMESPACE), ib_net, *pods])
        for name in names:
            assert cluster.await_fate(f"{NAMESPACE}/{name}", "runs").networks == 1
        given = [_address(cluster, name) for name in names]
        report = report_of(cluster.dump(tmp_path / "bundle"))
    assert all(address in RANGE for address in given)
    assert len(set(given)) == len(given)
    assert set(_allocations(cluster)) == {f"{NAMESPACE}/{name}" for name in names}
    assert [
        judged.finding.message
        for judged in report.findings
        if judged.finding.severity is not Severity.NOTE
        and any((ref.kind, ref.namespace) == ("Pod", NAMESPACE) for ref in judged.subjects)
    ] == []


def test_an_address_is_given_back(cluster: Cluster) -> None:
    assert _allocations(cluster)
    cluster.api.delete("Pod", namespace=NAMESPACE)
    wait_for("no address", lambda: _allocations(cluster), holds=lambda left: not left)


def _address(cluster: Cluster, name: str) -> Any:  # noqa: ANN401 - either version of IP
    annotations = cluster.api.get("Pod", name, namespace=NAMESPACE)["metadata"]["annotations"]
    status = json.loads(annotations["k8s.v1.cni.cncf.io/network-status"])
    (ip,) = next(each["ips"] for each in status if each["name"] == f"{NAMESPACE}/ib-net")
    return ipaddress.ip_address(ip)


def _allocations(cluster: Cluster) -> list[str]:
    """List the pods that have an address in the one pool of the range."""
    pools = cluster.api.list("IPPool", namespace="kube-system")
    return [
        allocation["podref"]
        for pool in pools
        for allocation in pool["spec"]["allocations"].values()
    ]
