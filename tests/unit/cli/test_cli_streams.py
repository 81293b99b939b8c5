"""The program as a process, with streams and paths as a hostile shell leaves them."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.fake_world import nad

PODWIRE = f'"{sys.executable}" -c "from podwire.cli.main import entry; entry()"'


@pytest.fixture
def shell(tmp_path: Path) -> "Shell":
    (tmp_path / "nad.yaml").write_text(nad("net"))
    return Shell(tmp_path)


class Shell:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, line: str) -> tuple[int, str, str]:
        """Run a line in which `podwire` is the program."""
        done = subprocess.run(  # noqa: S603 - lines of this file
            ["/bin/bash", "-c", line.replace("podwire", PODWIRE, 1)],
            cwd=self.folder,
            capture_output=True,
            check=False,
            timeout=60,
        )
        error = done.stderr.decode()
        assert "Traceback" not in error
        assert "Traceback" not in done.stdout.decode()
        return done.returncode, done.stdout.decode(), error


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("podwire check nad.yaml >/dev/full", "standard output cannot be written: No space"),
        ("podwire --help >/dev/full", "standard output cannot be written: No space"),
        ("podwire check nad.yaml >&-", "standard output cannot be written: it is closed"),
        ("podwire explain >&-", "standard output cannot be written: it is closed"),
        ("podwire check - <&-", "nothing in there is known to podwire"),
        ("podwire check - 0>out", "- could not be read to its end: Bad file descriptor"),
        ("podwire check /proc/self/mem", "/proc/self/mem could not be read to its end"),
        ("podwire check ''", "a path is empty"),
        ("podwire check nad.yaml --config /dev/zero", "/dev/zero is a pipe, socket or device"),
        ("mkfifo p; podwire check nad.yaml --baseline p", "p is a pipe, socket or device"),
        ("podwire check nad.yaml -o json=nad.yaml", "nad.yaml is read"),
        ("podwire check . -o json=nad.yaml", "nad.yaml is read"),
        ("podwire check nad.yaml -o json=o -o sarif=./o", "two forms cannot share"),
        ("mkdir gone; cd gone; rmdir ../gone; podwire check .", ". is not there"),
        (r"podwire check --$'\e[31m'", r"--\x1b[31m"),
        (r"podwire $'\e[31m'", r"\x1b[31m"),
    ],
)
def test_what_cannot_be_done_is_said_with_status_2(shell: Shell, line: str, words: str) -> None:
    (shell.folder / "o").touch()
    status, _, error = shell.run(line)
    assert (status, words in error) == (2, True), error
    assert "\x1b" not in error


@pytest.mark.parametrize("end", ["2>&-", "2>/dev/full", "<&- 2>&-", "-o json=r.json >&-"])
def test_a_report_that_arrives_has_its_own_status(shell: Shell, end: str) -> None:
    assert shell.run(f"podwire check nad.yaml {end}")[0] == 0


def test_a_complaint_that_nobody_gets_leaves_the_status(shell: Shell) -> None:
    assert shell.run("podwire check nope 2>&-")[0] == 2


def test_a_link_stays_one_and_its_file_keeps_its_mode(shell: Shell) -> None:
    target = shell.folder / "target"
    target.write_text("old")
    target.chmod(0o600)
    (shell.folder / "link").symlink_to("target")
    assert shell.run("podwire check nad.yaml -o json=link")[0] == 0
    assert (shell.folder / "link").is_symlink()
    assert json.loads(target.read_text())["schemaVersion"] == 1
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_pipe_is_written_into_and_stays_one(shell: Shell) -> None:
    os.mkfifo(shell.folder / "pipe")
    status, out, _ = shell.run("cat pipe & podwire check nad.yaml -o json=pipe -o short; wait")
    assert (status, '"schemaVersion": 1' in out) == (0, True)
    assert stat.S_ISFIFO((shell.folder / "pipe").stat().st_mode)


def test_what_the_shell_opened_is_written_into(shell: Shell) -> None:
    shell.run("podwire check nad.yaml -o json=/dev/stdout -o short >both")
    assert (shell.folder / "both").read_text().startswith('{\n  "schemaVersion": 1')


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_disk_is_refused(shell: Shell) -> None:
    try:
        os.mknod(shell.folder / "disk", stat.S_IFBLK | 0o600, os.makedev(7, 99))
    except PermissionError:
        pytest.skip("no devices may be made here")
    status, _, error = shell.run("podwire check nad.yaml -o json=disk")
    assert (status, "disk is a disk" in error) == (2, True)


def test_the_way_to_help_loads_nothing_heavy() -> None:
    code = "import podwire.cli.main, podwire.cli.arguments, sys; print(*sorted(sys.modules))"
    done = subprocess.run(  # noqa: S603 - this very Python
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not {"msgspec", "yaml", "traceback", "podwire.rules"} & loaded
