"""`apply` for one PF that came back, and waiting for PFs that are late."""

import msgspec
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, PF_B, applied, ask_of, fabric, senses_of, two_cards

from podwire.model.addresses import PciAddress
from podwire.node.apply import Acting, Ask, apply
from podwire.node.execute import Hands
from podwire.plan.outcome import Outcome
from podwire.plan.step import Plan

_BOTH = fabric(PF, PF_B, count=2)


def _run(kernel: FakeKernel, ask: Ask, shown: list[Plan] | None = None) -> Outcome:
    plans: list[Plan] = [] if shown is None else shown
    acting = Acting(
        senses=senses_of(kernel),
        hands=Hands(files=kernel, writer=kernel, links=kernel, udev=kernel, clock=kernel),
        processes=kernel,
        locks=kernel,
        shown=plans.append,
        is_parallel=False,
    )
    return apply(ask, acting)


def _only(kernel: FakeKernel, pf: str) -> Ask:
    return msgspec.structs.replace(ask_of(kernel, _BOTH), only=frozenset({PciAddress(text=pf)}))


def test_only_the_pf_that_is_named_is_touched() -> None:
    kernel = two_cards()
    assert _run(kernel, _only(kernel, PF_B)).is_done
    assert (len(kernel.pfs[PF].vfs), len(kernel.pfs[PF_B].vfs)) == (0, 2)


def test_the_other_pfs_keep_their_vfs_and_their_guids() -> None:
    kernel = two_cards()
    assert applied(kernel, _BOTH).is_done
    before = [(vf.address, vf.live) for vf in kernel.pfs[PF].vfs]
    kernel.pfs[PF_B].vfs.clear()
    kernel.pfs[PF_B].count = 0
    kernel.wait(0)
    assert _run(kernel, _only(kernel, PF_B)).is_done
    assert [(vf.address, vf.live) for vf in kernel.pfs[PF].vfs] == before
    assert len(kernel.pfs[PF_B].vfs) == 2
    assert applied(kernel, _BOTH).plan.is_converged


def test_a_pf_that_the_spec_does_not_want_is_left_alone() -> None:
    kernel = two_cards()
    ask = msgspec.structs.replace(
        ask_of(kernel, fabric(PF, count=2)), only=frozenset({PciAddress(text=PF_B)})
    )
    plans: list[Plan] = []
    assert _run(kernel, ask, plans).is_done
    assert (kernel.pfs[PF].count, kernel.pfs[PF_B].count) == (0, 0)
    assert plans[0].notes == (f"the spec does not mean PF {PF_B}",)


class _Late(FakeKernel):
    """A machine whose second PF appears after some seconds."""

    def wait(self, seconds: float) -> None:
        super().wait(seconds)
        if self.time >= 3 and PF_B not in self.pfs:
            self.pfs[PF_B] = self.later

    def hide(self) -> "_Late":
        self.later = self.pfs.pop(PF_B)
        return self


def _late() -> _Late:
    first = two_cards()
    return _Late(*first.pfs.values()).hide()


def test_a_pf_that_is_late_is_waited_for() -> None:
    kernel = _late()
    ask = msgspec.structs.replace(ask_of(kernel, _BOTH), patience_s=10)
    assert _run(kernel, ask).is_done
    assert len(kernel.pfs[PF_B].vfs) == 2


def test_without_patience_the_gate_says_what_is_missing() -> None:
    kernel = _late()
    shown: list[Plan] = []
    outcome = _run(kernel, ask_of(kernel, _BOTH), shown)
    assert not outcome.is_done
    assert PF_B in shown[0].gate[0].text


class _BeingNamed(FakeKernel):
    """A machine whose udev is about to rename the first PF, and does so sooner or later."""

    def settle(self, *, limit_s: float) -> bool:
        self._rename()
        return super().settle(limit_s=limit_s)

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        self._rename()
        super().write(path, value, limit_s=limit_s)

    def _rename(self) -> None:
        self.pfs[PF].netdev = "rail0"
        self.wait(0)


def test_cards_that_have_just_appeared_get_their_names_before_anything_is_planned() -> None:
    kernel = _BeingNamed(*two_cards().pfs.values())
    ask = msgspec.structs.replace(ask_of(kernel, _BOTH), patience_s=10)
    shown: list[Plan] = []
    assert _run(kernel, ask, shown).is_done
    assert shown[0].pfs[0].name.startswith("rail0 ")
