"""NVIDIA's own container runtime on generated rows: podwire says what it does, word for word."""

import pytest

from tests.oracle.toolkit.__main__ import answers
from tests.oracle.toolkit.programs import VERSIONS
from tests.oracle.toolkit.replay import differences
from tests.oracle.toolkit.rows import rows
from tests.oracle.toolkit.running import needs

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(needs() is not None, reason=f"missing: {needs()}"),
]

COUNT = 600


@pytest.mark.parametrize("version", VERSIONS)
def test_every_row_comes_out_as_the_model_says(version: str) -> None:
    unlike = [
        (row, answer, found)
        for row, answer in answers(version, list(rows(seed=1, count=COUNT)))
        if (found := differences(version, row, answer))
    ]

    assert unlike == []
