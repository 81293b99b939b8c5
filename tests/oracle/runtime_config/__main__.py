"""Compare the model with containerd, or record its answers for `make test`."""

import argparse
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.oracle.runtime_config.cases import Case, cases
from tests.oracle.runtime_config.containerd import (
    OLD_VERSION,
    PROGRAM,
    VERSION,
    answer,
    build_old,
    old_answer,
)
from tests.oracle.runtime_config.replay import differences

DATA = Path(__file__).parents[2] / "unit" / "peers" / "data" / "runtime_config"
_SHOWN = 5


def pairs(program: Path, *, version: str, seed: int, count: int) -> Iterator[tuple[Case, Case]]:
    """Give cases with the answers of a build of containerd."""
    is_old = version == OLD_VERSION
    program = build_old() if is_old else program
    for case in itertools.islice(cases(seed), count):
        said = old_answer(case, program=program) if is_old else answer(case, program=program)
        yield case, said


def compare(asked: Iterable[tuple[Case, Case]], *, version: str) -> int:
    """Print the first cases that differ; give the number of all."""
    unlike = count = 0
    for case, said in asked:
        count += 1
        found = differences(case, said, version=version)
        if found:
            unlike += 1
            if unlike <= _SHOWN:
                sys.stdout.write(json.dumps({"case": case, "differs": found}) + "\n")
    sys.stdout.write(f"containerd {version}: {count} cases, {unlike} differ\n")
    return unlike


def record(asked: Iterable[tuple[Case, Case]], *, version: str) -> None:
    """Write cases with containerd's answers, one pair a line."""
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / f"containerd-{version}.jsonl").open("w") as file:
        file.writelines(json.dumps(pair, separators=(",", ":")) + "\n" for pair in asked)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracle.runtime_config", description=__doc__
    )
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--containerd", type=Path, default=PROGRAM, help="another build")
    parser.add_argument("--version", default=VERSION, help="the version of that build")
    parser.add_argument("--record", action="store_true", help="write the recorded answers again")
    chosen = parser.parse_args()
    version = chosen.version
    asked = pairs(chosen.containerd, version=version, seed=chosen.seed, count=chosen.cases)
    if chosen.record:
        record(asked, version=version)
        return 0
    return 1 if compare(asked, version=version) else 0


if __name__ == "__main__":
    sys.exit(main())
