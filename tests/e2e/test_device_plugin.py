"""What a node has when its device plugin comes, falls ill, goes and comes back."""

from pathlib import Path

import pytest

from tests.bundles import report_of
from tests.e2e.cluster import NODE, Cluster, namespace_of
from tests.e2e.device_plugin.pools import devices, offered, write
from tests.e2e.scenarios import network, pod

pytestmark = pytest.mark.e2e

CARD = "0000:9b:00"


@pytest.mark.parametrize("is_watched", [False, True], ids=["registers", "is-found"])
def test_both_ways_to_kubelet_work(cluster: Cluster, *, is_watched: bool) -> None:
    resource = "example.com/found_vf" if is_watched else "example.com/told_vf"
    with offered(cluster.node, {resource: devices(CARD, numa=1)}, is_watched=is_watched):
        cluster.node.await_amounts(resource, capacity=8, allocatable=8)


def test_an_ill_device_counts_as_capacity_only(cluster: Cluster) -> None:
    resource = "example.com/ill_vf"
    well = devices(CARD)
    ill = tuple(type(d)(id=d.id, numa=d.numa, is_healthy=d.id[-1] != "3") for d in well)
    with offered(cluster.node, {resource: well}) as pools:
        cluster.node.await_amounts(resource, capacity=8, allocatable=8)
        write(pools, {resource: ill})
        cluster.node.await_amounts(resource, capacity=8, allocatable=7)
        write(pools, {resource: well})
        cluster.node.await_amounts(resource, capacity=8, allocatable=8)


def test_a_plugin_that_is_gone(cluster: Cluster, tmp_path: Path) -> None:
    resource, namespace = "example.com/gone_vf", "plugin-gone"
    ib_net = network("ib-net", namespace=namespace, resource=resource)
    waiting = pod("waiting", namespace=namespace, resource=resource)
    with offered(cluster.node, {resource: devices(CARD)}):
        cluster.node.await_amounts(resource, capacity=8, allocatable=8)
    cluster.node.await_amounts(resource, capacity=8, allocatable=0)
    cluster.apply([namespace_of(namespace), ib_net, waiting])
    fate = cluster.await_fate(f"{namespace}/waiting", "unscheduled")
    assert fate.warnings[0].startswith(f"0/1 nodes are available: 1 Insufficient {resource}.")

    told = [
        judged
        for judged in report_of(cluster.dump(tmp_path / "bundle")).findings
        if judged.rule.slug == "allocatable-below-capacity"
        and judged.finding.message.startswith(f"{NODE} has 8 of {resource} and none")
    ]
    assert len(told) == 1
    assert f"{namespace}/waiting" in {ref.full_name for ref in told[0].subjects}

    with offered(cluster.node, {resource: devices(CARD)}):
        cluster.await_fate(f"{namespace}/waiting", "runs")
