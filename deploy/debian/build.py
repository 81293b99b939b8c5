"""Builds the wheel and the Debian package into a folder: `python -m deploy.debian.build dist`.

Needs pip, dpkg-deb, and the package index for the wheels of each Python.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from podwire.artefacts.systemd_unit import UnitOptions, at_boot, for_one_pf
from podwire.artefacts.text_file import MARK

ROOT = Path(__file__).parents[2]
_HERE = Path(__file__).parent
_PART = "# Part of the package podwire; it starts where podwire node install switched it on.\n"
_PYTHONS = ("3.11", "3.12", "3.13")
_PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def main() -> None:
    """Build both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    folder: Path = options.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    print(package(wheel(folder), folder=folder))  # noqa: T201 - what was made


def wheel(folder: Path) -> Path:
    """Build podwire's own wheel."""
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    return max(folder.glob("podwire-*.whl"), key=lambda path: path.stat().st_mtime)


def package(built: Path, *, folder: Path) -> Path:
    """Put the wheel, the wheels it needs and the units into a package."""
    version = built.name.split("-")[1]
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        root.chmod(0o755)
        _fill(root, built)
        size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
        control = root / "DEBIAN"
        control.mkdir()
        text = (_HERE / "control.in").read_text().format(version=version, size=size)
        (control / "control").write_text(text)
        for name in ("postinst", "prerm", "postrm"):
            shutil.copy(_HERE / name, control / name)
            (control / name).chmod(0o755)
        made_at = folder / f"podwire_{version}_amd64.deb"
        _run("dpkg-deb", "--root-owner-group", "--build", str(root), str(made_at))
    return made_at


def _fill(root: Path, built: Path) -> None:
    home = root / "usr/lib/podwire"
    home.mkdir(parents=True)
    with zipfile.ZipFile(built) as wheels:
        wheels.extractall(home / "lib")
    for version in _PYTHONS:
        _install(home / f"python{version}", version)
    shutil.copy(_HERE / "start.py", home)
    program = root / "usr/bin/podwire"
    program.parent.mkdir(parents=True)
    shutil.copy(_HERE / "podwire", program)
    program.chmod(0o755)
    (root / "etc/podwire").mkdir(parents=True)
    units = root / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for unit in (at_boot(UnitOptions()), for_one_pf(UnitOptions())):
        (units / Path(unit.path).name).write_text(unit.text.replace(MARK, _PART))


def _install(target: Path, version: str) -> None:
    platforms = (word for platform in _PLATFORMS for word in ("--platform", platform))
    _pip(
        "install",
        "--target",
        str(target),
        "--no-compile",
        "--no-deps",
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={version}",
        *platforms,
        "--require-hashes",
        "-r",
        str(ROOT / "requirements/run.lock"),
    )
    shutil.rmtree(target / "bin", ignore_errors=True)


def _pip(*arguments: str) -> None:
    _run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} ended with {done.returncode}:\n{done.stderr}")


if __name__ == "__main__":
    main()
