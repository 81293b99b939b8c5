"""From a pod up to the workload that somebody wrote."""

import pytest
from tests.pictures import picture

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: w
  namespace: train
  labels: {LABELS}
  ownerReferences: [{kind: KIND, name: NAME, controller: true}]
"""
CRON_JOB = "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, namespace: train}}"
DEPLOYMENT = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: train}}"


def root(kind: str, name: str, *, labels: str = "") -> str:
    pod = POD.replace("KIND", kind).replace("NAME", name).replace("LABELS", labels)
    made = picture("---\n".join((pod, f"{CRON_JOB}\n", f"{DEPLOYMENT}\n")))
    return str(made.root(made.pods[0]))


@pytest.mark.parametrize(
    ("kind", "name", "want"),
    [
        ("Job", "c-29000000", "CronJob train/c"),
        ("Job", "c-manual", "Job train/c-manual"),
        ("Job", "other-29000000", "Job train/other-29000000"),
        ("ReplicaSet", "d-5f6b7", "Deployment train/d"),
        ("ReplicaSet", "other-5f6b7", "ReplicaSet train/other-5f6b7"),
        ("StatefulSet", "d-1", "StatefulSet train/d-1"),
    ],
)
def test_what_is_not_in_sight_tells_its_maker_by_name(kind: str, name: str, want: str) -> None:
    assert root(kind, name) == want


def test_the_hash_of_a_pod_tells_a_deployment_that_is_not_in_sight() -> None:
    want = "Deployment train/other"
    assert root("ReplicaSet", "other-5f6b7", labels="pod-template-hash: 5f6b7") == want


def test_owners_in_a_circle_come_to_an_end() -> None:
    made_by = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: NAME, namespace: train, "
    made_by += "ownerReferences: [{kind: Deployment, name: OWNER, controller: true}]}}\n"
    circle = [
        made_by.replace("NAME", name).replace("OWNER", owner) for name, owner in ("ab", "bc", "ca")
    ]
    pod = POD.replace("KIND", "Deployment").replace("NAME", "a").replace("LABELS", "")
    made = picture("---\n".join((pod, *circle)))
    assert made.root(made.pods[0]).kind == "Deployment"
    assert list(made.annotations(made.pods[0].ref, "podwire.io/ignore")) == []
