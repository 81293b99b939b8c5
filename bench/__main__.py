"""Measure podwire beside its peers; one JSON object a line, the talk goes to stderr."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench import dump, manifests, node, peers
from bench.cache import INPUTS, made, root
from bench.process import Program, UnsoundError, figures, measured, warm

_SIZES_MB = (25, 50, 100, dump.FULL_MB)
Line = dict[str, object]


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", choices=BENCHES, action="append", help="may be given twice")
    parser.add_argument("--quick", action="store_true", help=f"no dump of {dump.FULL_MB} MB")
    options = parser.parse_args()
    bench = Bench(root(os.environ), is_quick=options.quick)
    try:
        for name in options.only or BENCHES:
            for line in BENCHES[name](bench):
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()
    except UnsoundError as error:
        _talk(str(error))
        return 1
    return 0


class Bench:
    """Makes inputs and takes measurements."""

    def __init__(self, cache: Path, *, is_quick: bool) -> None:
        self.cache = cache
        self.environ = _like_installed(cache)
        self.sizes_mb = tuple(size for size in _SIZES_MB if size != dump.FULL_MB or not is_quick)

    def input(self, name: str, write: Callable[[Path], None]) -> Path:
        """Give an input's folder, in memory as far as it fits there."""
        folder = made(self.cache / INPUTS / name, write, talk=_talk)
        warm(folder)
        return folder

    def line(self, name: str, program: Program, *, runs: int = 5, **more: object) -> Line:
        """Measure one program; where it runs more than once, a first run is not counted."""
        _talk(f"{name}: {program.name}, {runs} {'run' if runs == 1 else 'runs'}")
        uncounted = 1 if runs > 1 else 0  # It compiles what is not compiled yet.
        found = measured(program, runs=uncounted + runs, environ=self.environ)[uncounted:]
        return {"name": name, "program": program.name, **more, **figures(found)}


def _like_installed(cache: Path) -> dict[str, str]:
    """Give an environment in which Python finds bytecode, as it does where pip installed it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return own | {"PYTHONPYCACHEPREFIX": str(cache / "bytecode")}


def _talk(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")


def _podwire(*arguments: str, says: str) -> Program:
    return Program(
        name="podwire",
        command=(str(Path(sys.executable).with_name("podwire")), *arguments),
        is_sound=lambda output: says in output,
        statuses=(0, 1),  # 1: it found something
    )


def _help(bench: Bench) -> Iterator[Line]:
    yield bench.line("help", _podwire("--help", says="usage:"), budget=0.04)
    try:
        yield bench.line("help", peers.kubectl())
    except peers.MissingError as error:
        yield {"name": "help", "program": "kubectl", "missing": str(error)}


def _small(bench: Bench) -> Iterator[Line]:
    folder = bench.input("small", manifests.write_small)
    files = map(str, sorted(folder.iterdir()))
    yield bench.line("check-small", _podwire("check", *files, says=" 3 objects"), budget=0.12)


def _thousand(bench: Bench) -> Iterator[Line]:
    name = "check-1000"
    folder = bench.input("thousand", manifests.write_thousand)
    podwire = _podwire("check", str(folder), says=f" {manifests.DOCUMENTS} objects")
    yield bench.line(name, podwire, budget=0.35, budget_rss_mb=60)
    try:
        yield bench.line(name, peers.kubeconform(folder, cache=bench.cache, talk=_talk))
    except peers.MissingError as error:
        yield {"name": name, "program": "kubeconform", "missing": str(error)}


def _dumps(bench: Bench) -> Iterator[Line]:
    first: float | None = None
    for nominal_mb in bench.sizes_mb:
        folder = bench.input(f"dump-{nominal_mb}", partial(dump.write, size_mb=nominal_mb))
        is_full = nominal_mb == dump.FULL_MB
        budget: Line = {"budget": 15, "budget_rss_mb": 2000} if is_full else {}
        runs = 1 if is_full else 3
        size_mb = dump.size_mb_of(folder)
        says = f" {dump.objects_in(nominal_mb)} objects"
        podwire = _podwire("check", str(folder), says=says)
        line = bench.line(f"check-dump-{nominal_mb}", podwire, runs=runs)
        per_mb = float(str(line["median"])) / size_mb
        first = first or per_mb
        growth = {"s_per_mb": round(per_mb, 5), "times_first": round(per_mb / first, 2)}
        yield {**line, **budget, "size_mb": round(size_mb, 1), **growth}


def _node(bench: Bench) -> Iterator[Line]:
    del bench  # It counts, and needs no input.
    yield {"name": "node-plan", "program": "podwire", **node.figures()}


BENCHES: dict[str, Callable[[Bench], Iterator[Line]]] = {
    "help": _help,
    "small": _small,
    "thousand": _thousand,
    "dumps": _dumps,
    "node": _node,
}

if __name__ == "__main__":
    sys.exit(main())
