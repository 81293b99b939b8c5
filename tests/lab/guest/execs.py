"""What systemd makes of commands in units: as it keeps them, and as they were executed."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tests.lab.guest.links import about
from tests.lab.guest.shell import attempt, run
from tests.lab.tables.exec_rows import ARGV, REPLACED, ExecRow, exec_rows

Said: TypeAlias = Mapping[str, list[str]]

_UNITS = Path("/run/systemd/system")
_OUT = Path("/run/lab/out")
_RECORDER = """\
#!/usr/bin/perl
print join("\\0", scalar(@ARGV), @ARGV), "\\0";
"""
_HEAD = """\
[Service]
Type=oneshot
RemainAfterExit=yes
StandardOutput=append:/run/lab/out/%n
"""
_OBJECTS = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit")
_SERVICE = "org.freedesktop.systemd1.Service"
_STATES = ("LoadState", "ActiveState", "Result")
_CHATTER = ("Starting ", "Started ", "Finished ", "Failed to start ")
_COSTS = ("Consumed ", "consumed ", "Deactivated successfully")


def record(every: int = 1) -> dict[str, Any]:
    Path(ARGV).write_text(_RECORDER, encoding="utf-8")
    Path(ARGV).chmod(0o755)
    _OUT.mkdir(parents=True)
    rows = {row.unit: row for row in list(exec_rows())[::every]}
    for unit, row in rows.items():
        _write(unit, row)
    run("systemctl", "daemon-reload")
    kept = {unit: _kept(unit) for unit in rows}
    attempt("systemctl", "start", *rows)
    states, journal, verified = _states(tuple(rows)), _journal(), _verified(tuple(rows))
    answers = [
        {
            "name": row.name,
            "unit": unit,
            "service": list(row.lines),
            "file": list(row.file or ()),
            "kept": kept[unit],
            "ran": _ran(unit),
            **states[unit],
            "said": list(dict.fromkeys(journal.get(unit, ()))),
            "verify": list(dict.fromkeys(verified.get(unit, ()))),
        }
        for unit, row in rows.items()
    ]
    return {"about": {**about(), "command": "systemctl start", "head": _HEAD}, "rows": answers}


def _write(unit: str, row: ExecRow) -> None:
    lines = "\n".join(row.lines)
    names = [path for path in REPLACED if path.rpartition("/")[2] in lines]
    replaced = "".join(f"BindReadOnlyPaths={ARGV}:{path}\n" for path in names)
    (_UNITS / unit).write_text(f"{_HEAD}{replaced}{lines}\n", encoding="utf-8")
    if row.file:
        path, text = row.file
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8", newline="")


def _kept(unit: str) -> list[Any]:
    """Give path, arguments and flags of each command, before variables are put in."""
    name = "".join(c if c.isalnum() else f"_{ord(c):02x}" for c in unit)
    service, above = _OBJECTS
    path = f"{above}/{name}"
    command = ("busctl", "--json=short", "get-property", service, path, _SERVICE, "ExecStartEx")
    status, text = attempt(*command)
    return [command[:3] for command in json.loads(text)["data"]] if status == 0 else []


def _ran(unit: str) -> list[list[str]]:
    """Give the arguments of each process, after its program."""
    file = _OUT / unit
    fields = iter(file.read_text(encoding="utf-8").split("\0")[:-1] if file.exists() else ())
    return [[next(fields) for _ in range(int(count))] for count in fields]


def _states(units: tuple[str, ...]) -> dict[str, dict[str, str]]:
    wanted = [f"-p{name}" for name in _STATES]
    blocks = run("systemctl", "show", *wanted, *units).strip().split("\n\n")
    each = (dict(line.split("=", 1) for line in block.splitlines()) for block in blocks)
    return dict(zip(units, each, strict=True))


def _journal() -> Said:
    said: dict[str, list[str]] = defaultdict(list)
    for line in run("journalctl", "-b", "-o", "json", "--no-pager").splitlines():
        entry = json.loads(line)
        unit = entry.get("UNIT") or Path(entry.get("CONFIG_FILE") or "").name
        message = entry.get("MESSAGE") or ""
        if not isinstance(message, str):  # bytes that are no text
            message = bytes(message).decode(errors="replace")
        if not message.startswith(_CHATTER) and not any(x in message for x in _COSTS):
            said[unit].append(message)
    return said


def _verified(units: tuple[str, ...]) -> Said:
    said: dict[str, list[str]] = defaultdict(list)
    _, text = attempt("systemd-analyze", "verify", *(str(_UNITS / unit) for unit in units))
    for line in text.splitlines():
        for unit in _named(line, units):
            said[unit].append(line)
    return said


def _named(line: str, units: tuple[str, ...]) -> Iterator[str]:
    yield from (unit for unit in units if unit in line)
