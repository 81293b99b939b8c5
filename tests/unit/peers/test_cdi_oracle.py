"""The model gives the answers of the CDI library itself (`tests.oracle.cdi` recorded them)."""

import json
from pathlib import Path

import pytest
from tests.oracle.cdi.library import VERSIONS, library_of
from tests.oracle.cdi.replay import differences

DATA = Path(__file__).parent / "data" / "cdi"
SEEN = ("devices", "faults", "unresolved", "nodes")


@pytest.mark.parametrize("version", VERSIONS)
def test_recorded_answers_of_the_library_are_the_model_s(version: str) -> None:
    pairs = [json.loads(line) for line in (DATA / f"cdi-{version}.jsonl").read_text().splitlines()]

    unlike = [
        (case, found)
        for case, answer in pairs
        if (found := differences(case, answer, library=library_of(version)))
    ]

    assert unlike == []
    answers = [answer for _, answer in pairs]
    assert all(any(answer.get(key) for answer in answers) for key in SEEN)


def test_the_newest_library_s_answers_are_not_the_oldest_one_s() -> None:
    lines = (DATA / "cdi-1.1.1.jsonl").read_text().splitlines()

    unlike = [1 for line in lines if differences(*json.loads(line), library=library_of("0.7.0"))]

    assert unlike
