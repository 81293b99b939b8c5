"""Run one row for real, and say what became of the container."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from tests.oracle.toolkit.programs import HOOK, STAND_INS, build, driver_root, stand_in
from tests.oracle.toolkit.specs import texts

Row: TypeAlias = dict[str, Any]

# What rows call the folder that they run in.
FOLDER = "/row"
_LINE = re.compile(r'level=(\w+) msg=("(?:[^"\\]|\\.)*"|\S+)')
# What the runtime says about a request; the rest of its log is about libraries of a driver.
_ABOUT_REQUESTS = (
    "Ignoring devices",
    "Ignoring request",
    "Ignoring invalid mount",
    "Failed to create the automatic",
    "could not resolve",
)
_BUNDLE: Row = {
    "ociVersion": "1.0.2",
    "root": {"path": "/rootfs"},
    "linux": {},
}


@contextmanager
def _folder(row: Row) -> Iterator[Path]:
    """Lay out a row: driver, stand-ins, configuration, CDI specs, the container's bundle."""
    with tempfile.TemporaryDirectory(prefix="podwire-toolkit-") as made:
        folder = Path(made)
        if row["gpus"] is not None:
            (folder / "driver").symlink_to(driver_root())
        for name in STAND_INS:
            (folder / name).symlink_to(stand_in(name))
        for name, text in texts(row["specs"]).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if row["config"] is not None:
            config = folder / "nvidia-container-runtime" / "config.toml"
            config.parent.mkdir()
            config.write_text(row["config"].replace(FOLDER, made))
        (folder / "bundle").mkdir()
        (folder / "bundle" / "config.json").write_text(json.dumps(_bundle(row)))
        yield folder


def _bundle(row: Row) -> Row:
    process = {
        "user": {"uid": 0, "gid": 0},
        "args": ["sleep"],
        "cwd": "/",
        "env": row["env"],
        "capabilities": {"bounding": row["capabilities"]},
    }
    return {
        **_BUNDLE,
        "process": process,
        "annotations": row["annotations"],
        "mounts": [{"source": source, "destination": target} for source, target in row["mounts"]],
    }


def answer(version: str, row: Row) -> Row:
    """Create the container with the real runtime, and run the hook where one is inserted."""
    programs = build(version)
    with _folder(row) as folder:
        environment = {
            "PATH": os.environ["PATH"],
            "XDG_CONFIG_HOME": str(folder),
            "PODWIRE_GPUS": str(row["gpus"] or 0),
        }
        bundle = folder / "bundle"
        command = [programs / row["program"], "create", "--bundle", str(bundle), "id"]
        ran = _run(command, environment)
        before = _bundle(row)
        after = json.loads((bundle / "config.json").read_text())
        hooks = (after.get("hooks") or {}).get("prestart") or []
        found: Row = {
            "code": ran.returncode,
            "error": _error(ran.stderr, folder),
            "warnings": _warnings(folder / "log", folder),
            "devices": sorted(each["path"] for each in _nodes(after)),
            "env": _added(before["process"]["env"], after["process"].get("env") or []),
            "hook": None,
        }
        if any(Path(each["path"]).name == HOOK for each in hooks):
            found["hook"] = _hook(programs / HOOK, folder, environment)
        return found


def _run(
    command: list[Path | str], environment: dict[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own programs
        command, env=environment, input=given, text=True, capture_output=True, check=False
    )


def _hook(program: Path, folder: Path, environment: dict[str, str]) -> Row:
    """Run the hook as the low-level runtime does, on the bundle that the runtime has left."""
    command: list[Path | str] = [program]
    if (folder / "nvidia-container-runtime").exists():
        command.append(f"-config={folder}/nvidia-container-runtime/config.toml")
    state = json.dumps({"pid": 1, "bundle": str(folder / "bundle")})
    ran = _run([*command, "prestart"], environment, given=state)
    arguments = folder / "cli.txt"
    given = arguments.read_text().splitlines() if arguments.exists() else None
    return {
        "code": ran.returncode,
        "says": [line.replace(str(folder), FOLDER) for line in ran.stderr.splitlines()],
        "cli": None if given is None else sorted(_kept(given)),
    }


def _kept(arguments: list[str]) -> Iterator[str]:
    """Keep what says which GPUs the container gets, and what has to hold for that."""
    shown = ("--device=", "--require=", "--imex-channel=", "--mig-")
    plain = re.compile(r"--(compute|compat32|graphics|utility|video|display|ngx)")
    yield from (each for each in arguments if each.startswith(shown) or plain.fullmatch(each))


def _messages(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    for level, message in _LINE.findall(text):
        said = json.loads(message) if message.startswith('"') else message
        yield level, said.replace(str(folder), FOLDER)


def _error(text: str, folder: Path) -> str | None:
    """Take what the runtime prints at its end; containerd shows it in the container's event."""
    return next((said for level, said in _messages(text, folder) if level == "error"), None)


def _warnings(log: Path, folder: Path) -> list[str]:
    text = log.read_text() if log.exists() else ""
    return [
        said
        for level, said in _messages(text, folder)
        if level == "warning" and said.startswith(_ABOUT_REQUESTS)
    ]


def _nodes(bundle: Row) -> list[Row]:
    return (bundle.get("linux") or {}).get("devices") or []


def _added(before: list[str], after: list[str]) -> list[str]:
    """Keep what tells one device from another; `GOT ...` is written by the rows' CDI specs."""
    told = ("GOT ", "NVIDIA_VISIBLE_DEVICES=", "NVCT_EMPTY_DEVICE=")
    return sorted(each for each in set(after) - set(before) if each.startswith(told))


def needs() -> str | None:
    """Say what is missing here to run rows for real."""
    missing = [name for name in ("go", "cc") if shutil.which(name) is None]
    if os.geteuid() != 0:
        missing.append("root, for device nodes")
    return ", ".join(missing) or None
