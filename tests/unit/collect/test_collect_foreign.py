"""What podwire does not read, and what it must not take for something else."""

import json
from typing import Any

import pytest
from tests.fakes.collected import facts_of, facts_of_file

from podwire.collect import manifests
from podwire.collect.kinds import kind_of_file

TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "images.example.com/a:1"}]}}


def an_object(kind: str, version: str, **spec: object) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "train"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


VOLCANO = an_object("Job", "batch.volcano.sh/v1alpha1", tasks=[{"template": TEMPLATE}])
BATCH = an_object("Job", "batch/v1", template=TEMPLATE)
RAY = an_object("RayJob", "ray.io/v1", rayClusterSpec={"headGroupSpec": {"template": TEMPLATE}})
SERVICE = an_object("Service", "v1", ports=[{"port": 80}])


def dump(*items: object) -> str:
    return json.dumps({"kind": "List", "metadata": {"resourceVersion": ""}, "items": items})


@pytest.fixture(params=["tree", "bytes"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "bytes":
        monkeypatch.setattr(manifests, "_WRITTEN_BY_HAND", 0)


def test_what_makes_pods_and_is_not_read_is_counted_by_kind() -> None:
    facts = facts_of_file(dump(RAY, VOLCANO, SERVICE, RAY, BATCH))
    assert facts.looked_at.foreign == (("RayJob.ray.io", 2), ("Job.batch.volcano.sh", 1))
    assert facts.looked_at.objects == 5
    assert facts.faults == ()


def test_a_job_of_another_group_is_no_job() -> None:
    facts = facts_of_file(dump(VOLCANO))
    assert facts.workloads["Job"].items == ()
    assert not facts.workloads["Job"].is_complete("train")
    assert len(facts_of_file(dump(BATCH)).workloads["Job"].items) == 1


@pytest.mark.parametrize("given", [VOLCANO, {**VOLCANO, "status": None, "metadata": None}])
def test_one_alone_is_none_either(given: dict[str, Any]) -> None:
    facts = facts_of_file(json.dumps(given))
    assert facts.workloads["Job"].items == ()
    assert facts.looked_at.foreign == (("Job.batch.volcano.sh", 1),)


def test_a_job_without_a_version_is_taken_for_one() -> None:
    given = {key: value for key, value in BATCH.items() if key != "apiVersion"}
    assert len(facts_of_file(json.dumps(given)).workloads["Job"].items) == 1


def test_a_file_of_another_groups_jobs_lists_no_jobs() -> None:
    assert kind_of_file("jobs.batch.volcano.sh") is None
    assert kind_of_file("jobs.batch") == kind_of_file("jobs.v1.batch") == "Job"
    assert not facts_of({"cluster/jobs.batch.volcano.sh.json": dump()}).workloads["Job"].is_whole


def test_a_revision_of_what_is_in_sight_is_not_counted() -> None:
    revision = {"kind": "ControllerRevision", "data": {"spec": {"template": TEMPLATE}}}
    assert facts_of_file(dump(revision)).looked_at.foreign == ()
