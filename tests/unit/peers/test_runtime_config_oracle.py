"""The model reads what containerd itself reads (`tests.oracle.runtime_config` recorded it)."""

import json
from pathlib import Path

import pytest
from tests.oracle.runtime_config.replay import differences

DATA = Path(__file__).parent / "data" / "runtime_config"
VERSIONS = sorted(file.stem.removeprefix("containerd-") for file in DATA.iterdir())


@pytest.mark.parametrize("version", VERSIONS)
def test_recorded_configurations_of_containerd_are_the_model_s(version: str) -> None:
    lines = (DATA / f"containerd-{version}.jsonl").read_text().splitlines()

    unlike = [line for line in lines if differences(*json.loads(line), version=version)]

    assert unlike == []
    starts = {bool(json.loads(line)[1]) for line in lines}
    assert starts == {True, False}


def test_versions_read_the_same_files_otherwise() -> None:
    lines = (DATA / "containerd-2.2.7.jsonl").read_text().splitlines()

    unlike = [line for line in lines if differences(*json.loads(line), version="2.4.2")]

    assert unlike
