"""Which pods kubelet's Topology Manager admits, and what it says of those that it does not."""

import pytest

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.model.versions import Version, by_version
from podwire.peers.kubelet_topology import (
    SPANS,
    Blocker,
    Device,
    Hint,
    Kind,
    Machine,
    Options,
    Request,
    Scope,
    Setup,
    Span,
    admit,
    certain_devices,
    hints,
    read_setup,
    shape_of,
)

GPU = ResourceName.parse("nvidia.com/gpu")
VF = ResourceName.parse("ib.example/vf")
RAIL_0 = ResourceName.parse("ib.example/rail_0")
RAIL_1 = ResourceName.parse("ib.example/rail_1")
NO = Known(value=False)
YES = Known(value=True)
RESTRICTED = Setup(policy="restricted")
SINGLE = Setup(policy="single-numa-node")
BEST_EFFORT = Setup(policy="best-effort")


def devices(short: str, *nodes: int | None, held: int = 0, ill: int = 0) -> tuple[Device, ...]:
    """One device a node given; the first `held` of them are held, the next `ill` are ill."""
    return tuple(
        Device(
            id=f"{short}{i}",
            numa=frozenset() if n is None else frozenset({n}),
            owner="train/other" if i < held else None,
            is_healthy=not held <= i < held + ill,
        )
        for i, n in enumerate(nodes)
    )


def two_sockets(vfs_per_socket: int = 32, **pools: tuple[Device, ...]) -> Machine:
    vfs = devices("vf", *[0] * vfs_per_socket, *[1] * vfs_per_socket)
    every = {"gpu": devices("gpu", 0, 0, 0, 0, 1, 1, 1, 1), "vf": vfs} | pools
    names = {"gpu": GPU, "vf": VF, "rail_0": RAIL_0, "rail_1": RAIL_1}
    return Machine(numa=(0, 1), devices={names[n]: listed for n, listed in every.items()})


def asks(container: str = "main", *, kind: Kind = "app", **wants: int) -> Request:
    names = {"gpu": GPU, "vf": VF, "rail_0": RAIL_0, "rail_1": RAIL_1}
    return Request(
        container=container, kind=kind, wants=tuple((names[n], w) for n, w in wants.items())
    )


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


def test_devices_that_are_needed_all_are_certain() -> None:
    machine = two_sockets(gpu=devices("gpu", 0, 0, 1, 1, 1, held=1))

    verdict = admit(machine, [asks(gpu=3, vf=1)], SINGLE)

    assert certain_devices(machine, verdict) == {"main": {GPU: frozenset({"gpu2", "gpu3", "gpu4"})}}


def test_closest_nodes_need_the_distances() -> None:
    machine = Machine(numa=(0, 1, 2), devices={GPU: devices("gpu", 0, 1, 2)})
    closest = Setup(policy="restricted", options=Options(prefer_closest_numa_nodes=True))
    rows = {0: (10, 30, 20), 1: (30, 10, 20), 2: (20, 20, 10)}
    measured = Machine(numa=machine.numa, devices=machine.devices, distances=rows)

    unread = admit(machine, [asks(gpu=2)], closest)

    assert isinstance(unread.admitted, Unknown)
    assert "distance" in unread.admitted.give
    assert admit(measured, [asks(gpu=2)], closest).steps[0].merged.nodes == (0, 2)
    assert admit(measured, [asks(gpu=2)], RESTRICTED).steps[0].merged.nodes == (0, 1)


def test_gaps_in_node_numbers_break_the_distances() -> None:
    closest = Setup(policy="restricted", options=Options(prefer_closest_numa_nodes=True))
    rows = dict.fromkeys((0, 2, 5), (10, 20, 20))
    machine = Machine(numa=(0, 2, 5), devices={GPU: devices("gpu", 0, 2, 5)}, distances=rows)

    verdict = admit(machine, [asks(gpu=2)], closest)

    assert isinstance(verdict.admitted, Unknown)
    assert "gaps" in verdict.admitted.reason


def test_what_the_cpu_manager_hints_is_undecided_unless_devices_decide() -> None:
    unread = Unknown(reason="CPUs are pinned")
    pinned = Request(container="main", wants=((GPU, 1),), unread=unread)
    greedy = Request(container="main", wants=((GPU, 8),), unread=unread)

    assert admit(two_sockets(), [pinned], SINGLE).admitted == unread
    assert admit(two_sockets(), [greedy], SINGLE).admitted == NO
    assert admit(two_sockets(), [pinned], BEST_EFFORT).admitted == YES


