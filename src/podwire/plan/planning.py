"""The plan for a whole machine: the gate, then each PF, and PFs of a run that was killed."""

from collections.abc import Iterator, Sequence

import msgspec

from podwire.plan import firmware
from podwire.plan.gate import repairs
from podwire.plan.giving import Books, Given, give
from podwire.plan.journal import Entry
from podwire.plan.machine import Machine, Pf
from podwire.plan.step import PfPlan, Plan, Repair
from podwire.plan.undo import undo_entry
from podwire.plan.vfs import PfWish, plan_pf
from podwire.plan.wish import Wish

_MOST_IPOIB_MTU = 4092  # linux v6.12 drivers/infiniband/ulp/ipoib/ipoib_main.c ipoib_change_mtu


def plan(
    machine: Machine,
    wish: Wish,
    *,
    books: Books,
    entries: Sequence[Entry] = (),
    missing: Sequence[Repair] = (),
    is_forced: bool = False,
) -> Plan:
    """Decide everything; a converged machine gives no steps.

    Args:
        machine: what was observed.
        wish: what is wanted.
        books: what is written about GUIDs.
        entries: journals of runs that did not end.
        missing: what the wish did not find.
        is_forced: go on where somebody holds a VF, or another program owns the PF.
    """
    pfs = [pf for pf in map(machine.pf, wish.pfs) if pf is not None]
    gate = (*missing, *repairs(pfs, machine))
    if gate:
        return Plan(machine=machine.name, gate=gate)
    given = give(pfs, wish, machine, books=books)
    if given.gate:
        return Plan(machine=machine.name, gate=given.gate)
    planner = _Planner(machine, wish, given, is_forced=is_forced)
    live = {entry.pf: entry for entry in entries if entry.boot == machine.boot}
    planned: list[PfPlan | None] = [planner.pf(pf, live.get(str(pf.address))) for pf in pfs]
    wanted = {str(address) for address in wish.pfs}
    planned += [planner.undo(entry) for pf, entry in sorted(live.items()) if pf not in wanted]
    return Plan(
        machine=machine.name,
        pfs=tuple(p for p in planned if p is not None),
        guids=given.map,
        notes=given.notes,
    )


class _Planner:
    def __init__(self, machine: Machine, wish: Wish, given: Given, *, is_forced: bool) -> None:
        self._machine = machine
        self._wish = wish
        self._given = given
        self._is_forced = is_forced

    def pf(self, pf: Pf, entry: Entry | None) -> PfPlan:
        """Plan a PF, or say why it is left alone."""
        count = pf.count if self._wish.count is None else self._wish.count
        settings = self._machine.settings_of(pf.address)
        asked = tuple(firmware.notes(pf, count, self._wish, settings))
        refused = [*firmware.refusals(pf, count, self._wish, settings)]
        refused += self._mtu(pf)
        if pf.address in self._given.refused:
            refused.append(self._given.refused[pf.address])
        if refused:
            return PfPlan(pf=pf.address, name=pf.name, refusals=tuple(refused), notes=asked)
        wish = PfWish(
            count=count,
            guids=self._given.guids.get(pf.address, ()),
            policy=self._wish.policy,
            mtu=self._wish.mtu,
            takes_held=self._is_forced,
        )
        before = pf.autoprobe if entry is None else entry.autoprobe
        planned = plan_pf(pf, wish, before=before)
        planned = msgspec.structs.replace(planned, notes=(*planned.notes, *asked))
        if entry is not None:
            planned = msgspec.structs.replace(planned, count=entry.count)
        return self._allowed(planned, pf)

    def _mtu(self, pf: Pf) -> Iterator[str]:
        """An IPoIB device in datagram mode, which a new VF is in, carries its link's MTU less 4."""
        if pf.is_infiniband and (self._wish.mtu or 0) > _MOST_IPOIB_MTU:
            yield (
                f"mtu {self._wish.mtu} is wanted, and a net device on InfiniBand takes at most "
                f"{_MOST_IPOIB_MTU}, on a fabric of 4096"
            )

    def undo(self, entry: Entry) -> PfPlan | None:
        """Take back what a killed run left on a PF that is wanted no more."""
        found = next((pf for pf in self._machine.pfs if str(pf.address) == entry.pf), None)
        return None if found is None else self._allowed(undo_entry(entry, found), found)

    def _allowed(self, planned: PfPlan, pf: Pf) -> PfPlan:
        notes = (*planned.notes, *self._ethernet(pf), *self._unseen(planned))
        if not planned.steps:
            return msgspec.structs.replace(planned, notes=notes)
        against = (*self._owners(pf), *self._holders(planned))
        if self._is_forced:
            notes = (*notes, *(f"forced, although {text}" for text in against))
            return msgspec.structs.replace(planned, notes=notes)
        steps = () if against else planned.steps
        return msgspec.structs.replace(planned, notes=notes, steps=steps, refusals=against)

    def _ethernet(self, pf: Pf) -> Iterator[str]:
        if not pf.is_infiniband and self._wish.fabric.link_policy:
            yield "an Ethernet PF: its VFs have no GUIDs, and linkPolicy is not for them"
        elif not pf.is_infiniband:
            yield "an Ethernet PF: its VFs have no GUIDs"

    def _unseen(self, planned: PfPlan) -> Iterator[str]:
        """Say where a VF may be held although nobody was found."""
        if not planned.disturbs:
            return
        if self._machine.holders is None:
            yield "a copied root does not show who holds a VF"
        yield from self._machine.unseen_holders

    def _owners(self, pf: Pf) -> Iterator[str]:
        for owner in pf.owners:
            way = _way(owner)
            yield f"{owner} makes the VFs of this PF: two owners undo each other's work{way}"

    def _holders(self, planned: PfPlan) -> Iterator[str]:
        holders = self._machine.holders or {}
        indices = {vf.address: vf.index for pf in self._machine.pfs for vf in pf.vfs}
        for address in planned.disturbs:
            if holders.get(address):
                by = ", ".join(holders[address])
                yield f"VF {indices.get(address, '?')} ({address}) is held by {by}"


def _way(owner: str) -> str:
    """Say how both live beside each other, where there is a way."""
    if "SR-IOV operator" not in owner:
        return ""
    return (
        "; take the PF out of every policy, or give the operator podwire's GUIDs: podwire node "
        "guids --spec FILE > /etc/sriov-operator/infiniband/guids"
    )
