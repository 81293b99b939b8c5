"""Networks annotations that nobody reads, whom they were meant for, and who was handled."""

import pytest
from tests.pictures import items, picture
from tests.wire_manifests import document, nad, pod, pytorch_job, role

from podwire.facts.workloads import PodView
from podwire.wire.networks.annotations import for_whom, misplaced, misspelt, unseen_mutators
from podwire.wire.networks.handled import node_pods

NETWORKS = "k8s.v1.cni.cncf.io/networks"
TEMPLATE = {"spec": {"containers": [{"name": "t", "resources": {"limits": {"a.example/vf": 1}}}]}}


def deployment(**metadata: object) -> str:
    return document(
        "Deployment",
        {"name": "d", "namespace": "train", **metadata},
        apiVersion="apps/v1",
        spec={"template": TEMPLATE},
    )


def test_an_annotation_of_the_workload_is_found_with_its_templates() -> None:
    made = picture(deployment(annotations={NETWORKS: "ib-net"}))
    (found,) = misplaced(made)
    assert (found.where, found.value) == ("on the Deployment itself", "ib-net")
    assert [str(p) for p in for_whom(found, made)] == ["Deployment train/d"]


def test_an_annotation_beside_a_template_is_meant_for_that_role() -> None:
    worker = {**role(count=1), "metadata": {"annotations": {NETWORKS: "ib-net"}}}
    made = picture(pytorch_job(Master=role(count=1), Worker=worker))
    (found,) = misplaced(made)
    assert found.where == "on Worker"
    assert [p.full_name for p in for_whom(found, made)] == ["train/pt (Worker)"]


def test_an_annotation_among_the_labels_is_found() -> None:
    labelled = document("Pod", {"name": "w", "namespace": "train", "labels": {NETWORKS: "n"}})
    (found,) = misplaced(picture(labelled))
    assert found.where == "among the labels"


def test_an_annotation_of_a_pod_is_where_it_belongs() -> None:
    made = picture(pod(networks="ib-net"))
    assert (misplaced(made), misspelt(made)) == ((), ())


@pytest.mark.parametrize("key", ["k8s.v1.cni.cncf.io/network", "k8s.v1.cni.cncf.io/Networks"])
def test_a_misspelt_key_is_found_where_the_right_one_is_not(key: str) -> None:
    (found,) = misspelt(picture(pod(annotations={key: "ib-net"})))
    assert (found.key, found.value) == (key, "ib-net")
    assert misspelt(picture(pod(networks="ib-net", annotations={key: "ib-net"}))) == ()


def test_webhooks_that_were_not_listed_are_assumed_to_add_nothing() -> None:
    assert unseen(pod()) == ("no webhook adds networks to pods (the webhooks were not listed)",)
    assert unseen(pod(), listed=True) == ()
    assert unseen(pod(status={"phase": "Pending"})) == ()  # It has been through them.


def unseen(manifest: str, *, listed: bool = False) -> tuple[str, ...]:
    cluster = {"mutatingwebhookconfigurations": items("")} if listed else {}
    made = picture(manifest, cluster=cluster)
    view: PodView = made.pods[0]
    return unseen_mutators(view, made)


def test_running_pods_are_told_apart_by_network_status() -> None:
    status = {"k8s.v1.cni.cncf.io/network-status": "[]"}
    made = picture(
        nad()
        + pod("handled", networks="ib-net", annotations=status, node="gpu-a")
        + pod("passed-over", networks="ib-net", node="gpu-a")
        + pod("no-network", limits={"a.example/vf": 1}, node="gpu-a")
        + pod("pending", networks="ib-net", status={"phase": "Pending"})
    )
    (node,) = node_pods(made)
    assert [p.ref.name for p in node.handled] == ["handled"]
    assert [p.ref.name for p in node.passed_over] == ["passed-over"]
