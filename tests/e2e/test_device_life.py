"""A device plugin's life beside kubelet's: restarts, less than before, and what pods keep."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwire.engine.report import Report
from podwire.peers.event_texts import decode
from tests.bundles import report_of
from tests.e2e.api import Object
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.device_plugin.pools import devices, offered
from tests.e2e.node import Node
from tests.e2e.scenarios import network, pod
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

RESOURCE, NAMESPACE = "example.com/ib_vf", "life"
CARD = "0000:9b:00"


@pytest.fixture(scope="module")
def node(lab: Cluster) -> Iterator[Node]:
    """Give a node whose kubelet nobody else needs."""
    alone = lab.new_node("alone")
    alone.folder.mkdir()
    alone.start()
    lab.apply([namespace_of(NAMESPACE), network("ib-net", namespace=NAMESPACE, resource=RESOURCE)])
    yield alone
    alone.stop()


def _is_rejected(report: Report, name: str) -> bool:
    return any(
        judged.rule.slug == "rejected-at-admission"
        and f"{NAMESPACE}/{name}" in {ref.full_name for ref in judged.subjects}
        for judged in report.findings
    )


def _holder(name: str, *, count: int = 1, **spec: Any) -> Object:  # noqa: ANN401 - as `pod`
    return pod(name, None, namespace=NAMESPACE, resource=RESOURCE, count=count, **spec)


def _await_held(node: Node, expected: dict[str, set[str]]) -> None:
    wait_for("devices that pods hold", lambda: _held(node), holds=expected.__eq__)


def _end(lab: Cluster, node: Node) -> None:
    """End every pod, and wait until the node shows that its plugin is gone.

    Until then its status is that of before, and the next pod is sent to devices that are not there.
    """
    lab.api.delete("Pod", namespace=NAMESPACE)
    _await_held(node, {})
    wait_for("no devices", lambda: node.amounts(RESOURCE)[1], holds=lambda now: now in {"0", ""})


def _held(node: Node) -> dict[str, set[str]]:
    """Give the devices of each pod, as kubelet has them."""
    return {
        entry["name"]: {
            device
            for container in entry.get("containers", [])
            for found in container.get("devices", [])
            for device in found["device_ids"]
        }
        for entry in node.held().get("pod_resources", [])
    }


@pytest.mark.parametrize("is_watched", [False, True], ids=["registers", "is-found"])
def test_a_pod_keeps_its_devices_while_kubelet_and_plugin_come_and_go(
    lab: Cluster, node: Node, *, is_watched: bool
) -> None:
    name = "kept-found" if is_watched else "kept-told"
    with offered(node, {RESOURCE: devices(CARD)}, is_watched=is_watched):
        node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        lab.apply([_holder(name, count=2)])
        lab.await_fate(f"{NAMESPACE}/{name}", "runs")
        before = _held(node)[name]
        node.restart_kubelet()
        if is_watched:  # kubelet finds the socket again by itself
            node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        else:  # kubelet deleted the socket, and the plugin does not look
            node.await_amounts(RESOURCE, capacity=0, allocatable=0)
        _await_held(node, {name: before})
    with offered(node, {RESOURCE: devices(CARD)}, is_watched=is_watched):
        node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        _await_held(node, {name: before})
        assert lab.fates_by_name()[f"{NAMESPACE}/{name}"].end == "runs"
    _end(lab, node)


def test_a_plugin_that_comes_back_with_less_than_pods_hold(
    lab: Cluster, node: Node, tmp_path: Path
) -> None:
    name = "holds-four"
    every = devices(CARD)
    with offered(node, {RESOURCE: every}):
        node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        lab.apply([_holder(name, count=4)])
        lab.await_fate(f"{NAMESPACE}/{name}", "runs")
        held = _held(node)[name]
    left = tuple(d for d in every if d.id not in held)[:1]
    with offered(node, {RESOURCE: left}):
        node.await_amounts(RESOURCE, capacity=1, allocatable=1)
        report = report_of(lab.dump(tmp_path / "bundle", nodes=[node]))
        assert lab.fates_by_name()[f"{NAMESPACE}/{name}"].end == "runs"
        _await_held(node, {name: held})
    told = [j for j in report.findings if j.rule.slug == "pods-hold-more-than-offered"]
    assert [f"{NAMESPACE}/{name}" in {ref.full_name for ref in j.subjects} for j in told] == [True]
    _end(lab, node)


def test_a_pod_that_is_bound_where_too_few_are_left(
    lab: Cluster, node: Node, tmp_path: Path
) -> None:
    with offered(node, {RESOURCE: devices(CARD)}):
        node.await_amounts(RESOURCE, capacity=8, allocatable=8)
        lab.apply([_holder("bound", count=9, nodeName=node.name)])
        fate = lab.await_fate(f"{NAMESPACE}/bound", "rejected")
        report = report_of(lab.dump(tmp_path / "bundle", nodes=[node]))
    decoded = decode(fate.message)
    assert decoded is not None
    assert (decoded.situation, str(decoded.resource)) == ("devices-unavailable", RESOURCE)
    assert (decoded.names["requested"], decoded.names["available"]) == ("9", "8")
    assert _is_rejected(report, "bound")
    _end(lab, node)


def test_a_pod_that_is_bound_where_nobody_makes_the_resource(
    lab: Cluster, node: Node, tmp_path: Path
) -> None:
    lab.apply([_holder("bound-for-nothing", nodeName=node.name)])
    fate = lab.await_fate(f"{NAMESPACE}/bound-for-nothing", "rejected")
    report = report_of(lab.dump(tmp_path / "bundle", nodes=[node]))
    assert decode(fate.message) is not None, fate.message
    assert _is_rejected(report, "bound-for-nothing")
    _end(lab, node)
