"""The recorded answers of systemd and udev are to today's tables, and what a guest says."""

import os
from typing import Any

import pytest

from tests.lab.lab import Guest
from tests.lab.recording import recorded
from tests.lab.tables.exec_rows import exec_rows
from tests.lab.tables.link_rows import link_rows

# A row in so many is asked again; all of them take five minutes.
_EVERY = 1 if "PODWIRE_LAB_ALL" in os.environ else 8


def test_every_row_about_link_files_is_recorded() -> None:
    now = [(row.name, dict(row.files), list(row.devices)) for row in link_rows()]
    kept = [(row["name"], row["files"], list(row["answers"])) for row in recorded("link")["rows"]]
    assert kept == now


def test_every_row_about_commands_is_recorded() -> None:
    now = [(row.name, list(row.lines), list(row.file or ())) for row in exec_rows()]
    kept = [(row["name"], row["service"], row["file"]) for row in recorded("exec")["rows"]]
    assert kept == now


@pytest.mark.lab
def test_udev_answers_as_recorded(guest: Guest) -> None:
    assert _changed(guest, "link") == []


@pytest.mark.lab
def test_systemd_answers_as_recorded(guest: Guest) -> None:
    assert _changed(guest, "exec") == []


def _changed(guest: Guest, name: str) -> list[dict[str, Any]]:
    before = recorded(name)
    now = guest.call(f"{name}s.record", every=_EVERY)
    assert now["about"] == before["about"], "another guest: record the tables again"
    kept = {row["name"]: row for row in before["rows"]}
    return [row for row in now["rows"] if row != kept[row["name"]]]
