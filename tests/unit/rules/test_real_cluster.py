"""Dumps of a cluster that suffered the faults: what it did with each pod, podwire says."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
from tests.bundles import CASES, report_of

from podwire.findings.model import Severity

# True of every pod in there that holds a VF: none of them was given IPC_LOCK.
EVERYWHERE = {"memory-lock-missing"}

DUMPS = sorted(path for path in (CASES / "real").iterdir() if path.is_dir())


def said(dump: Path) -> dict[str, set[str]]:
    """Slugs of all findings by the pods that they name."""
    slugs: dict[str, set[str]] = defaultdict(set)
    for judged in report_of(dump).findings:
        for ref in judged.subjects:
            if ref.kind == "Pod" and judged.rule.slug not in EVERYWHERE:
                slugs[ref.full_name].add(judged.rule.slug)
    return slugs


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.name)
def test_each_pod_is_explained_by_the_rule_for_what_happened_to_it(dump: Path) -> None:
    expected: dict[str, str] = json.loads((dump / "expected.json").read_text())
    found = said(dump)
    assert {pod: slug for pod, slug in expected.items() if slug not in found[pod]} == {}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.name)
def test_pods_that_work_are_left_alone(dump: Path) -> None:
    expected: dict[str, str] = json.loads((dump / "expected.json").read_text())
    loud = {
        ref.full_name: judged.finding.message
        for judged in report_of(dump).findings
        if judged.finding.severity is not Severity.NOTE and judged.rule.slug not in EVERYWHERE
        for ref in judged.subjects
        if ref.kind == "Pod"
    }
    if dump.name == "cluster-1.37":
        assert {pod: text for pod, text in loud.items() if pod not in expected} == {}
