"""What the guest gets to run: podwire's sources, the libraries it needs, and the scripts here.

It travels as a tar archive on a drive of its own, so it can change after the guest was frozen.
"""

import contextlib
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SIZE = 64 << 20  # the drive's, always: the frozen guest remembers it
_PYTHON = "3.13"  # the guest's
_FOLDERS = ("src/podwire", "tests/lab")
_LEFT_OUT = re.compile(r"/(__pycache__|recorded|cases)/")


def write_sources(to: Path, more: Mapping[str, bytes]) -> None:
    """Write podwire and the scripts; `more` are files by their path below the guest's `/lab`."""
    with _payload(to) as archive:
        for folder in _FOLDERS:
            _add_folder(archive, ROOT / folder, folder)
        for name, content in more.items():
            _add(archive, name, content)


def write_libraries(to: Path, folder: Path) -> None:
    with _payload(to) as archive:
        _add_folder(archive, folder, "libraries")


@contextlib.contextmanager
def _payload(to: Path) -> Iterator[tarfile.TarFile]:
    with tarfile.open(to, "w") as archive:
        yield archive
    if to.stat().st_size > SIZE:
        raise ValueError(f"the payload has more than {SIZE} bytes")
    with to.open("r+b") as file:
        file.truncate(SIZE)


def _add_folder(archive: tarfile.TarFile, folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*")):
        inner = f"{name}/{path.relative_to(folder)}"
        if path.is_file() and not _LEFT_OUT.search(inner):
            _add(archive, inner, path.read_bytes())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    entry.mode = 0o755
    archive.addfile(entry, io.BytesIO(content))


def libraries(cache: Path) -> Path:
    """Fetch podwire's own dependencies for the guest's Python once, as the lock file pins them."""
    pins = "\n".join(_pins()) + "\n"
    folder = cache / f"libraries-{hashlib.sha256((_PYTHON + pins).encode()).hexdigest()[:12]}"
    if not folder.exists():
        wheels = folder.with_suffix(".wheels")
        wheels.mkdir(parents=True, exist_ok=True)
        (wheels / "pins.txt").write_text(pins)
        _download(wheels)
        new = folder.with_suffix(".new")
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(new)  # noqa: S202 - wheels with the hashes of the lock file
        new.rename(folder)
    return folder


def _download(wheels: Path) -> None:
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes", "--quiet"]
    target = ["--python-version", _PYTHON, "--platform", "manylinux2014_x86_64"]
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
    command += [*options, *target, "-d", str(wheels), "-r", str(wheels / "pins.txt")]
    subprocess.run(command, check=True)  # noqa: S603 - pip of this environment


def _pins() -> Iterator[str]:
    """Give the lock file's entries of what podwire needs to run, with their hashes."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[^\w.-]", need)[0].lower() for need in wanted}
    lock = (ROOT / "requirements/dev.lock").read_text()
    for entry in re.findall(r"^(?:\S.*\\\n)(?: +--hash.*\n?)+", lock, re.MULTILINE):
        if entry.partition("==")[0].lower() in names:
            yield entry.rstrip()
