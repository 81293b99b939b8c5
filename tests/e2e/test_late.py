"""What was begun before all other tests has come to its end."""

import time
from collections.abc import Callable

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.early import COUNTS, GRACE_S, Comparison, GonePlugin

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("version", COUNTS)
def test_the_model_equals_kubelet_in_generated_cases(
    version: str, early_oracle: dict[str, Comparison], remark: Callable[[str], None]
) -> None:
    status, said = early_oracle[version].result()
    assert status == 0, said
    remark(said.splitlines()[-1])


def test_a_resource_is_gone_five_minutes_after_its_plugin(
    cluster: Cluster, early_gone: GonePlugin
) -> None:
    left = early_gone.ended_at + GRACE_S + 30 - time.monotonic()
    cluster.node.await_amounts(
        early_gone.resource, capacity=0, allocatable=0, within_s=max(left, 10)
    )
    assert cluster.fates()[early_gone.holder].end == "runs"
