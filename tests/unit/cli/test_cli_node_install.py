"""`podwire node install` on a copy of a machine."""

import os
from pathlib import Path

import pytest
from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.kernel_files import lay_out
from tests.fakes.node import PF
from tests.unit.cli.fake_world import world

from podwire.cli.main import main

SPEC = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
nodes:
- selector: {matchLabels: {gpu: h200}}
  fabric: {vfsPerPf: 2}
"""
UNIT = "etc/systemd/system/podwire-node.service"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root: the files are root's")


def installed(tmp_path: Path, *more: str, text: str = SPEC) -> int:
    kernel = FakeKernel(FakePf(PF))
    kernel.own["etc/hostname"] = "dgx-01\n"
    root = tmp_path / "root"
    if not root.exists():
        lay_out(kernel.files(), root)
    (tmp_path / "w.yaml").write_bytes(text.encode())
    given = ["--spec", str(tmp_path / "w.yaml"), "--label", "gpu=h200", "--root", str(root)]
    return main(["node", "install", *given, *more], world=world())


def test_a_dry_run_shows_every_file_and_writes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert installed(tmp_path, "--dry-run") == 0
    out = capsys.readouterr().out
    assert f"write /{UNIT}\n" in out
    assert "write /etc/podwire/wiring.yaml\n" in out
    assert not (tmp_path / "root" / UNIT).exists()


def test_a_dry_run_escapes_what_a_terminal_would_act_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert installed(tmp_path, "--dry-run", text=SPEC + "# \u202eé\n") == 0
    assert "\u202e" not in capsys.readouterr().out


@as_root
def test_the_unit_finds_the_machine_by_the_labels_that_the_installation_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert installed(tmp_path) == 0
    assert "--label gpu=h200 --wait 120\n" in (tmp_path / "root" / UNIT).read_text()
    said = capsys.readouterr().out
    assert "systemctl enable podwire-node.service there" in said


@as_root
def test_a_spec_with_a_byte_order_mark_is_installed_so_that_it_can_be_read(tmp_path: Path) -> None:
    assert installed(tmp_path, text="\ufeff" + SPEC) == 0
    assert "\ufeff" not in (tmp_path / "root/etc/podwire/wiring.yaml").read_text()


@as_root
def test_taking_away_twice_is_no_fault_and_leaves_the_spec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(tmp_path)
    assert installed(tmp_path, "--uninstall") == 0
    capsys.readouterr()
    assert installed(tmp_path, "--uninstall") == 0
    assert capsys.readouterr().out.startswith("nothing to do\n")
    assert (tmp_path / "root/etc/podwire/wiring.yaml").exists()
    assert not (tmp_path / "root" / UNIT).exists()


@pytest.mark.parametrize("program", ["podwire", "/opt/pod\nwire"])
def test_a_program_that_systemd_would_not_start_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str
) -> None:
    assert installed(tmp_path, "--dry-run", "--program", program) == 2
    assert "systemd takes a path from / on" in capsys.readouterr().err
