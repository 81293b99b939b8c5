"""One program, run as a process a few times, and what it cost."""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One run. `rss_mb` is the kernel's peak; it cannot be below this program's own."""

    status: int
    wall_s: float
    cpu_s: float
    rss_mb: float
    output: str


@dataclass(frozen=True)
class Program:
    """What is run; how it has to end, and `is_sound` tells from its output what it did."""

    name: str
    command: Sequence[str]
    is_sound: Callable[[str], bool]
    statuses: Sequence[int] = (0,)


class UnsoundError(Exception):
    """The program did not do what is measured, so the figure would mean nothing."""


def measured(program: Program, *, runs: int, environ: Mapping[str, str]) -> list[Run]:
    """Run it, one after the other; the first run that is unsound ends the bench."""
    found = []
    for _ in range(runs):
        run = _once(program.command, environ)
        if run.status not in program.statuses or not program.is_sound(run.output):
            line = " ".join(program.command)
            raise UnsoundError(f"`{line}` ended with {run.status}:\n{run.output[-2000:]}")
        found.append(run)
    return found


def _once(command: Sequence[str], environ: Mapping[str, str]) -> Run:
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        start = time.perf_counter()
        child = subprocess.Popen(  # noqa: S603 - the commands stand in this package
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Run(
            status=child.returncode,
            wall_s=wall_s,
            cpu_s=usage.ru_utime + usage.ru_stime,
            rss_mb=usage.ru_maxrss * 1024 / 1e6,
            output=output.read(),
        )


def figures(runs: Sequence[Run]) -> dict[str, object]:
    """Sum runs up: the wall's median, least and most, the CPU's median, the memory's most."""
    walls = [run.wall_s for run in runs]
    return {
        "unit": "s",
        "runs": len(runs),
        "median": round(statistics.median(walls), 4),
        "min": round(min(walls), 4),
        "max": round(max(walls), 4),
        "cpu_s": round(statistics.median(run.cpu_s for run in runs), 4),
        "peak_rss_mb": round(max(run.rss_mb for run in runs), 1),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def warm(folder: Path) -> None:
    """Read every file once, so that no run pays for the disk."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as source:
                while source.read(1 << 20):
                    pass
