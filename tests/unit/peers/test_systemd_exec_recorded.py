"""The model of command lines beside a real systemd: every row that was recorded in the lab."""

import json
from pathlib import Path
from typing import Any

import pytest

from podwire.model.evidence import Document
from podwire.peers.systemd_unit.commands import Command, commands_of, environment_of, refusal_of
from podwire.peers.systemd_unit.reading import read_unit
from podwire.peers.systemd_unit.records import Unit
from podwire.peers.systemd_unit.specifiers import HOLE
from podwire.peers.systemd_unit.variables import expanded

RECORDED = json.loads(
    (Path(__file__).parents[2] / "lab" / "recorded" / "exec.json").read_text(encoding="utf-8")
)
ROWS: list[dict[str, Any]] = RECORDED["rows"]
# Programs that write down what they were started with.
RECORDERS = {
    "/usr/local/bin/argv",
    "/usr/bin/bash",
    "/bin/bash",
    "/usr/bin/echo",
    "/usr/bin/udevadm",
}
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])


def unit_of(row: dict[str, Any]) -> Unit:
    text = RECORDED["about"]["head"] + "\n".join(row["service"]) + "\n"
    return read_unit(row["unit"], [(Document(name=row["unit"]), text)])


def kept(unit: Unit) -> list[Command]:
    """Give what is kept: nothing from the first fatal line on."""
    found = []
    for command in commands_of(unit):
        if command.is_fatal:
            break
        if command.fault is None:
            found.append(command)
    return found


@each_row
def test_a_line_is_cut_into_the_words_that_systemd_keeps(row: dict[str, Any]) -> None:
    starts = [c for c in kept(unit_of(row)) if c.line.found.key == "ExecStart"]
    found = [[word.text for word in c.argv[1:]] for c in starts]
    wanted = [argv[1:] for _, argv, _ in row["kept"]]
    assert len(found) == len(wanted)
    for mine, real in zip(found, wanted, strict=True):
        if not any(HOLE in word for word in mine):
            assert mine == real


@each_row
def test_a_unit_is_bad_where_systemd_says_so(row: dict[str, Any]) -> None:
    unit = unit_of(row)
    is_bad = refusal_of(unit, commands_of(unit)) is not None
    assert is_bad is (row["LoadState"] == "bad-setting")


@each_row
def test_variables_become_what_the_program_got(row: dict[str, Any]) -> None:
    unit = unit_of(row)
    if row["LoadState"] != "loaded":
        return
    environment = environment_of(unit)
    ours = [c for c in kept(unit) if c.program in RECORDERS]
    for command, real in zip(ours, row["ran"], strict=False):
        argv = command.argv if command.keeps_dollars else None
        mine = (
            [word.text for word in argv[1:]]
            if argv is not None
            else [e.word.text for e in expanded(command.argv[1:], environment=environment)]
        )
        if not any(HOLE in word for word in mine):
            assert mine == real
