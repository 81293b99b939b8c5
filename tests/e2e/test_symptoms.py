"""Nine symptoms: each happens, and podwire says the same of the cluster and of its files.

The ninth, a pod that its node's NUMA nodes cannot serve, is in test_numa.py.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml

from podwire.engine.report import Judged, Report
from podwire.findings.model import Severity
from podwire.peers.event_texts import decode
from tests.bundles import report_of
from tests.e2e.cluster import Cluster, Fate
from tests.e2e.device_plugin.pools import numbered, offered
from tests.e2e.symptoms import SYMPTOMS, Symptom, plugin_configuration, resource_of
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

EVERY = [pytest.param(symptom, id=symptom.name) for symptom in SYMPTOMS]
_CDI = "example.com/vf=vf{}"


class Seen(msgspec.Struct, frozen=True):
    """What became of the pods, and what podwire says of the cluster's dump."""

    fates: dict[str, Fate]
    report: Report


@pytest.fixture(scope="module")
def seen(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    node, died = cluster.node, resource_of("plugin-died")
    pools = {s.resource: numbered(f"{s.name}-", 2) for s in SYMPTOMS if s.resource != died}
    pools[resource_of("no-cdi")] = numbered("no-cdi-", 2, cdi=_CDI)
    with offered(node, {died: numbered("died-", 2)}):
        node.await_amounts(died, capacity=2, allocatable=2)
    with offered(node, pools):
        node.await_amounts(died, capacity=2, allocatable=0)
        for resource in pools:
            node.await_amounts(resource, capacity=2, allocatable=2)
        cluster.apply(
            [plugin_configuration(), *(o for symptom in SYMPTOMS for o in symptom.objects)]
        )
        fates = wait_for(
            "symptoms",
            lambda: _fates(cluster),
            holds=lambda now: {name: fate.end for name, fate in now.items()} == _ENDS,
            within_s=90,
        )
        report = report_of(cluster.dump(tmp_path_factory.mktemp("symptoms") / "bundle"))
        yield Seen(fates=fates, report=report)
    for symptom in SYMPTOMS:
        cluster.api.delete("Pod", namespace=symptom.namespace)


_ENDS = {symptom.name: symptom.ends for symptom in SYMPTOMS}


def _fates(cluster: Cluster) -> dict[str, Fate]:
    named = {f"{symptom.namespace}/worker": symptom.name for symptom in SYMPTOMS}
    return {named[pod]: fate for pod, fate in cluster.fates().items() if pod in named}


def _verdict(report: Report, symptom: Symptom) -> set[tuple[str, str]]:
    """Give rule and object for what podwire holds against the symptom's namespace.

    What makes a pod stands for the pod: files have only that.
    """
    return {
        (judged.rule.slug, "worker" if ref.name.startswith("worker") else ref.name)
        for judged in report.findings
        if judged.finding.severity is not Severity.NOTE and _is_about(judged, symptom)
        for ref in judged.subjects
        if ref.namespace == symptom.namespace
    }


def _is_about(judged: Judged, symptom: Symptom) -> bool:
    """Leave out findings about other tests' pods that only suggest a network of this one."""
    return any(
        ref.namespace == symptom.namespace and ref.kind in {"Pod", "Deployment"}
        for ref in judged.subjects
    )


@pytest.mark.parametrize("symptom", EVERY)
def test_podwire_names_it(symptom: Symptom, seen: Seen) -> None:
    assert seen.fates[symptom.name].end == symptom.ends
    assert {rule for rule, _ in _verdict(seen.report, symptom)} == symptom.rules


@pytest.mark.parametrize(
    "symptom", [pytest.param(s, id=s.name) for s in SYMPTOMS if s.is_told_by_files]
)
def test_files_and_cluster_give_one_verdict(symptom: Symptom, seen: Seen, tmp_path: Path) -> None:
    whole = yaml.safe_dump_all([plugin_configuration(), *symptom.objects])
    (tmp_path / "all.yaml").write_text(whole)
    assert _verdict(report_of(tmp_path), symptom) == _verdict(seen.report, symptom)


def test_a_cdi_name_without_a_spec_is_recognised(seen: Seen) -> None:
    text = seen.fates["no-cdi"].warnings[0]
    decoded = decode(text)
    assert decoded is not None, text
    assert decoded.situation == "cdi-unresolvable"
    assert "example.com/vf=vf" in decoded.names["devices"]


def test_a_pod_for_a_scheduler_that_does_not_run_has_no_event(seen: Seen) -> None:
    assert seen.fates["no-scheduler"].warnings == ()
