"""The rules of kubelet's Topology Manager said plainly, and the model beside them."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from podwire.model.evidence import Known
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    Device,
    Hint,
    Hints,
    Kind,
    Machine,
    Options,
    Policy,
    Request,
    Scope,
    Setup,
    Span,
    Stock,
    admit,
    bits,
    hints,
    mask_of,
    merge,
    shape_of,
)

GPU = ResourceName.parse("nvidia.com/gpu")
VF = ResourceName.parse("ib.example/vf")
OPTIONS = st.booleans().map(lambda closest: Options(prefer_closest_numa_nodes=closest))
SCOPES: st.SearchStrategy[Scope] = st.sampled_from(("container", "pod"))
KINDS: st.SearchStrategy[Kind] = st.sampled_from(("app", "app", "init", "sidecar"))
NODES = st.integers(1, 4).map(lambda n: tuple(range(n)))
POLICIES: st.SearchStrategy[Policy] = st.sampled_from(
    ("best-effort", "restricted", "single-numa-node")
)


@st.composite
def machines(draw: st.DrawFn, *, has_owners: bool = True) -> Machine:
    numa = draw(NODES)
    device = st.builds(
        Device,
        id=st.uuids().map(str),
        numa=st.frozensets(st.sampled_from(numa), max_size=2),
        is_healthy=st.booleans() if has_owners else st.just(value=True),
        owner=st.sampled_from((None, None, "other")) if has_owners else st.none(),
    )
    devices = {name: tuple(draw(st.lists(device, max_size=6))) for name in (GPU, VF)}
    rows = {a: tuple(10 if a == b else draw(st.sampled_from((12, 20))) for b in numa) for a in numa}
    return Machine(numa=numa, devices=devices, distances=rows)


def plain_hints(devices: Sequence[Device], want: int) -> set[Hint] | None:
    """State the rule device by device: who could serve, and is that as few nodes as can be."""
    if not any(d.numa for d in devices):
        return None
    bearing = sorted({n for d in devices for n in d.numa})
    sets = [set(c) for k in range(1, len(bearing) + 1) for c in itertools.combinations(bearing, k)]
    free = [d for d in devices if d.is_healthy and d.owner is None]
    enough_ever = [len(s) for s in sets if sum(1 for d in devices if d.numa & s) >= want]
    return {
        Hint(mask=mask_of(tuple(s)), preferred=len(s) == min(enough_ever))
        for s in sets
        if sum(1 for d in free if d.numa & s) >= want
    }


@given(machines(), st.integers(0, 7))
def test_hints_are_the_sets_of_nodes_with_enough_free_devices(machine: Machine, want: int) -> None:
    for name, pool, stock in shape_of(machine, machine.devices).pools:
        known = mask_of(machine.numa)
        ours = hints(pool, stock, want, known=known, span=Span.NODES_WITH_DEVICES)
        plain = plain_hints(machine.devices[name], want)

        assert (None if ours is None else set(ours)) == plain


@given(machines(), st.integers(1, 6), st.integers(0, 3))
def test_hints_touch_every_device_that_an_init_container_left(
    machine: Machine, want: int, which: int
) -> None:
    for _, pool, stock in shape_of(machine, machine.devices).pools:
        if which < len(pool.masks) and stock.free[which]:
            left = tuple(1 if i == which else 0 for i in range(len(pool.masks)))
            free = tuple(n - taken for n, taken in zip(stock.free, left, strict=True))
            reused = Stock(free=free, reusable=left)
            found = hints(
                pool, reused, want, known=mask_of(machine.numa), span=Span.NODES_WITH_DEVICES
            )

            where = pool.masks[which]
            assert all(h.mask is not None and (not where or h.mask & where) for h in found or ())


def is_better(
    one: Hint, other: Hint, wide: int, closest: dict[int, tuple[int, ...]] | None
) -> bool:
    """Say whether kubelet would take `one` in place of `other` (policy.go compare, as written)."""
    assert one.mask is not None
    assert other.mask is not None
    if one.preferred != other.preferred:
        return one.preferred
    mine, theirs = one.mask.bit_count(), other.mask.bit_count()
    if one.preferred or theirs > wide:
        return is_fitter(one.mask, other.mask, closest)
    if theirs == wide:
        return mine == wide and is_fitter(one.mask, other.mask, closest)
    if mine > wide:
        return False
    if mine != theirs:
        return mine > theirs
    return is_fitter(one.mask, other.mask, closest)


def is_fitter(one: int, other: int, closest: dict[int, tuple[int, ...]] | None) -> bool:
    if one.bit_count() != other.bit_count():
        return one.bit_count() < other.bit_count()
    if closest is not None:
        far = [
            sum(closest[a][b] for a in bits(m) for b in bits(m)) / m.bit_count() ** 2
            for m in (one, other)
        ]
        if far[0] != far[1]:
            return far[0] < far[1]
    return one < other


def plain_merge(
    tables: Sequence[Hints],
    policy: Policy,
    known: int,
    closest: dict[int, tuple[int, ...]] | None,
) -> tuple[Hint, bool]:
    """Go through every combination, as kubelet does."""
    is_single = policy == "single-numa-node"
    lists = [
        (Hint(mask=None, preferred=True),)
        if table is None
        else table or (Hint(mask=None, preferred=False),)
        for table in tables
    ] or [(Hint(mask=None, preferred=True),)]
    if is_single:
        lists = [
            tuple(h for h in each if h.preferred and (h.mask is None or h.mask.bit_count() == 1))
            for each in lists
        ]
        closest = None
    fewest = [
        min((h.mask.bit_count() for h in each if h.mask is not None), default=0) for each in lists
    ]
    best: Hint | None = None
    for combination in itertools.product(*lists):
        masks = [h.mask for h in combination if h.mask is not None]
        merged = known
        for mask in masks:
            merged &= mask
        preferred = all(h.preferred for h in combination) and len(set(masks)) <= 1
        candidate = Hint(mask=merged, preferred=preferred)
        if merged and (best is None or is_better(candidate, best, max(fewest), closest)):
            best = candidate
    best = best or Hint(mask=known, preferred=False)
    if is_single and best.mask == known:
        best = Hint(mask=None, preferred=best.preferred)
    return best, best.preferred or policy == "best-effort"


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, list[Hints], dict[int, tuple[int, ...]]]:
    numa = draw(NODES)
    known = mask_of(numa)
    hint = st.builds(Hint, mask=st.integers(1, known), preferred=st.booleans())
    table = st.none() | st.lists(hint, max_size=6, unique_by=lambda h: h.mask).map(tuple)
    rows = {a: tuple(10 if a == b else draw(st.sampled_from((12, 20))) for b in numa) for a in numa}
    return known, draw(st.lists(table, max_size=4)), rows


@given(tables(), POLICIES, OPTIONS)
def test_merging_is_the_best_of_all_combinations(
    made: tuple[int, list[Hints], dict[int, tuple[int, ...]]], policy: Policy, options: Options
) -> None:
    known, every, rows = made
    setup = Setup(policy=policy, options=options)
    closest = rows if options.prefer_closest_numa_nodes else None

    ours = merge(every, setup, known=known, distances=tuple(rows.items()))

    assert ours == plain_merge(every, policy, known, closest)


def pods(low: int) -> st.SearchStrategy[tuple[Request, ...]]:
    wants = st.tuples(st.integers(low, 4), st.integers(low, 4)).map(
        lambda n: ((GPU, n[0]), (VF, n[1]))
    )
    made = st.lists(st.tuples(wants, KINDS), min_size=1, max_size=3)
    order = {"init": 0, "sidecar": 0, "app": 1}
    return made.map(
        lambda each: tuple(
            Request(container=str(i), wants=w, kind=k)
            for i, (w, k) in enumerate(sorted(each, key=lambda c: order[c[1]]))
        )
    )


@given(machines(), pods(1), POLICIES.filter(lambda p: p != "best-effort"), SCOPES)
def test_older_kubelets_admit_the_same_pods(
    machine: Machine, pod: tuple[Request, ...], policy: Policy, scope: Scope
) -> None:
    new = Setup(policy=policy, scope=scope)
    old = Setup(policy=policy, scope=scope, span=Span.EVERY_NODE)

    assert admit(machine, pod, new).admitted == admit(machine, pod, old).admitted


@given(machines(has_owners=False), pods(0), POLICIES)
def test_what_an_empty_machine_rejects_is_called_never(
    machine: Machine, pod: tuple[Request, ...], policy: Policy
) -> None:
    verdict = admit(machine, pod, Setup(policy=policy))

    assert verdict.is_never == (verdict.admitted == Known(value=False))
    assert bool(verdict.blockers) == bool(verdict.rejections)
