"""Build the CDI library's oracle in each version, and ask it."""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from podwire.peers.cdi import LIBRARIES, Library
from tests.oracle.cdi.cases import Case
from tests.oracle.kubelet import CACHE

HERE = Path(__file__).parent

_BUILDS: dict[str, tuple[str, str]] = {
    "0.7.0": ("go070.mod", "0.7"),
    "0.8.1": ("go081.mod", "0.8"),
    "1.0.1": ("go101.mod", "1.0"),
    "1.1.0": ("go110.mod", "1.1.0"),
    "1.1.1": ("go.mod", "1.1.1"),
    "1.1.2": ("go112.mod", "1.1.2"),
}
VERSIONS = tuple(_BUILDS)


def library_of(version: str) -> Library:
    return LIBRARIES[_BUILDS[version][1]]


def build(version: str) -> Path:
    """Build the oracle; Go does nothing when it is up to date."""
    target = CACHE / f"cdi-oracle-{version}"
    flags = f"-modfile={_BUILDS[version][0]}"
    command = ["nice", "-n", "10", "go", "build", "-buildvcs=false", flags, "-o", str(target), "."]
    environment = {**os.environ, "GOFLAGS": "-mod=readonly"}
    subprocess.run(command, cwd=HERE, check=True, env=environment)  # noqa: S603 - our own arguments
    return target


def answers(version: str, asked: Iterable[Case]) -> Iterator[tuple[Case, Case]]:
    """Pair cases with the library's answers."""
    every = list(asked)
    lines = "".join(json.dumps(case) + "\n" for case in every)
    done = subprocess.run(  # noqa: S603 - our own program
        [build(version)], input=lines, text=True, stdout=subprocess.PIPE, check=True
    )
    for case, line in zip(every, done.stdout.splitlines(), strict=True):
        yield case, json.loads(line)
