"""podwire's model of the CDI cache, beside the library itself in each version."""

import itertools
import shutil

import pytest

from tests.oracle.cdi.cases import cases
from tests.oracle.cdi.library import VERSIONS, answers, library_of
from tests.oracle.cdi.replay import differences

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("go") is None, reason="Go is missing"),
]

_CASES = 2_000


@pytest.mark.parametrize("version", VERSIONS)
def test_the_model_answers_as_the_library_does(version: str) -> None:
    asked = itertools.islice(cases(seed=1), _CASES)

    unlike = [
        (case, found)
        for case, answer in answers(version, asked)
        if (found := differences(case, answer, library=library_of(version)))
    ]

    assert unlike == []
