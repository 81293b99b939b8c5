"""What a node's count of a resource says about its plugin's last start."""

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Path, Place, Unknown
from podwire.peers.sriovdp.fates import Step
from podwire.wire.joined.holders import Holder
from podwire.wire.joined.offers import ids_of
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import NodePool, has_sole_maker, is_running
from podwire.wire.pools.on_nodes import Found, found_at, seen_at


class Shrunk(msgspec.Struct, frozen=True):
    """A pool whose functions in pods were lost at the plugin's start.

    `keys` dropped them, `wanted` leads to those in the configuration, `empty` is where one
    of the functions shows nothing.
    """

    every: tuple[PciAddress, ...]
    capacity: int
    lost: tuple[PciAddress, ...]
    keys: tuple[str, ...]
    wanted: tuple[Path, ...]
    empty: Place
    holders: tuple[Holder, ...]
    assumes: tuple[str, ...]


class Missed(msgspec.Struct, frozen=True):
    """A pool that would have more functions than the node counts.

    `missing` are those that kubelet does not know, where its list was read.
    """

    taken: tuple[PciAddress, ...]
    capacity: int
    missing: tuple[PciAddress, ...]
    place: Place
    assumes: tuple[str, ...]


def shrunk(at: NodePool, picture: Picture) -> Shrunk | None:
    """Compare the pool with every net device at home, the pool at the start, and the node.

    Raises:
        Missing: when the plugin or the pods started is not known.
    """
    capacity = _counted(at, picture)
    attached = [h for h in picture.holders(at.node) if h.is_attached]
    if capacity is None or not attached:
        return None
    whole = found_at(at, picture, as_started=False).need()
    if whole.value is None or len(whole.value.pool.taken) <= capacity:
        return None
    every = whole.value.pool.members.need().value
    found = found_at(at, picture).need()
    if found.value is None:
        return None
    left = found.value.pool.members.need().value
    lost = tuple(a for a in every if a not in left)
    if len(left) != capacity or not lost or set(lost) - found.value.filled.start.away:
        return None
    dropped = _dropped(lost, found.value)
    selectors = at.pool.entry.selectors
    return Shrunk(
        every=every,
        capacity=capacity,
        lost=lost,
        keys=tuple(dict.fromkeys(key for key, _ in dropped)),
        wanted=tuple(dict.fromkeys(selectors[index].at(key) for key, index in dropped)),
        empty=found.value.filled.fates[lost[0]].function.place("net"),
        holders=tuple(h for h in attached if h.address in lost),
        assumes=tuple(dict.fromkeys((*whole.assumes, *found.assumes))),
    )


def _counted(at: NodePool, picture: Picture) -> int | None:
    """Give the node's count, where it is this pool's, as it was read from a cluster."""
    offer = seen_at(at, picture)
    is_ours = at.pool.plugin.is_applied and has_sole_maker(at, picture)
    return offer.capacity if offer is not None and is_ours else None


def _dropped(lost: tuple[PciAddress, ...], found: Found) -> list[tuple[str, int]]:
    return [
        (trial.outcome.key, trial.selector)
        for address in lost
        for trial in found.filled.fates[address].trials_of(found.pool.entry)
        if trial.step is Step.DROPPED
    ]


def missed(at: NodePool, picture: Picture) -> Missed | None:
    """Compare what the plugin would surely have found at its start with the node's count.

    The functions that pods held then are taken off, so what is left came, or was chosen,
    after the start. A name that kubelet refuses is another matter.

    Raises:
        Missing: whether the plugin runs there, or when it started, is not known.
    """
    capacity = _counted(at, picture)
    if capacity is None or at.resource.refusal() is not None:
        return None
    now = found_at(at, picture, as_started=False).need()
    if now.value is None or len(now.value.pool.taken) <= capacity:
        return None
    found = found_at(at, picture).need()
    if found.value is None or len(found.value.pool.taken) <= capacity:
        return None
    running = is_running(at.pool.plugin, at.node).need()
    if not running.value:
        return None
    taken = tuple(found.value.pool.taken)
    ids = _ids(at, picture)
    return Missed(
        taken=taken,
        capacity=capacity,
        missing=() if ids is None else tuple(a for a in taken if str(a) not in ids),
        place=found.value.filled.fates[taken[-1]].function.place(),
        assumes=found.assumes,
    )


def _ids(at: NodePool, picture: Picture) -> tuple[str, ...] | None:
    files = picture.files(at.node)
    if files is None or isinstance(files.allocatable, Unknown):
        return None
    return ids_of(files.allocatable.value, at.resource)
