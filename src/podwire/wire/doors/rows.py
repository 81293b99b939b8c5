"""Every GPU of a node with its owner, who offers it, who holds it, and the doors to it."""

from collections.abc import Iterator

import msgspec

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Known, Unknown
from podwire.peers import hami
from podwire.peers.nvidia_plugin import GPU, physical
from podwire.wire.doors.doors import Doors
from podwire.wire.doors.records import Door, Kind, Opening, Side, Taker

HOST, PODS, NOBODY = "host", "pods", "nobody"
OPEN, CLOSED, USED, UNKNOWN = "open", "closed", "used", "not known"


class ShownDoor(msgspec.Struct, frozen=True, rename="camel"):
    """One door to one GPU.

    `state`: open to anybody who may make a pod, used by some with a right of their own,
    closed, or not known for the lack of `missing`.
    """

    door: str
    state: str
    how: str = ""
    pods: tuple[str, ...] = ()
    gpu_software: tuple[str, ...] = ()
    node_software: tuple[str, ...] = ()
    missing: str = ""


class ShownCard(msgspec.Struct, frozen=True, rename="camel"):
    """One GPU. `offered_by` and `held_by` None: nobody could look."""

    uuid: str
    index: int | None
    model: str
    owner: str
    offered_by: str | None
    held_by: tuple[str, ...] | None
    doors: tuple[ShownDoor, ...]

    @property
    def is_at_risk(self) -> bool:
        """It is kept for the host, and somebody else can get it."""
        return self.owner == HOST and any(d.state in {OPEN, USED} for d in self.doors)


class ShownNode(msgspec.Struct, frozen=True, rename="camel"):
    """A node with its GPUs; `missing` is why there are none."""

    node: str
    gpus: tuple[ShownCard, ...] = ()
    missing: str = ""


def node_of(doors: Doors, name: str) -> ShownNode:
    """Show a node; without a list of its GPUs, those that the spec reserves."""
    cards = doors.gpus.plugins.cards(name)
    reserved = doors.reserved.get(name)
    kept = reserved.gpus if reserved else ()
    known: tuple[Card, ...] = cards.value if isinstance(cards, Known) else ()
    uuids = tuple(card.uuid for card in known) or kept
    missing = cards.reason if isinstance(cards, Unknown) else ""
    by_uuid = {card.uuid: card for card in known}
    every = doors.of(name, uuids) if uuids else ()
    holders = _holders(doors, name)
    return ShownNode(
        node=name,
        gpus=tuple(
            _card(gpu, by_uuid.get(gpu), every, is_kept=gpu in kept, holders=holders)
            for gpu in uuids
        ),
        missing=missing,
    )


def _card(
    gpu: GpuUuid,
    card: Card | None,
    doors: tuple[Door, ...],
    *,
    is_kept: bool,
    holders: dict[str, list[str]] | None,
) -> ShownCard:
    plugin = next(door for door in doors if door.kind is Kind.PLUGIN)
    offered = _offered(plugin, gpu)
    migs = [str(mig.uuid) for mig in card.migs] if card else []
    held = None if holders is None else [p for u in (str(gpu), *migs) for p in holders.get(u, ())]
    return ShownCard(
        uuid=str(gpu),
        index=card.index if card else None,
        model=card.model if card else "",
        owner=HOST if is_kept else PODS if offered else NOBODY,
        offered_by=offered,
        held_by=None if held is None else tuple(dict.fromkeys(held)),
        doors=tuple(_door(door, gpu) for door in doors if is_kept or door is not plugin),
    )


def _offered(plugin: Door, gpu: GpuUuid) -> str | None:
    if isinstance(plugin.opening, Unknown):
        return None
    return plugin.open.through if plugin.open and gpu in plugin.open.gpus else ""


def _door(door: Door, gpu: GpuUuid) -> ShownDoor:
    takers = [taker for taker in door.takers if gpu in taker.gpus]
    opening = door.open if door.open and gpu in door.open.gpus else None
    pods = _named(takers, Side.ORDINARY)
    state = USED if pods else CLOSED
    if opening is not None:
        state = OPEN
    elif isinstance(door.opening, Unknown) and not pods:
        state = UNKNOWN
    return ShownDoor(
        door=door.kind.value,
        state=state,
        how=f"{_by(opening, gpu)}, through {opening.through}" if opening else "",
        pods=pods,
        gpu_software=_named(takers, Side.GPU_SOFTWARE),
        node_software=_named(takers, Side.NODE_SOFTWARE),
        missing=door.opening.reason if isinstance(door.opening, Unknown) else "",
    )


def _by(opening: Opening, gpu: GpuUuid) -> str:
    """Write the example for another GPU than the first."""
    return opening.by.replace(opening.gpus[0].text, gpu.text)


def _named(takers: list[Taker], side: Side) -> tuple[str, ...]:
    return tuple(dict.fromkeys(taker.pod.full_name for taker in takers if taker.side is side))


def _holders(doors: Doors, node: str) -> dict[str, list[str]] | None:
    """Say which pods hold which GPU, by kubelet's list and HAMi's annotations; None: neither."""
    found: dict[str, list[str]] = {}
    files = doors.gpus.node(node).files
    is_known = files is not None and isinstance(files.held, Known)
    for uuid, pod in (*_by_kubelet(doors, node), *_by_hami(doors, node)):
        found.setdefault(uuid, []).append(pod)
    return found if is_known or found else None


def _by_kubelet(doors: Doors, node: str) -> Iterator[tuple[str, str]]:
    files = doors.gpus.node(node).files
    held = files.held if files else None
    for pod in held.value if isinstance(held, Known) else ():
        for container in pod.containers:
            for device in container.devices:
                if device.resource_name.startswith(f"{GPU.prefix}/"):
                    for each in device.ids:
                        yield physical(each), f"{pod.namespace}/{pod.name}"


def _by_hami(doors: Doors, node: str) -> Iterator[tuple[str, str]]:
    """Read HAMi's choice: kubelet's list of a shared GPU's units says less."""
    for pod in doors.on(node):
        for devices in hami.chosen(pod.metadata.annotations) or ():
            for uuid in devices:
                yield uuid, pod.full_name
