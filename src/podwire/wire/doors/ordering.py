"""In which order changes cost nobody a GPU, found by trying."""

from collections.abc import Iterable

import msgspec

from podwire.wire.doors.changes import (
    ACCEPT_MOUNTS,
    DROP,
    STRATEGY,
    UNNAME,
    Change,
)
from podwire.wire.doors.fates import Fated, Fates


class Step(msgspec.Struct, frozen=True):
    """Changes that are made at once. `lost` are the containers that it costs their GPUs.

    `is_added`: nobody asked for it; it keeps a later step from costing somebody a GPU.
    """

    changes: tuple[Change, ...]
    lost: tuple[Fated, ...] = ()
    is_added: bool = False
    label: str = ""


_CDI = (Change(key=STRATEGY, value="cdi-cri"),)
_MOUNTS = (
    Change(key=ACCEPT_MOUNTS, value="true"),
    Change(key=STRATEGY, value="volume-mounts"),
)


def ordered(fates: Fates, wanted: Iterable[Step]) -> tuple[Step, ...]:
    """Take first what costs nobody anything; else what helps; else say what it costs."""
    left = list(wanted)
    done: list[Step] = []
    while left:
        free = next((step for step in left if not _lost(fates, done, step)), None)
        if free is not None:
            left.remove(free)
            done.append(free)
            continue
        worst = left[0]
        helping = _help(fates, done, left)
        if helping is not None:
            done.append(helping)
            continue
        left.remove(worst)
        done.append(msgspec.structs.replace(worst, lost=_lost(fates, done, worst)))
    return tuple(done)


def _lost(fates: Fates, done: list[Step], *more: Step) -> tuple[Fated, ...]:
    """Name those who are worse off than before the last of these steps."""
    before = {f.key for f in fates.after(changes_of(done)) if f.is_lost} if done else set()
    after = fates.after(changes_of([*done, *more]))
    return tuple(f for f in after if f.is_lost and f.key not in before)


def changes_of(steps: Iterable[Step]) -> tuple[Change, ...]:
    """Put the changes of steps one after another."""
    return tuple(change for step in steps for change in step.changes)


def _help(fates: Fates, done: list[Step], left: list[Step]) -> Step | None:
    """Find a step before all that are left which costs nobody, and saves somebody later."""
    cost = len(_lost(fates, done, *left))
    best: tuple[int, Step] | None = None
    for changes in _helps(left):
        if set(changes) <= set(changes_of(done)):
            continue
        step = Step(changes=changes, is_added=True)
        if _lost(fates, done, step):
            continue
        then = len(_lost(fates, [*done, step], *left))
        if then < (best[0] if best else cost):
            best = (then, step)
    return best[1] if best else None


def _helps(left: list[Step]) -> tuple[tuple[Change, ...], ...]:
    dropped = [change.value for change in changes_of(left) if change.key == DROP]
    unnamed = tuple(Change(key=UNNAME, value=name) for name in dropped)
    has_strategy = any(change.key == STRATEGY for change in changes_of(left))
    plain = () if has_strategy else (_CDI, _MOUNTS)
    if not unnamed:
        return plain
    return (*plain, unnamed, *((*each, *unnamed) for each in plain))
