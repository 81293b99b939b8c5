"""Compare the model with kubelet's own code, or record its answers for `make test`."""

import argparse
import functools
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.oracle.cases import cases
from tests.oracle.kubelet import VERSIONS, answers, build, span_of
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


def compare_side_by_side(version: str, *, seed: int, count: int, jobs: int) -> int:
    """Share the cases among processes, each with a seed of its own, and say how fast it went."""
    build(version)
    start = time.monotonic()
    with ProcessPoolExecutor(jobs) as workers:
        share = functools.partial(compare, version, count=-(-count // jobs))
        unlike = sum(workers.map(_of_seed, [(share, seed + n) for n in range(jobs)]))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime
    sys.stdout.write(
        f"kubelet {version}: {count} cases in {time.monotonic() - start:.0f} s, "
        f"{count / spent:.0f} for each second of one core\n"
    )
    return unlike


def _of_seed(work: tuple[Callable[..., int], int]) -> int:
    share, seed = work
    return share(seed=seed)


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
    parser.add_argument("--jobs", type=int, default=1, help="processes to share the cases among")
    parser.add_argument("--record", action="store_true", help="write the recorded answers again")
    chosen = parser.parse_args()
    if chosen.record:
        record(chosen.kubelet, seed=chosen.seed, count=chosen.cases)
        return 0
    unlike = compare_side_by_side(
        chosen.kubelet, seed=chosen.seed, count=chosen.cases, jobs=chosen.jobs
    )
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
