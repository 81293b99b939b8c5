"""What a node has when its device plugin comes, falls ill, goes and comes back."""

import os
from pathlib import Path

import pytest

from tests.bundles import report_of
from tests.e2e.cluster import NODE, Cluster, namespace_of
from tests.e2e.device_plugin.pools import devices, offered, write
from tests.e2e.scenarios import network, pod
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

CARD = "0000:9b:00"


def _await_amounts(
    cluster: Cluster, resource: str, *, capacity: int, allocatable: int, within_s: float = 60
) -> None:
    wanted = (str(capacity), str(allocatable))
    wait_for(
        f"capacity and allocatable of {resource}",
        lambda: cluster.amounts(resource),
        holds=wanted.__eq__,
        within_s=within_s,
    )


@pytest.mark.parametrize("is_watched", [False, True], ids=["registers", "is-found"])
def test_both_ways_to_kubelet_work(cluster: Cluster, *, is_watched: bool) -> None:
    resource = "example.com/found_vf" if is_watched else "example.com/told_vf"
    with offered(cluster, {resource: devices(CARD, numa=1)}, is_watched=is_watched):
        _await_amounts(cluster, resource, capacity=8, allocatable=8)


def test_an_ill_device_counts_as_capacity_only(cluster: Cluster) -> None:
    resource = "example.com/ill_vf"
    well = devices(CARD)
    ill = tuple(type(d)(id=d.id, numa=d.numa, is_healthy=d.id[-1] != "3") for d in well)
    with offered(cluster, {resource: well}) as pools:
        _await_amounts(cluster, resource, capacity=8, allocatable=8)
        write(pools, {resource: ill})
        _await_amounts(cluster, resource, capacity=8, allocatable=7)
        write(pools, {resource: well})
        _await_amounts(cluster, resource, capacity=8, allocatable=8)


def test_a_plugin_that_is_gone(cluster: Cluster, tmp_path: Path) -> None:
    resource, namespace = "example.com/gone_vf", "plugin-gone"
    ib_net = network("ib-net", namespace=namespace, resource=resource)
    waiting = pod("waiting", namespace=namespace, resource=resource)
    with offered(cluster, {resource: devices(CARD)}):
        _await_amounts(cluster, resource, capacity=8, allocatable=8)
    _await_amounts(cluster, resource, capacity=8, allocatable=0)
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

    if os.environ.get("PODWIRE_E2E_SLOW") == "1":  # kubelet's grace is five minutes
        _await_amounts(cluster, resource, capacity=0, allocatable=0, within_s=400)
    with offered(cluster, {resource: devices(CARD)}):
        cluster.await_fate(f"{namespace}/waiting", "runs")
