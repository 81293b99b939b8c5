"""How near to one another devices are: what is sure, and what chance may part."""

import pytest
from tests.unit.peers.kubelet_topology_machines import GPU, VF, asks, devices, two_sockets

from podwire.peers.kubelet_topology import (
    CPU,
    Device,
    Machine,
    Policy,
    Request,
    Scope,
    Setup,
    admit,
    shape_of,
)
from podwire.wire.numa.aligning import Aligned, aligned_containers, aligned_pod


def aligned(
    machine: Machine, *pod: Request, policy: Policy, scope: Scope = "container"
) -> tuple[Aligned, Aligned]:
    verdict = admit(machine, pod, Setup(policy=policy, scope=scope))
    shape = shape_of(machine, [CPU, GPU, VF])
    return aligned_containers(verdict, shape, pod), aligned_pod(verdict, shape, pod)


@pytest.mark.parametrize(
    ("policy", "sure"),
    [("none", 0), ("best-effort", 1), ("restricted", 1), ("single-numa-node", 1)],
)
def test_every_policy_but_none_aligns_what_fits_one_node(policy: Policy, sure: int) -> None:
    containers, pods = aligned(two_sockets(), asks(gpu=2, vf=1), policy=policy)
    assert (containers, pods) == (Aligned(sure=sure, of=1), Aligned(sure=sure, of=1))


def test_what_takes_both_nodes_is_aligned_on_both() -> None:
    containers, _ = aligned(two_sockets(), asks(gpu=8, vf=1), policy="none")
    assert containers == Aligned(sure=1, of=1)


def test_a_pod_is_aligned_where_all_of_it_is_on_as_few_nodes_as_can_be() -> None:
    machine = Machine(numa=(0, 1), devices={GPU: devices("gpu", 0, 0, 1, 1)})
    pod = (asks("a", gpu=1), asks("b", gpu=1), asks("c", gpu=1))
    containers, whole = aligned(machine, *pod, policy="single-numa-node")
    assert (containers.sure, whole) == (3, Aligned(sure=1, of=1))
    fewer, one_node = aligned(machine, *pod[:2], policy="single-numa-node")
    assert (fewer.sure, one_node) == (2, Aligned(sure=1, of=1))


def test_a_container_of_which_nobody_knows_where_it_goes_is_not_surely_aligned() -> None:
    pod = (asks("a", gpu=4), asks("b", gpu=4))
    containers, whole = aligned(two_sockets(), *pod, policy="best-effort", scope="pod")
    assert (containers, whole) == (Aligned(sure=0, of=2), Aligned(sure=0, of=1))


def test_devices_without_topology_count_for_nothing() -> None:
    machine = Machine(numa=(0, 1), devices={VF: devices("vf", None, None)})
    assert aligned(machine, asks(vf=2), policy="restricted") == (Aligned(), Aligned())


def test_init_containers_are_containers_but_no_part_of_the_lasting_pod() -> None:
    pod = (asks("early", gpu=8, kind="init"), asks("late", gpu=4))
    containers, whole = aligned(two_sockets(), *pod, policy="restricted")
    assert containers.of == 2
    assert whole.of == 1


def test_cpus_that_take_both_nodes_do_not_make_devices_of_both_aligned() -> None:
    cpus = tuple(Device(id=str(n), numa=frozenset({n % 2})) for n in range(8))
    machine = Machine(numa=(0, 1), devices={CPU: cpus, GPU: devices("gpu", 0, 0, 1, 1)})
    pod = Request(container="main", wants=((CPU, 6), (GPU, 2)))
    fewer = Request(container="main", wants=((CPU, 3), (GPU, 2)))
    assert aligned(machine, pod, policy="best-effort")[0] == Aligned(sure=0, of=1)
    assert aligned(machine, fewer, policy="best-effort")[0] == Aligned(sure=1, of=1)


def test_counts_add_up() -> None:
    assert Aligned(sure=1, of=2) + Aligned(sure=0, of=1) == Aligned(sure=1, of=3)
