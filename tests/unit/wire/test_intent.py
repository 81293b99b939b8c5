"""What shows that a container means to use RDMA."""

import pytest
from tests.pictures import items, picture

from podwire.wire.containers.intent import by_intent, rdma_intent
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: w
  namespace: train
spec:
  containers:
  - name: plain
    image: images.example.com/storage:1
    resources: {{limits: {{example.com/ib_vf: 1}}}}
  - name: main
    image: images.example.com/trainer:1
    resources: {{limits: {{example.com/ib_vf: 1{more}}}}}
    {extra}
"""


def of(made: Picture, name: str = "main") -> PodContainer:
    return next(c for c in made.containers if c.container.name == name)


@pytest.mark.parametrize(
    ("extra", "shows"),
    [
        ("securityContext: {capabilities: {add: [IPC_LOCK]}}", "IPC_LOCK"),
        ("env: [{name: NCCL_DEBUG, value: INFO}]", "NCCL_DEBUG"),
        ("env: [{name: UCX_TLS, value: rc}]", "UCX_TLS"),
        ("command: [mpirun, -np, '8', ./train]", "mpirun"),
        ("args: ['-c', 'exec ib_write_bw -d mlx5_0']", "ib_write_bw"),
    ],
)
def test_what_a_container_is_given_or_runs_shows_it(extra: str, shows: str) -> None:
    made = picture(POD.format(more="", extra=extra))
    found = rdma_intent(of(made), made)
    assert found is not None
    assert found.value == shows


def test_gpus_show_it() -> None:
    made = picture(POD.format(more=", nvidia.com/gpu: 8", extra=""))
    found = rdma_intent(of(made), made)
    assert found is not None
    assert found.value == "nvidia.com/gpu"


@pytest.mark.parametrize(
    "extra",
    ["", "env: [{name: MPICHAEL, value: x}]", "command: [rsync, --bwlimit=1]", "args: [mpirunner]"],
)
def test_a_container_that_only_talks_ip_shows_nothing(extra: str) -> None:
    made = picture(POD.format(more="", extra=extra))
    assert rdma_intent(of(made), made) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dev-infiniband.txt", "ls: cannot access '/dev/infiniband': No such file or directory\n"),
        ("nccl.log", "w:37:84 [0] NCCL INFO Using network Socket\n"),
    ],
)
def test_that_somebody_looked_shows_it(name: str, text: str) -> None:
    pod = items(POD.format(more="", extra=""))
    del pod[0]["spec"]["containers"][0]
    made = picture(cluster={"pods": pod}, files={f"pods/train.w/{name}": text})
    found = rdma_intent(of(made), made)
    assert found is not None
    assert found.place.document.name.endswith(name)


def test_those_that_mean_it_come_first() -> None:
    made = picture(POD.format(more="", extra="env: [{name: NCCL_DEBUG, value: INFO}]"))
    containers, shows = by_intent((of(made, "plain"), of(made)), made)
    assert [each.container.name for each in containers] == ["main", "plain"]
    assert shows is not None
    assert by_intent((), made) == ((), None)
