"""The model gives what NVIDIA's own runtime did (`tests.oracle.toolkit` recorded it).

toolkit-VERSION.jsonl holds rows that ran with a stand-in for libnvidia-ml.so.1. h200-VERSION.jsonl
holds runs on a machine with one H200 and driver 580.159.04, with the CDI specs that nvidia-ctk
1.20.2 wrote there (device nodes and variables kept, mounts and hooks left out); the GPU's UUID
is replaced.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.toolkit.programs import VERSIONS
from tests.oracle.toolkit.replay import differences

DATA = Path(__file__).parent / "data" / "toolkit"
RECORDED = sorted(path.stem for path in DATA.glob("*.jsonl"))


def pairs(name: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def version_of(name: str) -> str:
    return name.partition("-")[2]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_runs_of_the_toolkit_are_the_model_s(name: str) -> None:
    unlike = [
        (row, found)
        for row, answer in pairs(name)
        if (found := differences(version_of(name), row, answer))
    ]

    assert unlike == []
    assert {answer["code"] == 0 for _, answer in pairs(name)} == {True, False}


def test_there_are_runs_of_an_old_and_of_a_new_version() -> None:
    assert {version_of(name) for name in RECORDED} >= {"1.17.8", "1.20.2"}


def test_the_newer_toolkit_s_answers_are_not_the_older_one_s() -> None:
    """Mode auto hands over to the hook in one and generates devices in the other."""
    unlike = [1 for row, answer in pairs("toolkit-1.20.2") if differences("1.17.8", row, answer)]

    assert len(unlike) > len(pairs("toolkit-1.20.2")) / 5


def test_every_recorded_version_can_be_built() -> None:
    assert {version_of(name) for name in RECORDED} <= set(VERSIONS)
