"""Which pods kubelet's Topology Manager admits, and what it says of those that it does not."""

import pytest
from tests.unit.peers.kubelet_topology_machines import (
    BEST_EFFORT,
    GPU,
    RAIL_0,
    RAIL_1,
    RESTRICTED,
    SINGLE,
    VF,
    asks,
    devices,
    two_sockets,
)

from podwire.model.evidence import Known, Unknown
from podwire.peers.kubelet_topology import (
    Blocker,
    Device,
    Hint,
    Machine,
    Scope,
    Setup,
    admit,
)

NO = Known(value=False)
YES = Known(value=True)


def test_a_pod_that_fits_one_socket_is_admitted_there() -> None:
    verdict = admit(two_sockets(), [asks(gpu=4, vf=4)], SINGLE)

    assert verdict.admitted == YES
    assert verdict.steps[0].merged.nodes == (0,)
    assert verdict.blockers == ()


def test_eight_gpus_never_fit_one_of_two_sockets() -> None:
    verdict = admit(two_sockets(), [asks(gpu=8, vf=1)], SINGLE)

    assert verdict.admitted == NO
    assert verdict.is_never
    assert verdict.blockers == (Blocker(resource=GPU, why="too wide"),)
    (rejection,) = verdict.rejections
    assert rejection.reason == "TopologyAffinityError"
    assert rejection.message == "Resources cannot be allocated with Topology locality"


def test_eight_gpus_and_one_vf_stand_apart_under_restricted() -> None:
    verdict = admit(two_sockets(), [asks(gpu=8, vf=1)], RESTRICTED)

    assert verdict.is_never
    assert [b.why for b in verdict.blockers] == ["apart", "apart"]
    assert {b.resource for b in verdict.blockers} == {GPU, VF}


@pytest.mark.parametrize(("per_socket", "admitted"), [(32, NO), (4, YES)])
def test_eight_vfs_go_with_eight_gpus_only_if_they_need_both_sockets(
    per_socket: int, admitted: Known[bool]
) -> None:
    verdict = admit(two_sockets(per_socket), [asks(gpu=8, vf=8)], RESTRICTED)

    assert verdict.admitted == admitted


def test_best_effort_admits_the_whole_node() -> None:
    assert admit(two_sockets(), [asks(gpu=8, vf=1)], BEST_EFFORT).admitted == YES


def test_rails_on_both_sockets_have_no_node_in_common() -> None:
    machine = two_sockets(rail_0=devices("a", 0, 0), rail_1=devices("b", 1, 1))

    verdict = admit(machine, [asks(rail_0=1, rail_1=1)], RESTRICTED)

    assert verdict.is_never
    assert {b.resource for b in verdict.blockers} == {RAIL_0, RAIL_1}


def test_a_pool_without_topology_does_not_care() -> None:
    machine = two_sockets(rail_0=devices("a", 0, 0), rail_1=devices("b", None, None))

    verdict = admit(machine, [asks(rail_0=1, rail_1=1)], SINGLE)

    assert verdict.admitted == YES
    assert dict(verdict.steps[0].hints)[RAIL_1] is None


def test_a_socket_that_is_taken_is_not_now() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 1, 0, 1, held=1))

    verdict = admit(machine, [asks(gpu=2), asks("second", gpu=1)], SINGLE)

    assert verdict.steps[0].merged.nodes == (1,)
    assert verdict.admitted == YES
    full = admit(machine, [asks(gpu=2), asks("second", gpu=2)], SINGLE)
    assert full.admitted == NO
    assert not full.is_never
    assert full.steps[-1].container == "second"
    assert full.blockers == (Blocker(resource=GPU, why="too few"),)


def test_preferred_counts_devices_that_are_ill_or_held() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 0, 1, 1, held=1, ill=0))
    machine_ill = two_sockets(gpu=devices("gpu", 0, 1, 0, 1, held=1, ill=1))

    verdict = admit(machine_ill, [asks(gpu=2)], RESTRICTED)

    assert dict(verdict.steps[0].hints)[GPU] == (Hint(mask=3, preferred=False),)
    assert verdict.admitted == NO
    assert not verdict.is_never
    assert verdict.blockers == (Blocker(resource=GPU, why="too wide"),)
    assert admit(machine, [asks(gpu=2)], RESTRICTED).steps[0].merged.nodes == (1,)


