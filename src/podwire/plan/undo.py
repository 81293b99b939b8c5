"""The way back: after a failed step, and for a run that was killed on a PF wanted no more."""

from collections.abc import Iterator, Sequence

from podwire.facts.node import PCI
from podwire.model.addresses import PciAddress
from podwire.plan.journal import Entry
from podwire.plan.machine import Pf
from podwire.plan.step import DRIVERS_PROBE, Action, PfPlan, Step

_WHY = "taken back"
_AUTOPROBE = "sriov_drivers_autoprobe"


def undo_of(done: Sequence[Step], *, plan: PfPlan) -> tuple[Step, ...]:
    """Give the steps that take back what was done before a step failed.

    Until the first VF is bound the PF's creation is one part. After that every VF is a part of
    its own: what was finished stands, and only what is temporary comes back; autoprobe also
    where a killed run before this one changed it.
    """
    counts = [step for step in done if step.target.endswith("/sriov_numvfs")]
    is_offered = any(step.action is Action.BIND for step in done)
    now = next((s.value for s in reversed(done) if _is_autoprobe(s)), plan.autoprobe_now)
    found: list[Step] = []
    if counts and not is_offered:
        found += _counted(counts[0], now=int(counts[-1].value), then=plan.count)
    if None not in {now, plan.autoprobe} and now != plan.autoprobe:
        found.append(_probing(plan.pf, value=str(plan.autoprobe), was=now))
    found += _bound_again(done)
    # Autoprobe before a count that is not 0: VFs that were bound are bound again by it.
    return tuple(sorted(found, key=lambda s: s.action is Action.BIND or _is_making(s)))


def _counted(step: Step, *, now: int, then: int) -> Iterator[Step]:
    if now == then:
        return
    if now:
        yield _back(step, value="0", was=str(now))
    if then:
        yield _back(step, value=str(then), was="0")


def _bound_again(done: Sequence[Step]) -> Iterator[Step]:
    """Bind a VF whose rebind stopped half-way."""
    unbound = {step.vf: step for step in done if step.action is Action.UNBIND}
    for step in done:
        if step.action is Action.BIND:
            unbound.pop(step.vf, None)
    for step in unbound.values():
        yield Step(
            action=Action.BIND,
            pf=step.pf,
            vf=step.vf,
            target=DRIVERS_PROBE,
            value=step.value,
            reason=_WHY,
            limit_s=step.limit_s,
        )


def undo_entry(entry: Entry, pf: Pf) -> PfPlan:
    """Plan the way back from what a killed run left to what its journal has."""
    folder = pf.folder
    steps: list[Step] = []
    count = Step(
        action=Action.WRITE,
        pf=pf.address,
        target=f"{folder}/sriov_numvfs",
        value="",
        reason=_WHY,
        limit_s=300,
    )
    steps += _counted(count, now=pf.count, then=entry.count)
    if None not in {entry.autoprobe, pf.autoprobe} and entry.autoprobe != pf.autoprobe:
        steps.append(_probing(pf.address, value=str(entry.autoprobe), was=pf.autoprobe))
    return PfPlan(
        pf=pf.address,
        name=pf.name,
        autoprobe=entry.autoprobe,
        autoprobe_now=pf.autoprobe,
        count=entry.count,
        steps=tuple(sorted(steps, key=_is_making)),
        notes=("an earlier run was killed here, and the spec does not name this PF any more",),
        disturbs=tuple(vf.address for vf in pf.vfs) if pf.count != entry.count else (),
        is_undo=True,
    )


def _back(step: Step, *, value: str, was: str | None) -> Step:
    return Step(
        action=step.action,
        pf=step.pf,
        target=step.target,
        value=value,
        was=was,
        reason=_WHY,
        limit_s=step.limit_s,
    )


def _probing(pf: PciAddress, *, value: str, was: str | None) -> Step:
    return Step(
        action=Action.WRITE,
        pf=pf,
        target=f"{PCI}/{pf}/{_AUTOPROBE}",
        value=value,
        was=was,
        reason=_WHY,
    )


def _is_autoprobe(step: Step) -> bool:
    return step.target.endswith(f"/{_AUTOPROBE}")


def _is_making(step: Step) -> bool:
    return step.target.endswith("/sriov_numvfs") and step.value != "0"
