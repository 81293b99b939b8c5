"""CPUs and memory that kubelet's static managers give: their rules, and the model beside them.

The oracle compares the same with kubelet's own code; these are its rules in words.
"""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.peers.kubelet_topology_machines import BEST_EFFORT, GPU, RESTRICTED, SINGLE, devices

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    CPU,
    MEMORY,
    Block,
    Device,
    Hint,
    Kind,
    Machine,
    Request,
    Setup,
    Span,
    Verdict,
    admit,
    exclusive_cpus,
    hints,
    mask_of,
    shape_of,
    static_memory,
)
from podwire.peers.kubelet_topology.memory import Memory, memory_hints, new_memory

HUGE = ResourceName(prefix="", name="hugepages-2Mi")
TOO_FEW = "not enough cpus available to satisfy request: "
NOWHERE = "[memorymanager] failed to find NUMA nodes to extend the current topology hint"
FAILED, WHICH = "Allocate failed due to ", ", which is unexpected"


def cpus(*numa: int, reserved: int = 0, held: int = 0) -> tuple[Device, ...]:
    """One CPU a node given: the first are kept for the system, the next are held."""
    return tuple(
        Device(
            id=str(i),
            numa=frozenset({n}),
            is_reserved=i < reserved,
            owner="train/other" if reserved <= i < reserved + held else None,
        )
        for i, n in enumerate(numa)
    )


def machine(
    *each: Device, memory: dict[int, int] | None = None, blocks: tuple[Block, ...] = ()
) -> Machine:
    return Machine(
        numa=(0, 1),
        devices={CPU: each, GPU: devices("gpu", 0, 0, 1, 1)},
        memory=None if memory is None else {n: {MEMORY: size} for n, size in memory.items()},
        blocks=blocks,
    )


def asks(cpu: int = 0, gpu: int = 0, memory: int = 0, *, kind: Kind = "app") -> Request:
    wants = tuple((name, n) for name, n in ((CPU, cpu), (GPU, gpu)) if n)
    sizes = ((MEMORY, memory),) if memory else ()
    return Request(container=f"{kind}-{cpu}-{gpu}", kind=kind, wants=wants, memory=sizes)


def is_admitted(verdict: Verdict) -> bool:
    assert isinstance(verdict.admitted, Known)
    return verdict.admitted.value


# --- CPUs -------------------------------------------------------------------------------

LAYOUTS = st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=8)


@given(LAYOUTS, st.integers(0, 3), st.integers(0, 3), st.integers(1, 8))
def test_hints_are_the_nodes_with_enough_cpus_and_reserved_ones_count_for_the_smallest(
    layout: list[int], reserved: int, held: int, want: int
) -> None:
    each = cpus(*layout, reserved=reserved, held=held)
    of = Machine(numa=(0, 1, 2, 3), devices={CPU: each})
    bearing = sorted(set(layout))
    sets = [set(c) for k in range(1, len(bearing) + 1) for c in itertools.combinations(bearing, k)]
    ever = [len(s) for s in sets if sum(1 for c in each if c.numa & s) >= want]
    free = [c for c in each if not c.is_reserved and c.owner is None]
    plain = {
        Hint(mask=mask_of(tuple(s)), preferred=len(s) == min(ever))
        for s in sets
        if sum(1 for c in free if c.numa & s) >= want
    }

    for _, pool, stock in shape_of(of, [CPU]).pools:
        for span in Span:
            ours = hints(pool, stock, want, known=0b1111, span=span)
            assert set(ours or ()) == plain


def test_a_reserved_cpu_is_not_free_on_the_empty_machine_either() -> None:
    of = machine(*cpus(0, 0, 1, 1, reserved=1))
    assert is_admitted(admit(of, (asks(2),), SINGLE))
    verdict = admit(of, (asks(2), asks(2, kind="sidecar")), SINGLE)
    assert verdict.is_never


def test_too_few_cpus_fail_after_the_topology_manager_has_admitted() -> None:
    verdict = admit(machine(*cpus(0, 1, held=1)), (asks(2),), BEST_EFFORT)
    assert [(r.reason, r.message) for r in verdict.rejections] == [
        (
            "UnexpectedAdmissionError",
            f"{FAILED}{TOO_FEW}requested=1, available=0{WHICH}",
        )
    ]
    assert not verdict.is_never


def test_too_few_devices_are_refused_before_cpus_are_asked_for() -> None:
    verdict = admit(machine(*cpus(0, held=1)), (asks(2, gpu=5),), BEST_EFFORT)
    assert [r.message.partition(" for ")[0] for r in verdict.rejections] == [
        "Allocate failed due to requested number of devices unavailable"
    ]


def test_cpus_of_an_init_container_are_used_again() -> None:
    of = machine(*cpus(0, 0, 1, 1))
    assert is_admitted(admit(of, (asks(2, kind="init"), asks(2, gpu=2)), SINGLE))
    assert not is_admitted(admit(of, (asks(2, kind="sidecar"), asks(3, gpu=1)), RESTRICTED))


