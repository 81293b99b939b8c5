"""SIGKILL between any two changes: the next run finishes, or takes back."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.kernel import FakeKernel, Killed
from tests.fakes.node import PF, PF_B, applied, fabric, two_cards

from podwire.spec.wiring import FabricWish

WISH = fabric(PF, PF_B, count=2, link_policy="follow", mtu=4092)
ELSEWHERE = fabric(PF_B, count=2, link_policy="follow", mtu=4092)


def fresh() -> FakeKernel:
    return two_cards()


def with_others() -> FakeKernel:
    kernel = two_cards()
    kernel.bound(PF, 4)
    return kernel


def with_zero_guids() -> FakeKernel:
    kernel = two_cards()
    kernel.bound(PF, 2)
    return kernel


def with_autoprobe_off() -> FakeKernel:
    return two_cards(autoprobe="0")


def with_ofed() -> FakeKernel:
    return two_cards(has_ofed=True, has_ipoib=False)


def with_old_kernel() -> FakeKernel:
    return two_cards(autoprobe=None)


MACHINES = [fresh, with_others, with_zero_guids, with_autoprobe_off, with_old_kernel]


def run_cut(kernel: FakeKernel, wish: FabricWish, cut: tuple[int, bool] | None) -> bool:
    """Run once; False where it was killed."""
    kernel.cut = cut and (kernel._changes + cut[0], cut[1])
    try:
        applied(kernel, wish)
    except Killed:
        return False
    finally:
        kernel.cut = None
    return True


def changes_of(make: Callable[[], FakeKernel]) -> int:
    kernel = make()
    applied(kernel, WISH)
    return kernel._changes


@pytest.mark.parametrize("make", MACHINES)
def test_a_run_that_was_killed_anywhere_is_finished_by_the_next(
    make: Callable[[], FakeKernel],
) -> None:
    for number in range(changes_of(make)):
        kernel = make()
        before = {address: pf.autoprobe for address, pf in kernel.pfs.items()}
        run_cut(kernel, WISH, (number, True))  # Before the next change is the same moment.
        assert applied(kernel, WISH).is_done, number
        assert {address: pf.autoprobe for address, pf in kernel.pfs.items()} == before
        assert not [path for path in kernel.own if "/journal/" in path]
        assert all(vf.live.is_set for pf in kernel.pfs.values() for vf in pf.vfs)


@pytest.mark.parametrize("make", MACHINES)
def test_a_run_that_was_killed_is_taken_back_where_the_pf_is_wanted_no_more(
    make: Callable[[], FakeKernel],
) -> None:
    for number in range(changes_of(make)):
        kernel = make()
        before = (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe)
        is_whole = run_cut(kernel, WISH, (number, True))
        was_left = "var/lib/podwire/journal/0000:18:00.0.json" in kernel.own
        assert applied(kernel, ELSEWHERE).is_done, number
        if was_left and not is_whole:
            assert (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe) == before, number
        assert not [path for path in kernel.own if "/journal/" in path]


@settings(max_examples=25, deadline=None)
@given(
    make=st.sampled_from([*MACHINES, with_ofed]),
    cuts=st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=4),
)
def test_kills_one_after_another_still_converge(
    make: Callable[[], FakeKernel], cuts: list[tuple[int, bool]]
) -> None:
    kernel = make()
    before = {address: pf.autoprobe for address, pf in kernel.pfs.items()}
    for cut in cuts:
        run_cut(kernel, WISH, cut)
    assert applied(kernel, WISH).is_done
    assert {address: pf.autoprobe for address, pf in kernel.pfs.items()} == before
    assert applied(kernel, WISH).plan.is_converged


@settings(max_examples=25, deadline=None)
@given(refused=st.integers(0, 40), code=st.sampled_from(["EIO", "EBUSY", "no answer"]))
def test_a_write_that_is_refused_anywhere_never_leaves_a_vf_without_guid_bound(
    refused: int, code: str
) -> None:
    kernel = fresh()
    kernel.refuse = lambda _: code if kernel._changes == refused + 1 else None
    applied(kernel, WISH)
    for pf in kernel.pfs.values():
        assert all(vf.live.is_set for vf in pf.vfs if vf.driver)
        assert pf.autoprobe == "1" or code == "no answer"


def test_after_a_reboot_an_old_journal_is_dropped() -> None:
    kernel = with_autoprobe_off()
    with suppress(Killed):
        run_cut(kernel, WISH, (6, True))
    kernel.reboot()
    assert applied(kernel, WISH).is_done
    assert kernel.pfs[PF].autoprobe == "1"
    assert not [path for path in kernel.own if "/journal/" in path]


def test_a_signal_ends_it_between_two_writes_and_takes_the_pf_back_that_was_begun() -> None:
    for number in range(changes_of(fresh)):
        kernel = fresh()
        kernel.stop_after = number
        outcome = applied(kernel, WISH)
        assert not [path for path in kernel.own if "/journal/" in path]
        assert {pf.autoprobe for pf in kernel.pfs.values()} == {"1"}
        vfs = [vf for pf in kernel.pfs.values() for vf in pf.vfs]
        assert all(vf.live.is_set for vf in vfs if vf.driver)
        assert outcome.is_done or any("stopped by a signal" in pf.failed for pf in outcome.pfs)
