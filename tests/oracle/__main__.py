"""Compare the model with kubelet's own code, or record its answers for `make test`."""

import argparse
import itertools
import json
import sys
from pathlib import Path

from tests.oracle.cases import cases
from tests.oracle.kubelet import VERSIONS, answers, span_of
from tests.oracle.replay import differences

DATA = Path(__file__).parents[1] / "unit" / "peers" / "data" / "topology"
_BATCH = 5000
_SHOWN = 5


def compare(version: str, *, seed: int, count: int) -> int:
    """Print the first cases that differ; give the number of all."""
    unlike = 0
    made = itertools.islice(cases(seed), count)
    for batch in iter(lambda: list(itertools.islice(made, _BATCH)), []):
        for case, answer in answers(version, batch):
            found = differences(case, answer, span=span_of(version))
            if found:
                unlike += 1
                if unlike <= _SHOWN:
                    sys.stdout.write(
                        json.dumps({"case": case, "answer": answer, "differs": found}) + "\n"
                    )
    sys.stdout.write(f"kubelet {version}, seed {seed}: {count} cases, {unlike} differ\n")
    return unlike


def record(version: str, *, seed: int, count: int) -> None:
    """Write cases with their answers, one pair a line."""
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / f"kubelet-{version}.jsonl").open("w") as file:
        for pair in answers(version, itertools.islice(cases(seed), count)):
            file.write(json.dumps(pair, separators=(",", ":")) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubelet", choices=VERSIONS, default=VERSIONS[0])
    parser.add_argument("--record", action="store_true", help="write the recorded answers again")
    chosen = parser.parse_args()
    if chosen.record:
        record(chosen.kubelet, seed=chosen.seed, count=chosen.cases)
        return 0
    return 1 if compare(chosen.kubelet, seed=chosen.seed, count=chosen.cases) else 0


if __name__ == "__main__":
    sys.exit(main())
