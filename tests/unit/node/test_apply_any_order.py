"""Runs with any wishes, failing or killed anywhere: the next two converge, and nothing is lost."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, PF_B, applied, fabric, two_cards

from podwire.spec.wiring import FabricWish


class Killed(BaseException):
    pass


WISHES = st.builds(
    lambda pfs, count, policy, mtu: fabric(*pfs, count=count, link_policy=policy, mtu=mtu),
    st.sampled_from([(PF,), (PF_B,), (PF, PF_B), (PF_B, PF)]),
    st.sampled_from([0, 1, 2, 5, None]),
    st.sampled_from(["", "follow", "up"]),
    st.sampled_from([None, 2044, 4092]),
)
ENDS = st.tuples(st.integers(0, 24), st.sampled_from(["killed", "EBUSY", "ENODEV", "EIO"]))


def broken_off(kernel: FakeKernel, wish: FabricWish, number: int, how: str) -> None:
    """Run `apply`, whose write of that number fails, or never comes."""
    writes = iter(range(1, 1000))

    def refuse(_: str) -> str | None:
        if next(writes) != number:
            return None
        if how == "killed":
            raise Killed
        return how

    kernel.refuse = refuse
    try:
        applied(kernel, wish)
    except Killed:
        pass
    finally:
        kernel.refuse = lambda _: None


@settings(max_examples=60, deadline=None)
@given(
    autoprobe=st.sampled_from(["0", "1", None]),
    has_ofed=st.booleans(),
    runs=st.lists(st.tuples(WISHES, ENDS), min_size=1, max_size=4),
)
def test_whatever_runs_were_broken_off_the_next_ones_converge_and_restore_autoprobe(
    autoprobe: str | None,
    has_ofed: bool,  # noqa: FBT001 - hypothesis passes it by name
    runs: list[tuple[FabricWish, tuple[int, str]]],
) -> None:
    kernel = two_cards(autoprobe=autoprobe, has_ofed=has_ofed)
    for wish, (number, how) in runs:
        broken_off(kernel, wish, number, how)
    applied(kernel, runs[-1][0])
    last = applied(kernel, runs[-1][0])
    assert last.is_done
    assert last.plan.writes == 0
    assert {pf.autoprobe for pf in kernel.pfs.values()} == {autoprobe}
    assert not [path for path in kernel.own if "journal" in path]


def test_autoprobe_that_a_killed_run_changed_comes_back_when_the_next_run_fails() -> None:
    kernel = two_cards()
    broken_off(kernel, fabric(PF, count=2), 3, "killed")
    assert kernel.pfs[PF].autoprobe == "0"
    broken_off(kernel, fabric(PF, count=2), 1, "EIO")
    assert kernel.pfs[PF].autoprobe == "1"