def test_too_few_devices_anywhere_is_an_empty_list() -> None:
    verdict = admit(two_sockets(), [asks(gpu=9)], RESTRICTED)

    assert dict(verdict.steps[0].hints)[GPU] == ()
    assert verdict.blockers == (Blocker(resource=GPU, why="too few"),)


def test_best_effort_lets_a_pod_through_that_devices_are_missing_for() -> None:
    verdict = admit(two_sockets(), [asks(gpu=9)], BEST_EFFORT)

    assert [(r.reason, r.message) for r in verdict.rejections] == [
        (
            "UnexpectedAdmissionError",
            (
                "Allocate failed due to requested number of devices unavailable for "
                "nvidia.com/gpu. Requested: 9, Available: 8, which is unexpected"
            ),
        )
    ]


def test_a_pool_of_ill_devices_is_an_error_whatever_is_asked() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 1, ill=2))

    (rejection,) = admit(machine, [asks(gpu=0)], Setup()).rejections

    assert rejection.message.startswith("Allocate failed due to no healthy devices present;")


def test_a_resource_that_nobody_registered_is_passed_over() -> None:
    verdict = admit(two_sockets(), [asks(gpu=1, rail_0=1)], SINGLE)

    assert [name for name, _ in verdict.steps[0].hints] == [GPU]


def test_an_init_container_s_devices_are_taken_over() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 1, 1))
    pod = [asks("prepare", kind="init", gpu=1), asks(gpu=1)]

    verdict = admit(machine, pod, SINGLE)

    assert dict(verdict.steps[1].hints)[GPU] == (
        Hint(mask=1, preferred=True),
        Hint(mask=3, preferred=False),
    )


def test_a_sidecar_keeps_its_devices() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 0))

    verdict = admit(machine, [asks("proxy", kind="sidecar", gpu=1), asks(gpu=2)], SINGLE)

    assert verdict.is_never


@pytest.mark.parametrize(("scope", "admitted"), [("container", YES), ("pod", NO)])
def test_the_scope_pod_sums_containers_up(scope: Scope, admitted: Known[bool]) -> None:
    pod = [asks(gpu=4), asks("second", gpu=4)]

    verdict = admit(two_sockets(), pod, Setup(policy="single-numa-node", scope=scope))

    assert verdict.admitted == admitted


def test_which_of_like_devices_are_given_may_decide() -> None:
    both = (Device(id="wide", numa=frozenset({0, 1})), *devices("gpu", 0))
    machine = two_sockets(gpu=both, rail_1=devices("b", 1))

    verdict = admit(machine, [asks(gpu=1), asks("second", gpu=1, rail_1=1)], SINGLE)

    assert isinstance(verdict.admitted, Unknown)
    assert "container second" in verdict.admitted.reason
    assert verdict.sure_steps == 1


@pytest.fixture
def eight_nodes() -> Machine:
    nodes = tuple(range(8))
    listed = {GPU: devices("gpu", *nodes * 8), VF: devices("vf", *nodes * 8)}
    return Machine(numa=nodes, devices=listed)


def test_too_many_ways_are_not_gone_through(eight_nodes: Machine) -> None:
    verdict = admit(eight_nodes, [asks(gpu=33, vf=33), asks("second", gpu=1, vf=1)], RESTRICTED)

    assert isinstance(verdict.admitted, Unknown)
    assert "2000 ways" in verdict.admitted.reason


@pytest.mark.parametrize(("more", "admitted"), [(31, YES), (32, NO)])
def test_many_ways_do_not_matter_where_numbers_decide(
    eight_nodes: Machine, more: int, admitted: Known[bool]
) -> None:
    verdict = admit(eight_nodes, [asks(gpu=33, vf=33), asks("second", gpu=more, vf=1)], BEST_EFFORT)

    assert verdict.admitted == admitted
    assert verdict.sure_steps == 1
