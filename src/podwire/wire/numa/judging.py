"""What kubelet of a node would say to a pod: admitted, never, not now, or nobody can tell."""

import enum

import msgspec

from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    Device,
    Machine,
    Request,
    Setup,
    Shape,
    Verdict,
    admit,
    shape_of,
)
from podwire.wire.joined.offers import Source, no_capacity
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.supply import served_by_class
from podwire.wire.numa.asking import Ask, ask_of
from podwire.wire.numa.machines import held_on, machine_of
from podwire.wire.numa.setups import STRICT, config_of, setup_of, span_of
from podwire.wire.picture import Picture


class Outcome(enum.Enum):
    """What becomes of a pod on a node, as far as its devices' NUMA nodes go."""

    ADMITTED = "admitted"
    NEVER = "never admitted"
    NOT_NOW = "not admitted now"
    SHORT = "too few devices"  # the scheduler sees that as well
    UNDECIDED = "undecided"


class Judged(msgspec.Struct, frozen=True):
    """A pod on a node.

    `verdict` is the model's, where there is one; with `missing` it is no answer, or (for
    `fits_empty`) one for the empty node only. `machine` has the pod's own devices free.
    `lacks` are resources of which the node has too few whoever holds them.
    """

    node: str
    outcome: Outcome
    requests: tuple[Request, ...] = ()
    setup: Setup | None = None
    machine: Machine | None = None
    verdict: Verdict | None = None
    missing: Unknown | None = None
    fits_empty: bool = False
    lacks: tuple[ResourceName, ...] = ()
    places: tuple[Place, ...] = ()
    assumes: tuple[str, ...] = ()

    @property
    def wanted(self) -> tuple[ResourceName, ...]:
        """What the pod asks for, each once."""
        return tuple(dict.fromkeys(name for r in self.requests for name, _ in r.wants))

    @property
    def shape(self) -> Shape | None:
        """What nodes that are alike to this pod have in common."""
        return None if self.machine is None else shape_of(self.machine, self.wanted)


class Judge:
    """Asks the model; what is one for all pods on a node is put together once."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._setups: dict[str, Answer[Setup]] = {}
        self._machines: dict[tuple[str, tuple[ResourceName, ...]], Answer[Machine]] = {}

    def setup(self, node: str) -> Answer[Setup]:
        """Say how kubelet of a node is set up."""
        if node not in self._setups:
            self._setups[node] = setup_of(node, self._picture)
        return self._setups[node]

    def is_strict(self, node: str) -> bool:
        """Whether kubelet of a node is known to reject pods for their NUMA nodes."""
        setup = self.setup(node)
        return isinstance(setup, Known) and setup.value.policy in STRICT

    def machine(self, node: str, wanted: tuple[ResourceName, ...]) -> Answer[Machine]:
        """Give a node's devices."""
        key = (node, wanted)
        if key not in self._machines:
            self._machines[key] = machine_of(node, wanted, self._picture)
        return self._machines[key]

    def judge(self, pod: WiredPod, node: str) -> Judged:
        """Say what kubelet of the node answers to the pod, as if it were new."""
        config, setup = config_of(node, self._picture), self.setup(node)
        if isinstance(config, Unknown):
            return Judged(node=node, outcome=Outcome.UNDECIDED, missing=config)
        if isinstance(setup, Unknown):
            return Judged(node=node, outcome=Outcome.UNDECIDED, missing=setup)
        base = Judged(node=node, outcome=Outcome.UNDECIDED, setup=setup.value)
        ask = self._ask(pod, node)
        owner = pod.ref.full_name
        machine = derived(self.machine(node, pod.resources), lambda every: _freed(every, owner))
        if isinstance(ask, Known):
            base = msgspec.structs.replace(base, requests=ask.value.requests)
        if isinstance(machine, Known):
            base = msgspec.structs.replace(
                base,
                machine=machine.value,
                places=(*setup.places, *machine.places),
                assumes=machine.assumes,
            )
        if isinstance(ask, Unknown):
            return msgspec.structs.replace(base, missing=ask)
        lacks = self._lacks(pod, base)
        if lacks:
            return msgspec.structs.replace(base, outcome=Outcome.SHORT, lacks=lacks)
        if isinstance(machine, Unknown):
            is_counted = all(isinstance(self._has(name, base), Known) for name in pod.resources)
            fits = setup.value.policy not in STRICT and is_counted
            return msgspec.structs.replace(base, missing=machine, fits_empty=fits)
        verdict = admit(machine.value, ask.value.requests, setup.value)
        return self._concluded(msgspec.structs.replace(base, verdict=verdict), ask.value)

    def _ask(self, pod: WiredPod, node: str) -> Answer[Ask]:
        config = config_of(node, self._picture)
        if isinstance(config, Unknown):
            return config
        ask = ask_of(pod, config.value)
        is_none = any(r.count == 0 for r in pod.requests) and self.is_strict(node)
        span = span_of(node, self._picture) if is_none else None
        return span if isinstance(span, Unknown) else ask

    def _lacks(self, pod: WiredPod, base: Judged) -> tuple[ResourceName, ...]:
        """Name what the node has too few of, with nothing in use: by its devices, or its Node."""
        return tuple(
            name
            for name in pod.resources
            if isinstance(have := self._has(name, base), Known) and pod.demand(name) > have.value
        )

    def _has(self, name: ResourceName, base: Judged) -> Answer[int]:
        if base.machine is not None:
            return Known(value=len(base.machine.devices.get(name, ())))
        served = served_by_class(name, facts=self._picture.facts)
        if isinstance(served, Unknown):
            return served
        offer = self._picture.offer(name, base.node)
        if isinstance(offer, Unknown):
            return offer
        is_read = offer.value.source is Source.NODE  # A model may count less than there is.
        return Known(value=offer.value.capacity or 0) if is_read else no_capacity(base.node)

    def _concluded(self, base: Judged, ask: Ask) -> Judged:
        """Read the model's verdict; that it admits holds as far as all was taken into account."""
        verdict = base.verdict
        if verdict is None or isinstance(verdict.admitted, Unknown):
            return msgspec.structs.replace(base, missing=verdict.admitted if verdict else None)
        if not verdict.admitted.value:
            outcome = Outcome.NEVER if verdict.is_never else Outcome.NOT_NOW
            return msgspec.structs.replace(base, outcome=outcome)
        if ask.beside is not None and self.is_strict(base.node):
            return msgspec.structs.replace(base, missing=ask.beside)
        held = held_on(base.node, self._picture)
        if isinstance(held, Unknown):
            return msgspec.structs.replace(base, missing=held, fits_empty=True)
        return msgspec.structs.replace(base, outcome=Outcome.ADMITTED)


def _freed(machine: Machine, owner: str) -> Machine:
    """Give a pod's own devices back."""
    if not any(d.owner == owner for mine in machine.devices.values() for d in mine):
        return machine
    devices = {
        name: tuple(msgspec.structs.replace(d, owner=None) if d.owner == owner else d for d in mine)
        for name, mine in machine.devices.items()
    }
    return msgspec.structs.replace(machine, devices=devices)


def emptied(machine: Machine) -> Machine:
    """The machine with every device healthy and nobody's."""
    devices = {
        name: tuple(Device(id=d.id, numa=d.numa) for d in mine)
        for name, mine in machine.devices.items()
    }
    return msgspec.structs.replace(machine, devices=devices)
