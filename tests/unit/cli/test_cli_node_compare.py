"""`podwire node compare`: what it takes for a machine, and what it says of anything else."""

import json
import os
from pathlib import Path

import pytest
from tests.unit.cli.fake_world import world

from podwire.cli.main import main


def machine(tmp_path: Path, name: str, *, firmware: str = "28.43.1014") -> str:
    path = tmp_path / f"{name}.json"
    pf = {"address": "0000:18:00.0", "firmware": firmware}
    path.write_text(json.dumps({"node": name, "schemaVersion": 1, "pfs": [pf]}))
    return str(path)


def compared(*paths: str) -> int:
    return main(["node", "compare", *paths], world=world())


def test_machines_that_are_alike_end_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(machine(tmp_path, "gpu-a"), machine(tmp_path, "gpu-b")) == 0
    assert "no difference among 2 machines" in capsys.readouterr().out


def test_a_machine_that_differs_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = (machine(tmp_path, name) for name in ("gpu-a", "gpu-b"))
    assert compared(*paths, machine(tmp_path, "gpu-c", firmware="28.39.1002")) == 1
    assert "firmware: gpu-c has 28.39.1002 (PF 0000:18:00.0)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not what podwire node show -o json prints: Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"node": 1}', "Expected `str`, got `int` - at `$.node`"),
        ('{"schemaVersion": 9, "machine": "x"}', "has schemaVersion 9, and this podwire reads 1"),
    ],
)
def test_a_file_that_show_did_not_print_is_named_with_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (tmp_path / "x.json").write_text(text)
    assert compared(machine(tmp_path, "gpu-a"), str(tmp_path / "x.json")) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_bundle_that_does_not_show_the_pfs_is_no_machine_without_pfs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bundle/nodes/gpu-b").mkdir(parents=True)
    (tmp_path / "bundle/nodes/gpu-b/sminfo.txt").write_text("sminfo: error\n")
    assert compared(machine(tmp_path, "gpu-a"), str(tmp_path / "bundle")) == 2
    assert "does not show the PFs of gpu-b" in " ".join(capsys.readouterr().err.split())


@pytest.mark.skipif(os.geteuid() == 0, reason="a user that is not root")
def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "locked").mkdir(mode=0o000)
    assert compared(machine(tmp_path, "gpu-a"), str(tmp_path / "locked/x.json")) == 2
    assert "may not be read by this user" in " ".join(capsys.readouterr().err.split())


def test_one_machine_twice_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = machine(tmp_path, "gpu-a")
    assert compared(path, path) == 2
    assert "gpu-a is given more than once" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["absent.json", "absent"])
def test_what_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    assert compared(machine(tmp_path, "gpu-a"), path) == 2
    assert f"{path} is not there" in capsys.readouterr().err