@pytest.mark.parametrize(
    ("limits", "requests", "counts"),
    [
        ([{"cpu": "2", "memory": "1Gi"}], [{}], (2,)),
        ([{"cpu": "2", "memory": "1Gi"}], [{"cpu": "2000m", "memory": "1024Mi"}], (2,)),
        ([{"cpu": "2.5", "memory": "1Gi"}], [{}], (0,)),
        ([{"cpu": "2", "memory": "1Gi"}], [{"cpu": "1"}], (0,)),
        ([{"cpu": "2"}], [{}], (0,)),
        ([{"cpu": "2", "memory": "0"}], [{}], (0,)),
        ([{"cpu": "2", "memory": "1Gi"}, {}], [{}, {}], (0, 0)),
        ([{"cpu": 2, "memory": 1}, {"cpu": "500m", "memory": 1}], [{}, {}], (2, 0)),
    ],
)
def test_whole_cpus_of_a_guaranteed_pod_are_its_own(
    limits: list[dict[str, str]], requests: list[dict[str, str]], counts: tuple[int, ...]
) -> None:
    assert exclusive_cpus(limits, requests) == counts


def test_a_quantity_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is no Kubernetes quantity"):
        exclusive_cpus([{"cpu": "two", "memory": "1Gi"}], [{}])


# --- memory -----------------------------------------------------------------------------


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    sizes = st.integers(0, 4)
    nodes = draw(st.integers(1, 3))
    return new_memory({n: {MEMORY: draw(sizes), HUGE: draw(sizes)} for n in range(nodes)})


@given(memories(), st.integers(1, 6), st.integers(0, 6))
def test_hints_are_the_sets_of_nodes_with_enough_of_every_type(
    memory: Memory, want: int, huge: int
) -> None:
    nodes = {cell.node: dict(zip(memory.types, cell.free, strict=True)) for cell in memory.cells}
    sets = [set(c) for k in range(1, len(nodes) + 1) for c in itertools.combinations(nodes, k)]
    enough = [
        s
        for s in sets
        if sum(nodes[n][MEMORY] for n in s) >= want and sum(nodes[n][HUGE] for n in s) >= huge
    ]
    fewest = min(map(len, enough), default=0)
    plain = {Hint(mask=mask_of(tuple(s)), preferred=len(s) == fewest) for s in enough}

    assert set(memory_hints(memory, ((MEMORY, want), (HUGE, huge))) or ()) == plain


def test_memory_of_one_node_and_gpus_of_another_have_nothing_in_common() -> None:
    of = machine(memory={0: 10, 1: 2})
    fits = admit(of, (asks(gpu=2, memory=5),), SINGLE)
    assert is_admitted(fits)
    full = Block(owner="train/other", numa=frozenset({0}), type=MEMORY, size=6)
    busy = admit(machine(memory={0: 10, 1: 2}, blocks=(full,)), (asks(gpu=2, memory=5),), SINGLE)
    assert not is_admitted(busy)
    assert not busy.is_never


def test_nodes_that_are_given_together_are_given_to_nobody_alone() -> None:
    wide = Block(owner="train/other", numa=frozenset({0, 1}), type=MEMORY, size=3)
    of = machine(memory={0: 10, 1: 10}, blocks=(wide,))
    assert not is_admitted(admit(of, (asks(memory=1),), RESTRICTED))
    assert is_admitted(admit(of, (asks(memory=12),), RESTRICTED))


def test_memory_that_is_nowhere_fails_after_the_topology_manager_has_admitted() -> None:
    verdict = admit(machine(memory={0: 4, 1: 4}), (asks(gpu=1, memory=9),), RESTRICTED)
    assert verdict.is_never
    assert [(r.reason, r.message) for r in verdict.rejections] == [
        (
            "UnexpectedAdmissionError",
            f"{FAILED}{NOWHERE}{WHICH}",
        )
    ]


@pytest.mark.parametrize(("check", "admitted"), [(True, False), (False, True), (None, None)])
def test_older_kubelets_do_not_look_at_groups_when_they_give_memory(
    *, check: bool | None, admitted: bool | None
) -> None:
    alone = Block(owner="train/other", numa=frozenset({0}), type=MEMORY, size=1)
    of = machine(memory={0: 10, 1: 10}, blocks=(alone,))
    setup = Setup(policy="restricted", has_group_check=check)
    verdict = admit(of, (asks(gpu=4, memory=12),), setup)
    if admitted is None:
        assert isinstance(verdict.admitted, Unknown)
    else:
        assert is_admitted(verdict) is admitted


def test_memory_of_an_init_container_is_used_again() -> None:
    of = machine(memory={0: 5, 1: 0})
    assert is_admitted(admit(of, (asks(memory=4, kind="init"), asks(memory=5)), SINGLE))
    assert not is_admitted(admit(of, (asks(memory=4, kind="sidecar"), asks(memory=4)), SINGLE))


def test_huge_pages_are_a_type_of_their_own() -> None:
    sizes = {"cpu": "1", "memory": "1Mi", "hugepages-2Mi": "4Mi", "nvidia.com/gpu": "1"}
    assert static_memory([sizes], [{}]) == (((HUGE, 4 << 20), (MEMORY, 1 << 20)),)
    assert static_memory([{"memory": "1Mi"}], [{}]) == ((),)


def test_a_type_of_memory_that_no_node_is_known_to_have_decides_nothing() -> None:
    one = Request(container="a", wants=(), memory=((HUGE, 1), (MEMORY, 1)))
    assert isinstance(admit(machine(memory={0: 5}), (one,), SINGLE).admitted, Unknown)
