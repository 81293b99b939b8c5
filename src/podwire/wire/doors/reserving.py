"""Which GPUs the spec keeps for the host, node by node."""

from collections.abc import Iterable, Iterator, Mapping

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Node
from podwire.model.addresses import GpuUuid
from podwire.spec.wiring import NodeWish
from podwire.wire.doors.records import Reserved


def reservations(facts: Inventory) -> Mapping[str, Reserved]:
    """Give the reservations of all specs by node; an entry for no GPU is none."""
    found: dict[str, Reserved] = {}
    for wiring in facts.wirings:
        for index, wish in enumerate(wiring.nodes):
            gpus = tuple(filter(None, map(GpuUuid.maybe, wish.gpus.reserve_for_host)))
            place = wiring.place("nodes", index, "gpus", "reserveForHost")
            for name in _nodes(wish, facts.nodes.items) if gpus else ():
                before = found.get(name, Reserved(node=name, gpus=(), places=()))
                found[name] = Reserved(
                    node=name,
                    gpus=tuple(dict.fromkeys((*before.gpus, *gpus))),
                    places=(*before.places, place),
                    served_by=wish.gpus.served_by or before.served_by,
                )
    return found


def _nodes(wish: NodeWish, nodes: Iterable[Node]) -> Iterator[str]:
    """Name the nodes that an entry is for; without names and labels it is for every node."""
    yield from wish.names
    if wish.names:
        return
    wanted = wish.selector.match_labels.items()
    yield from (n.metadata.name for n in nodes if wanted <= n.metadata.labels.items())
