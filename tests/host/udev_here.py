"""This machine's own udev, asked in namespaces of its own: files and devices that nobody else sees.

Run as a program (in new network and mount namespaces) it answers rows of files on stdin.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

DEVICE, PEER = "pw0", "pw1"
_FOLDER = Path("/etc/systemd/network")
_KEYS = {"ID_NET_LINK_FILE": "file", "ID_NET_NAME": "name"}
_ROOT = str(Path(__file__).parents[2])


class Said(msgspec.Struct, frozen=True):
    """What udev would set, and the lines that it prints of a file."""

    file: str = ""
    name: str = ""
    lines: tuple[str, ...] = ()


def ask(rows: Sequence[Mapping[str, str]]) -> list[Said]:
    """Ask about a veth device, once for each row of files by name."""
    unshare, udevadm = shutil.which("unshare"), shutil.which("udevadm")
    if udevadm is None:
        pytest.skip("no udevadm: apt-get install udev")
    if unshare is None or os.geteuid() != 0:
        pytest.skip("no new namespaces: this needs root, and unshare of util-linux")
    command = [unshare, "-n", "-m", sys.executable, "-m", "tests.host.udev_here", udevadm]
    done = subprocess.run(  # noqa: S603 - a program of ours
        command,
        input=json.dumps(list(map(dict, rows))),
        text=True,
        capture_output=True,
        cwd=_ROOT,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no namespace with a sysfs of its own: {done.stderr.strip()[-200:]}")
    return msgspec.json.decode(done.stdout, type=list[Said])


def _answer(udevadm: str, row: Mapping[str, str]) -> dict[str, object]:
    for old in _FOLDER.iterdir():
        old.unlink()
    for name, text in row.items():
        (_FOLDER / name).write_text(text, encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - the machine's own
        [udevadm, "test-builtin", "net_setup_link", f"/sys/class/net/{DEVICE}"],
        capture_output=True,
        text=True,
        check=False,
    )
    answer: dict[str, object] = {}
    lines = []
    for line in (done.stdout + done.stderr).splitlines():
        key, _, value = line.partition("=")
        if key in _KEYS:
            answer[_KEYS[key]] = value
        elif line.startswith(str(_FOLDER)):
            lines.append(line.removeprefix(f"{_FOLDER}/"))
    return {**answer, "lines": lines}


def _main() -> None:
    for command in (
        ["mount", "-t", "sysfs", "sysfs", "/sys"],
        ["mount", "-t", "tmpfs", "tmpfs", "/etc/systemd"],
        ["ip", "link", "add", DEVICE, "type", "veth", "peer", "name", PEER],
    ):
        subprocess.run(command, check=True)  # noqa: S603 - in namespaces of its own
    _FOLDER.mkdir()
    rows = json.load(sys.stdin)
    json.dump([_answer(sys.argv[1], row) for row in rows], sys.stdout)


if __name__ == "__main__":
    _main()
