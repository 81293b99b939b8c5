"""Big clusters: four times as many things cost about four times as much, not sixteen."""

import cProfile
import json
import pstats
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.hostfs import FakeHostFs

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.engine.run import run
from podwire.rules import CATALOGUE
from podwire.wire.picture import Picture

Items = list[dict[str, Any]]
SMALL, BIG = 150, 600
NODES = 4


def nad(index: int, resource: str, kind: str = "ib-sriov") -> dict[str, Any]:
    annotations = {"k8s.v1.cni.cncf.io/resourceName": resource}
    return {
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": f"net{index}", "namespace": "t", "annotations": annotations},
        "spec": {"config": json.dumps({"name": f"net{index}", "type": kind})},
    }


def pod(index: int, network: str, resource: str, *, containers: int = 1) -> dict[str, Any]:
    limits = {"limits": {resource: "1"}}
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"p{index}",
            "namespace": "t",
            "uid": f"u{index}",
            "annotations": {"k8s.v1.cni.cncf.io/networks": network},
        },
        "spec": {"containers": [{"name": f"c{i}", "resources": limits} for i in range(containers)]},
    }


def node(index: int, *resources: str) -> dict[str, Any]:
    capacity = dict.fromkeys(resources, "64")
    status = {"capacity": capacity, "allocatable": capacity}
    return {"kind": "Node", "metadata": {"name": f"node{index}"}, "status": status}


def well_wired(count: int) -> Items:
    names = [f"x.io/r{i}" for i in range(count)]
    nodes = [node(i, *names[i::NODES]) for i in range(NODES)]
    nads = [nad(i, name) for i, name in enumerate(names)]
    return [*nodes, *nads, *(pod(i, f"net{i}", name) for i, name in enumerate(names))]


def misspelt(count: int) -> Items:
    made = [node(i, *(f"x.io/rail-{j}" for j in range(i, count, NODES))) for i in range(NODES)]
    nads = [nad(i, f"x.io/rial-{i}") for i in range(count)]
    return [*made, *nads, *(pod(i, f"net{i}", f"x.io/rial-{i}") for i in range(count))]


def one_resource(count: int) -> Items:
    nodes = [node(i, "x.io/same") for i in range(NODES)]
    nads = [nad(i, "x.io/same", "sriov") for i in range(count)]
    return [*nodes, *nads, *(pod(i, f"net{i}", "x.io/same") for i in range(count))]


def absent_networks(count: int) -> Items:
    nads = [nad(i, f"x.io/r{i}") for i in range(count)]
    return [*nads, *(pod(i, f"net{i}x", f"x.io/r{i}") for i in range(count))]


def many_containers(count: int) -> Items:
    return [
        node(0, "x.io/same"),
        nad(0, "x.io/same"),
        pod(0, "net0", "x.io/same", containers=count),
    ]


def calls(items: Items) -> int:
    """Count the calls that judging takes; they are the same on any machine."""
    text = json.dumps({"kind": "List", "items": items})
    fs = FakeHostFs({"bundle.json": "{}", "cluster/all.json": text})
    facts = collect((Input(typed="bundle", files=fs),))
    profile = cProfile.Profile()
    profile.enable()
    report = run(CATALOGUE, picture=Picture(facts))
    profile.disable()
    assert report.failed == ()
    stats = pstats.Stats(profile)
    return int(stats.total_calls)  # type: ignore[attr-defined]  # typeshed leaves it out


@pytest.mark.parametrize(
    "made", [well_wired, misspelt, one_resource, absent_networks, many_containers]
)
def test_work_grows_with_the_cluster_and_no_faster(made: Callable[[int], Items]) -> None:
    calls(made(10))  # What is worked out once in a process.
    assert calls(made(BIG)) < 6 * calls(made(SMALL))
