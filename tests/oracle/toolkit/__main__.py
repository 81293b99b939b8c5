"""Compare the model with NVIDIA's own runtime, or record its answers for `make test`."""

import argparse
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.oracle.toolkit.programs import VERSIONS, build, driver_root
from tests.oracle.toolkit.replay import differences
from tests.oracle.toolkit.rows import rows
from tests.oracle.toolkit.running import Row, answer, needs

DATA = Path(__file__).parents[2] / "unit" / "peers" / "data" / "toolkit"
_SHOWN = 10
_RECORDED = 150


def answers(version: str, asked: list[Row]) -> list[tuple[Row, Row]]:
    """Pair rows with what the real runtime did."""
    build(version)
    driver_root()
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(zip(asked, pool.map(lambda each: answer(version, each), asked), strict=True))


def compare(version: str, *, seed: int, count: int) -> int:
    """Print the first rows that differ; give the number of all."""
    unlike = [
        (row, given, found)
        for row, given in answers(version, list(rows(seed, count)))
        if (found := differences(version, row, given))
    ]
    for row, given, found in unlike[:_SHOWN]:
        shown = {"row": row, "answer": given, "differs": found}
        sys.stdout.write(json.dumps(shown) + "\n")
    sys.stdout.write(f"toolkit {version}, seed {seed}: {count} rows, {len(unlike)} differ\n")
    return len(unlike)


def record(version: str, *, seed: int, count: int) -> None:
    """Write some of the rows with their answers, one pair a line."""
    DATA.mkdir(parents=True, exist_ok=True)
    some = random.Random(seed).sample(list(rows(seed, count)), _RECORDED)  # noqa: S311 - test data
    with (DATA / f"toolkit-{version}.jsonl").open("w") as file:
        for pair in answers(version, some):
            file.write(json.dumps(pair, separators=(",", ":")) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.toolkit", description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--toolkit", choices=VERSIONS, action="append")
    parser.add_argument("--record", action="store_true", help="write the recorded answers again")
    chosen = parser.parse_args()
    missing = needs()
    if missing:
        parser.error(f"missing here: {missing}")
    versions = chosen.toolkit or VERSIONS
    if chosen.record:
        for version in versions:
            record(version, seed=chosen.seed, count=chosen.rows)
        return 0
    unlike = sum(compare(each, seed=chosen.seed, count=chosen.rows) for each in versions)
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
