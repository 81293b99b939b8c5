"""podwire's reading of containerd's configuration, beside containerd's own."""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.programs import KUBE, run
from tests.oracle.runtime_config.cases import Case, cases
from tests.oracle.runtime_config.containerd import (
    OLD_VERSION,
    VERSION,
    answer,
    build_old,
    old_answer,
)
from tests.oracle.runtime_config.replay import differences

pytestmark = pytest.mark.e2e

_CASES = 300


def test_the_model_reads_what_containerd_2_starts_with() -> None:
    containerd = Path(run(str(KUBE / "build.sh")).strip()) / "containerd"
    assert unlike(lambda case: answer(case, program=containerd), version=VERSION) == []


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is missing")
def test_the_model_reads_what_containerd_1_7_starts_with() -> None:
    program = build_old()
    assert unlike(lambda case: old_answer(case, program=program), version=OLD_VERSION) == []


def unlike(ask: Callable[[Case], Case], *, version: str) -> list[tuple[Case, list[str]]]:
    return [
        (case, found)
        for case in itertools.islice(cases(seed=2), _CASES)
        if (found := differences(case, ask(case), version=version))
    ]
