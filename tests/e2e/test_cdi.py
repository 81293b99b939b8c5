"""What a container gets that asks containerd for CDI devices, and what podwire says it gets."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Origin
from podwire.peers.cdi import NEWEST, Registry, registry
from tests.e2e.cdi_specs import QUESTIONS, Question
from tests.e2e.cluster import Cluster, Fate, namespace_of
from tests.e2e.device_plugin.pools import Device, offered
from tests.e2e.scenarios import pod
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

NAMESPACE = "cdi"


@pytest.fixture(scope="module")
def known(cluster: Cluster) -> Iterator[Registry]:
    """Put every spec into the node's folder, and read them as podwire does."""
    folder = cluster.node.folder / "cdi"
    texts = {name: text for question in QUESTIONS for name, text in question.texts.items()}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    files = {
        f"{folder}/{name}".removeprefix("/"): TextFile(
            document=Document(name=name, origin=Origin.NODE, owner=cluster.node.name), text=text
        )
        for name, text in texts.items()
    }
    yield registry(files, spec_dirs=(str(folder),), library=NEWEST)
    for name in texts:
        (folder / name).unlink()


@pytest.fixture(scope="module")
def fates(cluster: Cluster, known: Registry) -> Iterator[dict[str, Fate]]:
    """Have a pod ask for the names of each question, and wait until all are settled."""
    assert known.devices
    pools = {_resource(each): _devices(each) for each in QUESTIONS}
    with contextlib.ExitStack() as stack:
        stack.enter_context(offered(cluster.node, pools))
        for question in QUESTIONS:
            count = len(question.wants)
            cluster.node.await_amounts(_resource(question), capacity=count, allocatable=count)
        cluster.apply([namespace_of(NAMESPACE)])
        cluster.apply(
            pod(
                question.name,
                None,
                namespace=NAMESPACE,
                resource=_resource(question),
                count=len(question.wants),
            )
            for question in QUESTIONS
        )
        yield wait_for(
            "every pod to run or to fail",
            cluster.fates,
            holds=lambda now: all(
                (fate := now.get(f"{NAMESPACE}/{each.name}")) is not None
                and fate.end in {"runs", "no container"}
                for each in QUESTIONS
            ),
            within_s=180,
        )


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.name)
def test_a_container_starts_where_all_its_names_resolve(
    question: Question, known: Registry, fates: dict[str, Fate]
) -> None:
    fate = fates[f"{NAMESPACE}/{question.name}"]
    resolution = known.resolve(question.names)
    if not resolution.unresolved:
        assert fate.end == "runs"
        return
    assert fate.end == "no container"
    # kubelet hands over a set of devices, in any order.
    orders = {known.resolve(names).sentence for names in (question.names, question.names[::-1])}
    said = [
        warning
        for warning in fate.warnings
        for order in orders
        if warning.endswith(f"CDI device injection failed: {order}")
    ]
    assert said, fate.warnings


def test_containerd_logs_the_sentence_of_every_spec_that_it_refuses(
    cluster: Cluster, known: Registry, fates: dict[str, Fate]
) -> None:
    log = Path(cluster.folder / f"log/containerd-{cluster.node.name}.log").read_text()
    assert fates
    exact = [fault for fault in known.faults.values() if fault.is_exact]
    unsaid = [fault.sentence for fault in exact if json.dumps(fault.sentence)[1:-1] not in log]
    assert len(exact) > 5
    assert unsaid == []


def _resource(question: Question) -> str:
    return f"cdi.example.com/{question.name}"


def _devices(question: Question) -> tuple[Device, ...]:
    return tuple(Device(f"{question.name}-{n}", cdi=name) for n, name in enumerate(question.names))
