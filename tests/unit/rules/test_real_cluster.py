"""Dumps of a cluster that suffered the faults: what it did with each pod, podwire says."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bundles import CASES, report_of

from podwire.engine.report import Judged
from podwire.findings.model import Severity

# True of every pod in there that holds a VF: none of them was given IPC_LOCK.
EVERYWHERE = {"memory-lock-missing"}

DUMPS = sorted(path for path in (CASES / "real").iterdir() if path.is_dir())

each_dump = pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.name)


def expected(dump: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((dump / "expected.json").read_text())
    return found


def findings(dump: Path) -> Iterator[Judged]:
    return (j for j in report_of(dump).findings if j.rule.slug not in EVERYWHERE)


def said(dump: Path) -> dict[str, set[str]]:
    """Slugs of all findings by the pods that they name."""
    slugs: dict[str, set[str]] = defaultdict(set)
    for judged in findings(dump):
        for ref in judged.subjects:
            if ref.kind == "Pod":
                slugs[ref.full_name].add(judged.rule.slug)
    return slugs


@each_dump
def test_each_pod_is_explained_by_the_rule_for_what_happened_to_it(dump: Path) -> None:
    found = said(dump)
    broken = expected(dump)["broken"]
    assert {pod: slug for pod, slug in broken.items() if slug not in found[pod]} == {}


@each_dump
def test_pods_that_work_are_left_alone(dump: Path) -> None:
    """A finding about a node may name them as those that hold its devices."""
    loud = {
        ref.full_name: judged.finding.message
        for judged in findings(dump)
        if judged.finding.severity is not Severity.NOTE and judged.subject.kind == "Pod"
        for ref in judged.subjects
    }
    assert {pod: loud[pod] for pod in expected(dump)["left alone"] if pod in loud} == {}


@each_dump
def test_every_pod_is_expected_to_be_broken_or_left_alone(dump: Path) -> None:
    listed = json.loads((dump / "cluster" / "pods.json").read_text())["items"]
    pods = {f"{p['metadata']['namespace']}/{p['metadata']['name']}" for p in listed}
    assert pods == {*expected(dump)["broken"], *expected(dump)["left alone"]}
