"""Laws of filling pools that hold for every file and node."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.peers.sriovdp_trees import Tree, config_of, entry, version

from podwire.facts.node import Function
from podwire.model.evidence import Known
from podwire.peers.sriovdp.config import read_config
from podwire.peers.sriovdp.fates import Filled, Step
from podwire.peers.sriovdp.fill import fill
from podwire.peers.sriovdp.records import Config

FEW = settings(max_examples=40)

FUNCTIONS = (
    Tree()
    .pf()
    .pf("3a", name="ibp58s0", held=[1])
    .pf("5d", name=None, vfs=3)
    .pf("9b", name="enp155s0", vfs=2, link="1")
    .pf("c1", name="ibp193s0", vfs=0)
    .drop("0000:5d:00.1", "device")
    .functions
)

PF_NAMES = ["ibp24s0", "ibp58s0", "enp155s0", "ibp24s0#0-1", "ibp58s0#1,2", "ibp24s0#x", "ibp*"]
SELECTORS = st.fixed_dictionaries(
    {},
    optional={
        "vendors": st.sampled_from([["15b3"], ["8086"], []]),
        "devices": st.sampled_from([["101e"], ["1021"], ["101e", "1021"]]),
        "pfNames": st.lists(st.sampled_from(PF_NAMES), max_size=3),
        "rootDevices": st.sampled_from([["0000:5d:00.0"], ["0000:18:00.0#3"]]),
        "linkTypes": st.sampled_from([["infiniband"], ["ether"]]),
        "isRdma": st.booleans(),
    },
)
POOLS = st.lists(st.lists(SELECTORS, min_size=1, max_size=3), min_size=1, max_size=4)
VERSIONS = st.sampled_from(["v3.5.1", "v3.7.0", "v3.11.0", None])


def config(pools: list[list[dict[str, object]]], *, of: str | None) -> Config:
    return config_of(*(entry(f"p{i}", *pool) for i, pool in enumerate(pools)), of=of)


def run(
    pools: list[list[dict[str, object]]],
    *,
    of: str | None,
    functions: tuple[Function, ...] = FUNCTIONS,
) -> Filled:
    return fill(
        config(pools, of=of),
        functions=functions,
        default_routes=frozenset({"enp155s0"}),
        away=frozenset({FUNCTIONS[1].address}),
        version=version(of),
    )


@FEW
@given(POOLS, VERSIONS)
def test_no_function_is_in_two_pools(pools: list[list[dict[str, object]]], of: str | None) -> None:
    result = run(pools, of=of)
    every = [address for pool in result.pools for address in pool.taken]
    assert len(every) == len(set(every))
    assert not any(set(pool.taken) & set(pool.unsure) for pool in result.pools)


@FEW
@given(POOLS, VERSIONS)
def test_members_and_fates_agree(pools: list[list[dict[str, object]]], of: str | None) -> None:
    result = run(pools, of=of)
    for fate in result.fates.values():
        have = [p.entry.index for p in result.pools if fate.function.address in p.taken]
        assert have == [t.entry for t in fate.trials if t.step is Step.TAKEN]
        assert fate.excluded is None or not have


@FEW
@given(POOLS, VERSIONS)
def test_later_pools_do_not_change_earlier_ones(
    pools: list[list[dict[str, object]]], of: str | None
) -> None:
    whole, first = run(pools, of=of), run(pools[:1], of=of)
    assert whole.pools[0] == first.pools[0]


@FEW
@given(POOLS, VERSIONS, st.permutations(FUNCTIONS))
def test_the_order_of_functions_does_not_matter(
    pools: list[list[dict[str, object]]], of: str | None, shuffled: list[Function]
) -> None:
    assert run(pools, of=of, functions=tuple(shuffled)).pools == run(pools, of=of).pools


@FEW
@given(POOLS, VERSIONS, st.text(min_size=1).map(lambda text: f"x-{text}"), st.integers())
def test_an_unknown_key_never_changes_members(
    pools: list[list[dict[str, object]]], of: str | None, key: str, value: int
) -> None:
    with_key = [[{**selector, key: value} for selector in pool] for pool in pools]
    plain, other = run(pools, of=of), run(with_key, of=of)
    assert [p.members for p in other.pools] == [p.members for p in plain.pools]
    for entry_of in config(with_key, of=of).entries:
        assert all(key in [k.key for k in s.unknown] for s in entry_of.selectors)


@FEW
@given(POOLS)
def test_what_is_known_without_a_version_holds_in_every_version(
    pools: list[list[dict[str, object]]],
) -> None:
    blind = run(pools, of=None)
    for of in ("v3.5.1", "v3.7.0", "v3.11.0"):
        for pool, sure in zip(run(pools, of=of).pools, blind.pools, strict=True):
            if isinstance(sure.members, Known):
                assert pool.members == sure.members


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@FEW
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["resourceName", "selectors", "deviceType", "Selectors", "x"]),
            ANY_JSON | st.just("netDevice") | st.just({"vendors": ["15b3"]}),
        )
        | ANY_JSON
    )
)
def test_no_file_crashes_the_reading(entries: list[object]) -> None:
    text = json.dumps({"resourceList": entries})
    read = read_config(text, default_prefix="a.b", version=version("v3.11.0"))
    assert read.faults or any(entry.is_kept for entry in read.entries)


@FEW
@given(st.text())
def test_no_text_crashes_the_reading(text: str) -> None:
    read_config(text, default_prefix="a.b", version=version(None))
