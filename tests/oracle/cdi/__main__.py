"""Compare the model with the CDI library, or record its answers for `make test`."""

import argparse
import itertools
import json
import sys
from pathlib import Path

from tests.oracle.cdi.cases import cases
from tests.oracle.cdi.library import VERSIONS, answers, library_of
from tests.oracle.cdi.replay import differences

DATA = Path(__file__).parents[2] / "unit" / "peers" / "data" / "cdi"
_SHOWN = 5


def compare(version: str, *, seed: int, count: int) -> int:
    """Print the first cases that differ; give the number of all."""
    unlike = 0
    for case, answer in answers(version, itertools.islice(cases(seed), count)):
        found = differences(case, answer, library=library_of(version))
        if found:
            unlike += 1
            if unlike <= _SHOWN:
                sys.stdout.write(json.dumps({"case": case, "differs": found}) + "\n")
    sys.stdout.write(f"CDI library {version}, seed {seed}: {count} cases, {unlike} differ\n")
    return unlike


def record(version: str, *, seed: int, count: int) -> None:
    """Write cases with their answers, one pair a line."""
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / f"cdi-{version}.jsonl").open("w") as file:
        for pair in answers(version, itertools.islice(cases(seed), count)):
            file.write(json.dumps(pair, separators=(",", ":")) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.cdi", description=__doc__)
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library", choices=VERSIONS, action="append")
    parser.add_argument("--record", action="store_true", help="write the recorded answers again")
    chosen = parser.parse_args()
    unlike = 0
    for version in chosen.library or VERSIONS:
        if chosen.record:
            record(version, seed=chosen.seed, count=chosen.cases)
        else:
            unlike += compare(version, seed=chosen.seed, count=chosen.cases)
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
