"""The templates of one workload: what tells them apart, and how many pods each is for."""

import pytest
from tests.pictures import picture
from tests.wire_manifests import document, pytorch_job, role

from podwire.facts.workloads import PodView
from podwire.model.names import Ref

TEMPLATE = {"template": {"spec": {"containers": [{"name": "t"}]}}}


def views(manifest: str) -> tuple[PodView, ...]:
    return picture(manifest).templates


@pytest.mark.parametrize(
    ("kind", "spec", "roles"),
    [
        (
            "MPIJob",
            {"mpiReplicaSpecs": {"Launcher": TEMPLATE, "Worker": TEMPLATE}},
            "Launcher Worker",
        ),
        (
            "RayCluster",
            {
                "headGroupSpec": TEMPLATE,
                "workerGroupSpecs": [{"groupName": "big", **TEMPLATE}, TEMPLATE],
            },
            "head big 1",
        ),
        (
            "JobSet",
            {"replicatedJobs": [{"name": "driver", "template": {"spec": TEMPLATE}}]},
            "driver",
        ),
        (
            "LeaderWorkerSet",
            {
                "leaderWorkerTemplate": {
                    "leaderTemplate": TEMPLATE["template"],
                    "workerTemplate": TEMPLATE["template"],
                }
            },
            "leader worker",
        ),
    ],
)
def test_a_template_has_the_role_that_its_workload_gives_it(
    kind: str, spec: dict[str, object], roles: str
) -> None:
    found = views(document(kind, {"name": "w", "namespace": "train"}, spec=spec))
    assert [view.role for view in found] == roles.split()


def test_the_only_template_of_a_workload_has_no_role() -> None:
    (view,) = views(document("Job", {"name": "w", "namespace": "train"}, spec=TEMPLATE))
    assert (view.role, str(view), view.ref) == ("", "Job train/w", view.of.ref)


def test_a_role_is_written_and_is_a_part_of_the_workload() -> None:
    master, worker = views(pytorch_job(Master=role(), Worker=role(replicas=3)))
    assert (str(master), worker.full_name) == ("PyTorchJob train/pt (Master)", "train/pt (Worker)")
    assert master.ref != worker.ref
    assert master.ref.whole == worker.ref.whole == master.of.ref
    assert (master.replicas, worker.replicas) == (1, 3)


def test_a_role_covers_what_is_in_it_and_nothing_of_another() -> None:
    whole = Ref(kind="PyTorchJob", name="pt", namespace="train")
    worker = whole.at("Worker")
    assert worker.covers(worker.at("example.com/ib_vf"))
    assert whole.covers(worker)
    assert not worker.covers(whole.at("Master").at("example.com/ib_vf"))
    assert not worker.covers(whole.at("Workers"))
    assert not worker.covers(whole)


def test_containers_come_with_their_paths_and_say_which_end_early() -> None:
    spec = {
        "containers": [{"name": "t"}],
        "initContainers": [{"name": "setup"}, {"name": "proxy", "restartPolicy": "Always"}],
    }
    (view,) = picture(document("Pod", {"name": "w", "namespace": "train"}, spec=spec)).pods
    found = [(c.container.name, c.path, c.is_early) for c in view.containers()]
    assert found == [
        ("t", ("spec", "containers", 0), False),
        ("setup", ("spec", "initContainers", 0), True),
        ("proxy", ("spec", "initContainers", 1), False),
    ]


def test_the_controller_is_the_owner_that_made_it() -> None:
    owners = [{"kind": "Node", "name": "a"}, {"kind": "Job", "name": "j", "controller": True}]
    metadata = {"name": "w", "namespace": "train", "ownerReferences": owners}
    (view,) = picture(document("Pod", metadata, spec={})).pods
    controller = view.metadata.controller
    assert controller is not None
    assert controller.name == "j"
    (bare,) = picture(document("Pod", {"name": "w", "namespace": "train"}, spec={})).pods
    assert bare.metadata.controller is None
