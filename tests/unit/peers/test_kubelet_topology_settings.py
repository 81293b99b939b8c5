"""Distances, settings, versions and what is not modelled: how they change kubelet's answers."""

import pytest
from tests.unit.peers.kubelet_topology_machines import (
    BEST_EFFORT,
    GPU,
    RAIL_0,
    RESTRICTED,
    SINGLE,
    asks,
    devices,
    two_sockets,
)

from podwire.model.evidence import Known, Unknown
from podwire.model.versions import Version, by_version
from podwire.peers.kubelet_topology import (
    SPANS,
    Hint,
    Machine,
    Options,
    Request,
    Setup,
    Span,
    admit,
    hints,
    merge,
    read_setup,
    shape_of,
)
from podwire.peers.kubelet_topology.giving import Tier

NO = Known(value=False)
YES = Known(value=True)


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
        (
            "restricted",
            "pod",
            {"max-allowable-numa-nodes": "9223372036854775808"},
            (
                'unable to convert policy option to integer "max-allowable-numa-nodes": '
                'strconv.Atoi: parsing "9223372036854775808": value out of range'
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
    listed = (*devices("a", 0), *devices("b", 1), *devices("c", None))
    any_plugin = two_sockets(gpu=devices("gpu", 0), rail_0=listed)
    plain = Machine(numa=(0, 1), devices=any_plugin.devices, with_preference=frozenset())
    pod = [asks(gpu=1, rail_0=2)]

    given = admit(plain, pod, BEST_EFFORT).steps[0].given[0]
    chosen = admit(any_plugin, pod, BEST_EFFORT).steps[0].given[0]

    near = Tier(limits=(0, 1, 0), count=1)  # none, node 0, node 1
    assert given.taking.fresh == (near, Tier(limits=(0, 0, 1), count=1))
    assert chosen.taking.fresh == (near, Tier(limits=(1, 0, 1), count=1))


def test_fewer_nodes_than_needed_are_better_than_more() -> None:
    """No device gives such hints; another provider might."""
    tables = (
        (Hint(mask=0b0000111, preferred=False), Hint(mask=0b1111000, preferred=False)),
        (Hint(mask=0b10000001, preferred=False), Hint(mask=0b1111000, preferred=False)),
    )

    assert merge(tables, BEST_EFFORT, known=0xFF) == (Hint(mask=1, preferred=False), True)
