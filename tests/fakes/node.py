"""A fake machine's ports for `podwire node`, and what is asked of it."""

from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel

from podwire.model.guids import Guid
from podwire.node.apply import Acting, Ask, apply
from podwire.node.execute import Hands
from podwire.node.observe import Senses
from podwire.node.reading import data_of
from podwire.plan import guid_map
from podwire.plan.giving import Books
from podwire.plan.outcome import Outcome
from podwire.plan.step import Plan
from podwire.spec.wiring import FabricWish, PfWish

PF = "0000:18:00.0"
PF_B = "0000:40:00.0"


def two_cards(**more: object) -> FakeKernel:
    """Give a machine with two InfiniBand PFs."""
    return FakeKernel(
        FakePf(PF, **more),  # type: ignore[arg-type]  # fields of FakePf
        FakePf(PF_B, guid=Guid(number=0xA088C20300EE1100), netdev="ibp64s0", **more),  # type: ignore[arg-type]  # as above
    )


def fabric(*pfs: str, count: int | None = 2, **more: object) -> FabricWish:
    """Wish for VFs of these PFs."""
    return FabricWish(
        pfs=PfWish(pci_addresses=pfs or (PF,)),
        vfs_per_pf=count,
        **more,  # type: ignore[arg-type]  # fields of FabricWish
    )


def ask_of(kernel: FakeKernel, wish: FabricWish, *, is_forced: bool = False) -> Ask:
    """Ask with the map that lies on the machine, as the command does."""
    data = data_of(kernel, guid_map.PATH)
    own = None if data is None else guid_map.parse(data, name=guid_map.PATH)
    return Ask(name="dgx-01", fabric=wish, books=Books(own=own), is_forced=is_forced)


def senses_of(kernel: FakeKernel) -> Senses:
    """Look at the fake."""
    return Senses(files=kernel, links=kernel, log=kernel)


def applied(
    kernel: FakeKernel,
    wish: FabricWish,
    *,
    is_forced: bool = False,
    is_parallel: bool = False,
    shown: list[Plan] | None = None,
) -> Outcome:
    """Run `apply` on the fake."""
    acting = Acting(
        senses=senses_of(kernel),
        hands=Hands(
            files=kernel,
            writer=kernel,
            links=kernel,
            udev=kernel,
            clock=kernel,
            is_stopped=kernel.is_stopped,
        ),
        processes=kernel,
        locks=kernel,
        shown=(shown if shown is not None else []).append,
        is_parallel=is_parallel,
    )
    return apply(ask_of(kernel, wish, is_forced=is_forced), acting)
