"""Where inputs and peers are kept: outside the checkout, made once."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

INPUTS = "inputs-1"  # another number whenever a generator writes something else


def root(environ: "os._Environ[str]") -> Path:
    """Give the cache folder."""
    given = environ.get("PODWIRE_BENCH_DIR")
    return Path(given).absolute() if given else Path.home() / ".cache" / "podwire-bench"


def made(folder: Path, make: Callable[[Path], None], *, talk: Callable[[str], None]) -> Path:
    """Give a folder; one that is not there is made beside its place, whole, and moved."""
    if not folder.exists():
        talk(f"making {folder} (once)")
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        make(part)
        part.rename(folder)
    return folder
