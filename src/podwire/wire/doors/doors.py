"""All doors of all nodes, worked out when asked for."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from podwire.facts.workloads import PodView, Stage
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown
from podwire.wire.doors import openings
from podwire.wire.doors.gates import Gates
from podwire.wire.doors.offering import by_the_plugin
from podwire.wire.doors.records import Door, Kind, Opening, Reserved, Taker, in_order
from podwire.wire.doors.reserving import reservations
from podwire.wire.doors.taking import Takers
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.pod_index import PodIndex

_CLOSED: Known[Opening | None] = Known(value=None)


class Doors:
    """What rules about reserved GPUs and `guard` ask."""

    def __init__(self, gpus: Gpus, *, pods: PodIndex, nodes: NodeIndex) -> None:
        self.gpus = gpus
        self._pods = pods
        self._nodes = nodes
        self._found: dict[tuple[str, tuple[GpuUuid, ...]], tuple[Door, ...]] = {}

    @cached_property
    def reserved(self) -> Mapping[str, Reserved]:
        """What the spec keeps for the host, by node; a GPU that a node lists not is none of it."""
        every = reservations(self.gpus.facts).values()
        kept = {each.node: self._of_node(each) for each in every}
        return {name: each for name, each in kept.items() if each.gpus}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The nodes that have GPUs, or of which the spec keeps some."""
        every = dict.fromkeys((*self.gpus.plugins.node_names, *self.reserved))
        return tuple(n for n in every if n in self.reserved or self.gpus.plugins.has_gpus(n))

    def after(self, gpus: Gpus) -> "Doors":
        """Give the doors of the same pods and nodes, with the GPU wire as it would be."""
        return Doors(gpus, pods=self._pods, nodes=self._nodes)

    def _of_node(self, reserved: Reserved) -> Reserved:
        cards = self.gpus.plugins.cards(reserved.node)
        if isinstance(cards, Unknown):
            return reserved
        gpus = in_order(reserved.gpus, (card.uuid for card in cards.value))
        return Reserved(
            node=reserved.node, gpus=gpus, places=reserved.places, served_by=reserved.served_by
        )

    def to_reserved(self, kind: Kind) -> tuple[Door, ...]:
        """Give one kind of door of every node with reserved GPUs."""
        return tuple(
            door
            for name, reserved in self.reserved.items()
            for door in self.of(name, reserved.gpus)
            if door.kind is kind
        )

    def of(self, node: str, gpus: tuple[GpuUuid, ...]) -> tuple[Door, ...]:
        """Give every door to some GPUs of a node, open or not."""
        key = (node, gpus)
        if key not in self._found:
            self._found[key] = tuple(self._doors(node, gpus))
        return self._found[key]

    def _doors(self, node: str, gpus: tuple[GpuUuid, ...]) -> Iterator[Door]:
        at = self.gpus.node(node)
        gates = Gates(at, gpus=gpus, facts=self.gpus.facts)
        reserved = self.reserved.get(node) or Reserved(node=node, gpus=gpus, places=())
        nri = openings.by_nri(at, self.gpus.plugins.policies.each, gpus)
        opened: dict[Kind, Answer[Opening | None]] = {
            Kind.PLUGIN: by_the_plugin(self.gpus, gpus, reserved),
            Kind.VARIABLE: openings.by_the_variable(gates),
            Kind.MOUNT: openings.by_a_mount(gates, self.gpus.facts),
            Kind.ANNOTATION: openings.by_an_annotation(gates),
            Kind.NRI: nri,
            Kind.PRIVILEGE: _CLOSED,
        }
        has_nri = isinstance(nri, Known) and nri.value is not None
        standing = self._standing(node, Takers(gates, self.gpus, has_nri=has_nri))
        for kind, opening in opened.items():
            here = standing.get(kind, [])
            yield Door(
                node=node,
                kind=kind,
                gpus=gpus,
                opening=opening,
                takers=tuple(each for each in here if isinstance(each, Taker)),
                gaps=tuple(each for each in here if isinstance(each, Unknown)),
                assumes=() if kind is Kind.PRIVILEGE else gates.assumes,
            )

    def _standing(self, node: str, takers: Takers) -> Mapping[Kind, list[Taker | Unknown]]:
        found: dict[Kind, list[Taker | Unknown]] = {}
        for pod in self.on(node):
            for kind, each in takers.of(pod):
                found.setdefault(kind, []).append(each)
        return found

    def on(self, node: str) -> Iterator[PodView]:
        """Give the pods on a node, and those to come that may go there."""
        for pod in self._pods.views:
            if pod.stage is Stage.OVER:
                continue
            bound = pod.spec.node_name
            if bound == node or (not bound and node in self._nodes.candidates(pod).names):
                yield pod
