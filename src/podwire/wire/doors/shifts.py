"""Which doors a change opens and which it closes, told by how they stand before and after."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from podwire.model.addresses import GpuUuid
from podwire.wire.doors.changes import ACCEPT_MOUNTS, ACCEPT_VARIABLE, Change
from podwire.wire.doors.doors import Doors
from podwire.wire.doors.records import Kind
from podwire.wire.doors.rows import (
    CLOSED,
    HOST,
    OPEN,
    UNKNOWN,
    USED,
    ShownDoor,
    ShownNode,
    node_of,
)

EVERY_DOOR: Final = "every door"
# Settings that are about one door; what is not known of the others is no matter of theirs.
_DOOR_OF: Final[Mapping[str, Kind]] = {
    ACCEPT_VARIABLE: Kind.VARIABLE,
    ACCEPT_MOUNTS: Kind.MOUNT,
}


class Shift(msgspec.Struct, frozen=True, rename="camel"):
    """One door of a node that a change opens, closes, or may.

    `how` is what anybody may write who may make a pod; empty: it is about `pods` alone, which
    have a right of their own. `pods` come in as they are written now, or no longer do; `still`
    do though it closes to others. `missing` is why it is not known how the door stands before
    the change, or, among `Shifts.unknown`, after it.
    """

    door: str
    node: str
    gpus: tuple[str, ...]
    is_reserved: bool
    how: str = ""
    pods: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    missing: str = ""


class Shifts(msgspec.Struct, frozen=True):
    """What a change does to doors: to reserved GPUs, and on nodes without any to all."""

    opens: tuple[Shift, ...] = ()
    closes: tuple[Shift, ...] = ()
    unknown: tuple[Shift, ...] = ()

    @property
    def is_risk(self) -> bool:
        """A door to a GPU opens that the spec keeps for the host."""
        return any(shift.is_reserved for shift in self.opens)


def shifts(before: Doors, after: Doors, changes: Iterable[Change]) -> Shifts:
    """Compare every door of every node that has GPUs; those to reserved ones come first."""
    opens: list[Shift] = []
    closes: list[Shift] = []
    unknown: list[Shift] = []
    lists = {OPEN: opens, CLOSED: closes, UNKNOWN: unknown}
    made = tuple(changes)
    kinds = frozenset(_DOOR_OF[each.key].value for each in made if each.key in _DOOR_OF)
    is_wide = any(each.key not in _DOOR_OF for each in made)
    for name in before.names:
        was, comes = node_of(before, name), node_of(after, name)
        asking = _Asking(
            named=kinds,
            is_wide=is_wide,
            gaps_before=_gaps(before, was),
            gaps_after=_gaps(after, comes),
        )
        for state, shift in _of_node(was, comes, asking):
            lists[state].append(shift)
    return Shifts(opens=_together(opens), closes=_together(closes), unknown=_together(unknown))


class _Asking(msgspec.Struct, frozen=True):
    """What the changes are about, and what is not known of the pods of one node.

    `named` are doors that a change is about, `is_wide`: another may move any. `gaps_before` and
    `gaps_after` say by the door why it is not known of some pods whether they stand in it.
    """

    named: frozenset[str]
    is_wide: bool
    gaps_before: Mapping[str, str]
    gaps_after: Mapping[str, str]

    def is_about(self, door: str) -> bool:
        """Whether a change may move a door. What a plugin offers follows from no setting."""
        return door in self.named or (self.is_wide and door != Kind.PLUGIN.value)


def _gaps(doors: Doors, node: ShownNode) -> Mapping[str, str]:
    gpus = tuple(filter(None, (GpuUuid.maybe(card.uuid) for card in node.gpus)))
    every = doors.of(node.node, gpus) if gpus else ()
    return {door.kind.value: door.gaps[0].reason for door in every if door.gaps}


def _of_node(before: ShownNode, after: ShownNode, asking: _Asking) -> Iterator[tuple[str, Shift]]:
    if not before.gpus:
        gap = Shift(
            door=EVERY_DOOR, node=before.node, gpus=(), is_reserved=False, missing=before.missing
        )
        yield UNKNOWN, gap
    has_reserved = any(card.owner == HOST for card in before.gpus)
    for was, comes in zip(before.gpus, after.gpus, strict=True):
        if has_reserved and was.owner != HOST:
            continue
        then = {door.door: door for door in comes.doors}
        for door in was.doors:
            base = Shift(
                door=door.door, node=before.node, gpus=(was.uuid,), is_reserved=was.owner == HOST
            )
            yield from _by_settings(door, then[door.door], base, asking)
            yield from _by_pods(door, then[door.door], base, asking)


def _by_settings(
    was: ShownDoor, comes: ShownDoor, base: Shift, asking: _Asking
) -> Iterator[tuple[str, Shift]]:
    """Tell whether a door opens or closes to anybody who may make a pod."""
    (uuid,) = base.gpus
    change = msgspec.structs.replace
    if comes.state == UNKNOWN:
        if was.state != UNKNOWN or asking.is_about(was.door):
            yield UNKNOWN, change(base, missing=comes.missing)
    elif comes.state == OPEN and was.state != OPEN:
        how = comes.how.replace(uuid, "UUID")
        yield OPEN, change(base, how=how, pods=_less(comes, was), missing=was.missing)
    elif comes.state != OPEN and (
        was.state == OPEN
        # Not known before: a change that is about this door may have closed it; after any other
        # it is merely that other facts decide.
        or (was.state == UNKNOWN and was.door in asking.named)
    ):
        how = was.how.replace(uuid, "UUID")
        left = _less(was, comes)
        yield CLOSED, change(base, how=how, pods=left, still=comes.pods, missing=was.missing)


def _by_pods(
    was: ShownDoor, comes: ShownDoor, base: Shift, asking: _Asking
) -> Iterator[tuple[str, Shift]]:
    """Tell which pods come in or no longer do by a right of their own."""
    change = msgspec.structs.replace
    gained, lost = _less(comes, was), _less(was, comes)
    gap = asking.gaps_after.get(base.door, "")
    if lost and gap and comes.state in {USED, CLOSED}:
        yield UNKNOWN, change(base, pods=lost, missing=gap)
    elif {was.state, comes.state} <= {USED, CLOSED}:
        if gained:
            yield OPEN, change(base, pods=gained, missing=asking.gaps_before.get(base.door, ""))
        if lost:
            yield CLOSED, change(base, pods=lost)


def _less(some: ShownDoor, others: ShownDoor) -> tuple[str, ...]:
    return tuple(pod for pod in some.pods if pod not in others.pods)


def _together(every: list[Shift]) -> tuple[Shift, ...]:
    """Say of GPUs of one node together what is alike of them."""
    alike: dict[Shift, list[str]] = {}
    for shift in sorted(every, key=lambda shift: not shift.is_reserved):
        key = msgspec.structs.replace(shift, gpus=())
        alike.setdefault(key, []).extend(shift.gpus)
    return tuple(msgspec.structs.replace(k, gpus=tuple(gpus)) for k, gpus in alike.items())
