"""The model gives the answers that kubelet's own code gave (`tests.oracle` recorded them)."""

import json
from pathlib import Path

import pytest
from tests.oracle.kubelet import VERSIONS, span_of
from tests.oracle.replay import differences

DATA = Path(__file__).parent / "data" / "topology"
REASONS = {"", "TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError"}


@pytest.mark.parametrize("version", VERSIONS)
def test_recorded_answers_of_kubelet_are_the_model_s(version: str) -> None:
    pairs = [
        json.loads(line) for line in (DATA / f"kubelet-{version}.jsonl").read_text().splitlines()
    ]

    unlike = [
        (case, found)
        for case, answer in pairs
        if (found := differences(case, answer, span=span_of(version)))
    ]

    assert unlike == []
    assert {answer.get("reason", "") for _, answer in pairs} >= REASONS


def test_the_newer_kubelet_s_answers_are_not_the_older_one_s() -> None:
    """Where masks go over every node, best-effort pods land elsewhere."""
    lines = (DATA / "kubelet-1.37.2.jsonl").read_text().splitlines()

    unlike = [1 for line in lines if differences(*json.loads(line), span=span_of("1.35.2"))]

    assert unlike
