"""The Debian package of the sources as they are, built once for each state of them."""

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.lab.payload import ROOT

_MADE_OF = ("src/podwire", "deploy", "requirements/run.lock", "pyproject.toml")
_LEFT_OUT = {"__pycache__", "cases"}  # the wheel has no rule's cases
_UNREACHABLE = ("No matching distribution found", "ConnectionError", "Connection refused")


class NoIndexError(Exception):
    """The package index, which has the wheels, does not answer."""


def built_package(cache: Path) -> Path:
    """Give the package; an older one is removed."""
    folder = cache / "package" / _key()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(folder.parent):
        if not folder.exists():
            new = folder.with_suffix(".new")
            _build(new)
            for old in folder.parent.iterdir():
                if old.is_dir() and old != new:
                    shutil.rmtree(old)
            new.rename(folder)
    return next(folder.glob("*.deb"))


def _build(to: Path) -> None:
    command = [sys.executable, "-m", "deploy.debian.build", str(to)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if any(words in done.stderr for words in _UNREACHABLE):
        raise NoIndexError("the package index, which has the wheels for the package")
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _key() -> str:
    digest = hashlib.sha256()
    for path in _files():
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for name in _MADE_OF:
        top = ROOT / name
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (path for path in found if path.is_file() and _LEFT_OUT.isdisjoint(path.parts))
