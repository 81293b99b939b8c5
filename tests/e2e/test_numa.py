"""Pods on two NUMA nodes: a real kubelet, kubelet's code as a library, and podwire agree."""

import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from tests.bundles import report_of
from tests.e2e.api import Object
from tests.e2e.case_objects import Told
from tests.e2e.case_report import CaseReport, Row
from tests.e2e.cluster import Cluster
from tests.e2e.device_plugin.pools import offered
from tests.e2e.node import Node
from tests.e2e.numa_cases import numa_cases
from tests.e2e.numa_pods import (
    GPU,
    NAMESPACE,
    RAIL_A,
    RAIL_B,
    SETTINGS,
    TRIES,
    Outcome,
    Setting,
    Try,
    pod_of,
    pools,
    run_trials,
    start,
)
from tests.e2e.waiting import wait_for
from tests.oracle.cases import Case
from tests.oracle.kubelet import VERSIONS, answers

pytestmark = pytest.mark.e2e

CASES = list(numa_cases())


def _tries(setting: Setting) -> tuple[Try, ...]:
    """Give the cases' pods first: they are said to be rejected on an empty node."""
    return (*(attempt for _, where, attempt in CASES if where == setting), *TRIES)


EVERY = [(s.node, t.name) for s in SETTINGS for t in _tries(s)]
REJECTION = "TopologyAffinityError"
# What podwire says of a node that admits the pod, and of one that does not.
_SAYS = {True: {"admitted"}, False: {"never", "not-now"}}


class Seen(msgspec.Struct, frozen=True):
    """What the kubelets did, and what the oracle says of the same questions."""

    outcomes: dict[tuple[str, str], Outcome]
    oracle: dict[tuple[str, str], Case]


@pytest.fixture(scope="module")
def nodes(lab: Cluster) -> Iterator[dict[Setting, Node]]:
    started = start(lab)
    with contextlib.ExitStack() as plugins:
        for node in started.values():
            plugins.enter_context(offered(node, pools()))
        for node in started.values():
            node.await_amounts(GPU, capacity=8, allocatable=8)
        yield started
    for node in started.values():
        node.stop()


@pytest.fixture(scope="module")
def seen(
    lab: Cluster, nodes: dict[Setting, Node], tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    outcomes = run_trials(lab, nodes, folder=tmp_path_factory.mktemp("numa"), tries=_tries)
    asked = [outcome.case for outcome in outcomes.values()]
    said = [answer for _, answer in answers(VERSIONS[0], asked)]
    return Seen(outcomes=outcomes, oracle=dict(zip(outcomes, said, strict=True)))


@pytest.mark.parametrize("which", EVERY, ids="/".join)
def test_a_real_kubelet_does_what_its_code_does_in_the_oracle(
    which: tuple[str, str], seen: Seen
) -> None:
    real, oracle = seen.outcomes[which], seen.oracle[which]
    assert (real.is_admitted, real.reason) == (oracle["admitted"], oracle.get("reason", ""))
    if not real.is_admitted:
        assert real.message == f"Pod was rejected: {oracle['message']}"
    assert _spread(real.given, real.case) == _spread(oracle["given"], real.case)


@pytest.mark.parametrize("which", EVERY, ids="/".join)
def test_podwire_says_it_beforehand(which: tuple[str, str], seen: Seen) -> None:
    real = seen.outcomes[which]
    assert real.said["outcome"] in _SAYS[real.is_admitted]


@pytest.mark.parametrize(
    ("each", "setting", "attempt"),
    [pytest.param(*case, id=f"{case[0].id}-{case[1].node}") for case in CASES],
)
def test_a_case_is_rejected_as_podwire_foretells(
    each: Told, setting: Setting, attempt: Try, seen: Seen, case_report: CaseReport
) -> None:
    real = seen.outcomes[setting.node, attempt.name]
    agrees = not real.is_admitted and real.reason == REJECTION and REJECTION in each.finding.sees
    did = f"{setting.policy}, scope {setting.scope}: Failed, {real.reason}, {real.message}"
    case_report.add(each, Row(did=did, agrees=agrees))
    assert agrees, real


def _spread(given: dict[str, dict[str, list[str]]], case: Case) -> Counter[object]:
    """Count what ordinary containers got, by NUMA nodes: which of like devices is chance."""
    numa = {i: tuple(n) for pool in case["resources"].values() for i, n, *_ in pool}
    return Counter(
        (resource, numa[device])
        for container, of in given.items()
        for resource, devices in of.items()
        for device in devices
        if container.startswith("c")  # kubelet's List leaves init containers out
    )


def _deployment(node: str) -> Object:
    pod = pod_of("churning", Try("churning", ({RAIL_A: 1, RAIL_B: 1},)), node=node)
    labels = {"app": "churning"}
    spec = {key: value for key, value in pod["spec"].items() if key != "restartPolicy"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "churning", "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


@pytest.mark.usefixtures("seen")  # the node is as the pods left it
def test_a_deployment_makes_one_rejected_pod_after_the_other(
    lab: Cluster, nodes: dict[Setting, Node], tmp_path: Path, remark: Callable[[str], None]
) -> None:
    node = nodes[SETTINGS[-1]]

    def made() -> list[Object]:
        pods = lab.api.list("Pod", namespace=NAMESPACE)
        return [pod for pod in pods if pod["metadata"].get("labels") and _is_over(pod)]

    start = time.monotonic()
    lab.apply([_deployment(node.name)])
    pods = wait_for("pods that come and fail", made, holds=lambda pods: len(pods) >= 5)
    remark(f"a Deployment of one: {len(pods)} rejected pods in {time.monotonic() - start:.1f} s")
    bundle = lab.dump(tmp_path / "bundle", nodes=[node])
    lab.api.delete("Deployment", "churning", namespace=NAMESPACE)
    assert {pod["status"]["reason"] for pod in made()} == {REJECTION}
    (told,) = [
        judged.finding
        for judged in report_of(bundle).findings
        if judged.rule.slug == "numa-never-admitted"
        and any(ref.name.startswith("churning-") for ref in judged.subjects)
    ]
    assert "a controller makes the next one, which fails alike" in told.sees


def _is_over(pod: Object) -> bool:
    return bool(pod["status"]["phase"] == "Failed")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.node)
def test_files_and_cluster_give_one_verdict(
    setting: Setting, lab: Cluster, nodes: dict[Setting, Node], seen: Seen, tmp_path: Path
) -> None:
    name = "whole-node-and-one-vf"
    before = seen.outcomes[setting.node, name].bundle
    after = lab.dump(tmp_path / "bundle", nodes=[nodes[setting]])
    verdicts = [
        {
            judged.rule.slug
            for judged in report_of(bundle).findings
            if f"{name}-{setting.node}" in {ref.name for ref in judged.subjects}
        }
        for bundle in (before, after)
    ]
    assert verdicts == [{"numa-never-admitted"}] * 2


def test_the_rules_name_every_rejected_pod_and_no_other(
    lab: Cluster, nodes: dict[Setting, Node], seen: Seen, tmp_path: Path
) -> None:
    bundle = lab.dump(tmp_path / "bundle", nodes=nodes.values())
    named = {
        ref.name
        for judged in report_of(bundle).findings
        if judged.rule.slug in {"numa-never-admitted", "numa-rejected-now"}
        for ref in judged.subjects
        if ref.kind == "Pod" and not ref.name.startswith("churning-")
    }
    rejected = {f"{pod}-{node}" for (node, pod), o in seen.outcomes.items() if not o.is_admitted}
    assert named == rejected
    assert len(seen.outcomes) >= 30, json.dumps([list(which) for which in seen.outcomes])
