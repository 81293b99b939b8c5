"""The plan, made and executed: under one lock, PFs in parallel, observed again at the end."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

import msgspec

from podwire.model.addresses import PciAddress
from podwire.node.execute import Hands, execute
from podwire.node.holders import with_holders
from podwire.node.journal import entries_of
from podwire.node.observe import Senses, observe
from podwire.plan.giving import Books
from podwire.plan.guid_map import PATH, written
from podwire.plan.machine import Machine
from podwire.plan.outcome import Outcome, PfOutcome
from podwire.plan.planning import plan
from podwire.plan.step import PfPlan, Plan
from podwire.plan.wish import Wish, wish_of
from podwire.ports.machine import Processes
from podwire.ports.writing import Locks
from podwire.spec.wiring import FabricWish

OWN_LOCK = "run/podwire/node.lock"
# ib-sriov takes it (github.com/gofrs/flock) while it binds a VF anew.
IB_SRIOV_LOCK = "var/run/cni/ib-sriov/cni.lock"
_PAUSE_S = 1.0
_CNI_PATIENCE_S = 60.0
_MOST_PFS_AT_ONCE = 16


class Ask(msgspec.Struct, frozen=True):
    """What is asked of this machine.

    `only` are the PFs to look at, of those that the spec wants; empty: all. `patience_s` is
    how long PFs may take to appear, and another run to end.
    """

    name: str
    fabric: FabricWish
    books: Books = Books()
    is_forced: bool = False
    only: frozenset[PciAddress] = frozenset()
    patience_s: float = 0


def decide(ask: Ask, senses: Senses, *, processes: Processes | None) -> tuple[Plan, Machine]:
    """Observe and plan; holders are looked for only where the plan takes a VF away.

    Raises:
        WishError, JournalError: the spec or a journal cannot be used.
    """
    observed = observe(senses, name=ask.name)
    entries = [e for e in entries_of(senses.files) if _is_asked_for(e.pf, ask)]

    def made(machine: Machine) -> Plan:
        wish, missing = wish_of(ask.fabric, machine)
        planned = plan(
            machine,
            _narrowed(wish, ask.only),
            books=ask.books,
            entries=entries,
            missing=tuple(r for r in missing if _is_asked_for(r.pf, ask)),
            is_forced=ask.is_forced,
        )
        return _with_strangers(planned, ask, wish)

    first = made(observed.machine)
    if processes is None or not first.disturbs:
        return first, observed.machine
    machine = with_holders(observed, first.disturbs, files=senses.files, processes=processes)
    return made(machine), machine


def _is_asked_for(pf: str, ask: Ask) -> bool:
    """Say whether a PF by its address is to be looked at; what is about none, always."""
    return not (ask.only and pf) or pf in {str(each) for each in ask.only}


def _with_strangers(planned: Plan, ask: Ask, wish: Wish) -> Plan:
    """Name the PFs that were asked for and that the spec does not mean."""
    notes = (f"the spec does not mean PF {pf}" for pf in sorted(ask.only - {*wish.pfs}))
    return msgspec.structs.replace(planned, notes=(*planned.notes, *notes))


def _narrowed(wish: Wish, only: frozenset[PciAddress]) -> Wish:
    if not only:
        return wish
    return msgspec.structs.replace(wish, pfs=tuple(pf for pf in wish.pfs if pf in only))


class Acting(msgspec.Struct, frozen=True):
    """Everything that `apply` takes from outside; `shown` gets the plan before it is done."""

    senses: Senses
    hands: Hands
    processes: Processes
    locks: Locks
    shown: Callable[[Plan], None]
    is_parallel: bool = True


def apply(ask: Ask, acting: Acting) -> Outcome:
    """Close the gap between the machine and the spec.

    Raises:
        LockHeld: another run is at it.
        WishError, JournalError: the spec or a journal cannot be used.
        WriteFault: a file of podwire's own cannot be written.
    """
    with acting.locks.hold(OWN_LOCK, limit_s=ask.patience_s):
        planned, machine = _awaited(ask, acting)
        acting.shown(planned)
        if planned.gate:
            return Outcome(plan=planned)
        if planned.guids is not None:
            acting.hands.writer.replace(PATH, written(planned.guids))
        _forget(planned, machine, ask, acting)
        todo = [pf for pf in planned.pfs if pf.steps]
        ended = _executed(todo, machine, acting)
        if not todo:
            return Outcome(plan=planned)
        again = msgspec.structs.replace(
            ask, books=msgspec.structs.replace(ask.books, own=planned.guids or ask.books.own)
        )
        left, _ = decide(again, acting.senses, processes=acting.processes)
        return Outcome(plan=planned, pfs=tuple(ended), left=left)


def _awaited(ask: Ask, acting: Acting) -> tuple[Plan, Machine]:
    """Plan, and plan again while something is in the way that may still appear.

    A card that has just appeared is renamed by udev a moment later, and steps go by its name.
    """
    clock = acting.hands.clock
    end = clock.monotonic() + ask.patience_s
    while True:
        if ask.patience_s:
            acting.hands.udev.settle(limit_s=max(_PAUSE_S, end - clock.monotonic()))
        planned, machine = decide(ask, acting.senses, processes=acting.processes)
        is_late = clock.monotonic() >= end
        if not planned.gate or is_late or acting.hands.is_stopped():
            return planned, machine
        acting.hands.told(f"waiting for {planned.gate[0].text}")
        clock.wait(_PAUSE_S)


def _forget(planned: Plan, machine: Machine, ask: Ask, acting: Acting) -> None:
    """Remove journals that have nothing to say any more: of another boot, or all is done."""
    kept = {str(pf.pf) for pf in planned.pfs if pf.steps or pf.refusals}
    for entry in entries_of(acting.senses.files):
        if not _is_asked_for(entry.pf, ask):
            continue
        if entry.boot != machine.boot or entry.pf not in kept:
            acting.hands.writer.remove(entry.path)


def _executed(todo: Sequence[PfPlan], machine: Machine, acting: Acting) -> list[PfOutcome]:
    def one(planned: PfPlan) -> PfOutcome:
        return execute(planned, machine, hands=acting.hands)

    rebinds = any(planned.rebinds for planned in todo)
    lock: AbstractContextManager[None] = (
        acting.locks.hold(IB_SRIOV_LOCK, limit_s=_CNI_PATIENCE_S) if rebinds else nullcontext()
    )
    with lock:
        if not acting.is_parallel or len(todo) < 2:
            return [one(planned) for planned in todo]
        with ThreadPoolExecutor(max_workers=min(len(todo), _MOST_PFS_AT_ONCE)) as pool:
            return list(pool.map(one, todo))
