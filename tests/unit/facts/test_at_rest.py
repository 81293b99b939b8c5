"""Workloads that make no more pods: they ended, or somebody parked them."""

import msgspec
import pytest

from podwire.facts.workloads import CronJob, Deployment, Job, PyTorchJob, ReplicaSet, Workload


def condition(kind: str, status: str = "True") -> dict[str, object]:
    return {"status": {"conditions": [{"type": kind, "status": status}]}}


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Job, condition("Complete")),
        (Job, condition("Failed")),
        (PyTorchJob, condition("Succeeded")),
        (ReplicaSet, {"spec": {"replicas": 0}}),
        (Deployment, {"spec": {"replicas": 0}}),
        (CronJob, {"spec": {"suspend": True}}),
    ],
)
def test_no_pods_are_to_come(kind: type[Workload], fields: dict[str, object]) -> None:
    assert msgspec.convert({"kind": kind.__name__, **fields}, kind).is_at_rest


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Job, {}),
        (Job, condition("Complete", "False")),
        (Job, condition("Suspended")),
        (Job, {"spec": {"suspend": True}}),  # by a queue, which starts it later
        (Deployment, condition("Available")),
        (Deployment, {"spec": {"replicas": 1}}),
        (CronJob, {"spec": {"suspend": False}}),
    ],
)
def test_pods_may_come(kind: type[Workload], fields: dict[str, object]) -> None:
    assert not msgspec.convert({"kind": kind.__name__, **fields}, kind).is_at_rest