def test_more_nodes_than_allowed_keep_kubelet_from_starting() -> None:
    machine = Machine(numa=tuple(range(9)), devices={})

    assert admit(machine, [], RESTRICTED).refused == (
        "unsupported on machines with more than 8 NUMA Nodes"
    )
    assert admit(machine, [], Setup()).refused == ""


def test_many_nodes_with_devices_are_too_many_masks() -> None:
    nodes = tuple(range(11))
    machine = Machine(numa=nodes, devices={GPU: devices("gpu", *nodes)})
    roomy = Setup(policy="restricted", options=Options(max_allowable_numa_nodes=16))

    assert isinstance(admit(machine, [asks(gpu=1)], roomy).admitted, Unknown)


def test_nodes_without_devices_cost_nothing() -> None:
    machine = Machine(numa=tuple(range(36)), devices={GPU: devices("gpu", 0, 18)})
    roomy = Setup(policy="restricted", options=Options(max_allowable_numa_nodes=36))

    assert admit(machine, [asks(gpu=2)], roomy).steps[0].merged.nodes == (0, 18)


def test_settings_are_read_as_kubelet_reads_them() -> None:
    options = {"prefer-closest-numa-nodes": "T", "max-allowable-numa-nodes": "12"}

    assert read_setup("restricted", "pod", options) == Setup(
        policy="restricted",
        scope="pod",
        options=Options(prefer_closest_numa_nodes=True, max_allowable_numa_nodes=12),
    )
    assert read_setup("none", "nonsense", {"nonsense": "x"}) == Setup()


@pytest.mark.parametrize(
    ("policy", "scope", "options", "text"),
    [
        ("strict", "pod", {}, 'unknown policy: "strict"'),
        ("restricted", "node", {}, 'unknown scope: "node"'),
        ("restricted", "pod", {"x": "1"}, 'unknown Topology Manager Policy option: "x"'),
        (
            "restricted",
            "pod",
            {"prefer-closest-numa-nodes": "yes"},
            (
                'bad value for option "prefer-closest-numa-nodes": '
                'strconv.ParseBool: parsing "yes": invalid syntax'
            ),
        ),
        (
            "restricted",
            "pod",
            {"max-allowable-numa-nodes": "7"},
            'the minimum value of "max-allowable-numa-nodes" should not be less than 8',
        ),
        (
            "restricted",
            "pod",
            {"max-allowable-numa-nodes": "8.0"},
            (
                'unable to convert policy option to integer "max-allowable-numa-nodes": '
                'strconv.Atoi: parsing "8.0": invalid syntax'
            ),
        ),
    ],
)
def test_settings_that_kubelet_refuses_are_refused_in_its_words(
    policy: str, scope: str, options: dict[str, str], text: str
) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_setup(policy, scope, options)

    assert str(refused.value) == text


def test_older_kubelets_make_masks_of_every_node() -> None:
    machine = two_sockets(rail_0=devices("a", 0))
    ((_, pool, stock),) = shape_of(machine, [RAIL_0]).pools

    new = hints(pool, stock, 1, known=3, span=Span.NODES_WITH_DEVICES)
    old = hints(pool, stock, 1, known=3, span=Span.EVERY_NODE)

    assert new == (Hint(mask=1, preferred=True),)
    assert old == (*new, Hint(mask=3, preferred=False))
    assert by_version(Known(value=Version.parse("v1.35.2")), SPANS) == Known(value=Span.EVERY_NODE)


def test_a_plugin_without_a_preference_gives_devices_with_topology_first() -> None:
    listed = (*devices("a", 0), *devices("b", 1, 1), *devices("c", None))
    any_plugin = two_sockets(rail_0=listed)
    plain = Machine(numa=(0, 1), devices=any_plugin.devices, with_preference=frozenset())
    pod = [asks(rail_0=3, rail_1=1)]

    given = admit(plain, pod, Setup(policy="best-effort")).steps[0].given[0]
    chosen = admit(any_plugin, pod, Setup(policy="best-effort")).steps[0].given[0]

    assert [tier.count for tier in given.taking.fresh] == [3]
    assert chosen == given
