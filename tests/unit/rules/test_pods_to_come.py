"""Devices that no network takes, of pods that hold none yet."""

import pytest
from tests.pictures import items, picture
from tests.wire_manifests import IB, document, nad, pod, pool

from podwire.engine.run import run
from podwire.rules import CATALOGUE

UNUSED = "device-without-attachment"
NODE = document(
    "Node",
    {"name": "gpu-a"},
    spec={"taints": [{"key": "gpu", "value": "train", "effect": "NoSchedule"}]},
    status={"capacity": {str(IB): "2"}, "nodeInfo": {"kubeletVersion": "v1.32.4"}},
)
BEARS = {"tolerations": [{"operator": "Exists"}]}


def said(manifest: str) -> dict[str, str]:
    """What a pod sees, by the slug of what is said of it."""
    cluster = {"nodes": items(NODE), "pods": items(manifest)}
    made = picture(nad() + pool(isRdma=True), cluster=cluster)
    found = run(CATALOGUE, picture=made).findings
    return {j.rule.slug: j.finding.sees for j in found if j.rule.slug != "memory-lock-missing"}


@pytest.mark.parametrize(
    ("manifest", "slug"),
    [
        (pod(limits={str(IB): 3}, spec=BEARS, status={"phase": "Pending"}), "resource-exhausted"),
        (pod(limits={str(IB): 1}, status={"phase": "Pending"}), "nodes-excluded"),
    ],
)
def test_a_pod_that_is_never_placed_is_told_that_alone(manifest: str, slug: str) -> None:
    assert said(manifest).keys() == {slug}


def test_a_pod_that_has_no_node_yet_would_hold_devices() -> None:
    sees = said(pod(limits={str(IB): 1}, spec=BEARS, status={"phase": "Pending"}))[UNUSED]
    assert "would hold 1" in sees


def test_a_pod_that_is_bound_holds_devices_and_does_not_run() -> None:
    bound = pod(limits={str(IB): 1}, spec={"nodeName": "gpu-a"}, status={"phase": "Pending"})
    sees = said(bound)[UNUSED]
    assert "holds 1" in sees
    assert "runs" not in sees


def test_a_pod_that_runs_holds_devices() -> None:
    assert "runs and holds 1" in said(pod(limits={str(IB): 1}, node="gpu-a"))[UNUSED]
