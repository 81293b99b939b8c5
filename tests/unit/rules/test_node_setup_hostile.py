"""Units, .link files and logs that nobody wrote in good faith: each costs only itself."""

import pytest
from tests.pictures import picture

from podwire.engine.run import run
from podwire.rules import node

NODE = "nodes/gpu-a"
UNIT = f"{NODE}/etc/systemd/system/sriov.service"
LINK = f"{NODE}/etc/systemd/network/70-vf.link"
MANY = 20_000
WRITES = "[Service]\nExecStart=/bin/bash -c 'echo 8 > /sys/class/net/ib0/device/sriov_numvfs; "
LSPCI = (
    "18:00.2 Infiniband controller [0207]: Mellanox Technologies ConnectX Family mlx5Gen "
    "Virtual Function [15b3:101e]\n"
)


@pytest.mark.parametrize(
    "files",
    [
        {UNIT: "[Service]\nExecStart=/bin/sriov \\\n" + "a \\\n" * MANY},
        {UNIT: "[Service]\n" + "Exec" * MANY},
        {UNIT: WRITES + "(" * MANY + "'\n"},
        {UNIT: WRITES + "echo " + "{," * MANY + "'\n"},
        {UNIT: WRITES + "echo " + "[" * MANY + "'\n"},
        {UNIT: WRITES + "a=xx; " + "a=$a$a; " * 100 + "echo $a > /x'\n"},
        {UNIT: WRITES + "for a in {1..9999}; do for b in {1..9999}; do :; done; done'\n"},
        {UNIT: WRITES + "echo $((9**9**9**9)) {1..99999999} > /x'\n"},
        {UNIT: WRITES + "f(){ f; f; }; f'\n"},
        {UNIT: "\0" * MANY, LINK: "\x1b[Match]\nDriver=mlx5\x1b[2J*\n"},
        {LINK: "[Match]\nDriver=mlx5" + "*a" * 2_000 + "\n", f"{NODE}/lspci.txt": LSPCI},
        {f"{NODE}/dmesg.txt": "a" * MANY * 10, LINK: "[Match]\n"},
    ],
    ids=range(12),
)
def test_it_is_read_to_its_end(files: dict[str, str]) -> None:
    report = run(node.RULES, picture=picture(files=files))
    assert report.failed == ()
