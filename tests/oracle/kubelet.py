"""Build the oracle and ask it."""

import functools
import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from podwire.peers.kubelet_topology import Span
from tests.oracle.cases import Case

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "podwire-kube"

_BUILDS = {
    "1.37.2": ((), Span.NODES_WITH_DEVICES),
    "1.35.2": (("-modfile=go135.mod", "-tags=kube135"), Span.EVERY_NODE),
}
VERSIONS = tuple(_BUILDS)


def span_of(version: str) -> Span:
    return _BUILDS[version][1]


@functools.cache
def build(version: str) -> Path:
    """Build the oracle; Go does nothing when it is up to date."""
    target = CACHE / f"oracle-{version}"
    flags, _ = _BUILDS[version]
    command = ["nice", "-n", "10", "go", "build", "-buildvcs=false", *flags, "-o", str(target), "."]
    subprocess.run(command, cwd=HERE, check=True)  # noqa: S603 - our own arguments
    return target


def answers(version: str, asked: Iterable[Case]) -> Iterator[tuple[Case, Case]]:
    """Pair cases with kubelet's answers."""
    every = list(asked)
    lines = "".join(json.dumps(case) + "\n" for case in every)
    done = subprocess.run(  # noqa: S603 - our own program
        [build(version)], input=lines, text=True, stdout=subprocess.PIPE, check=True
    )
    for case, line in zip(every, done.stdout.splitlines(), strict=True):
        yield case, json.loads(line)
