"""What kubelet of a node would say to a pod: admitted, never, not now, or nobody can tell."""

import enum
from collections.abc import Iterator

import msgspec

from podwire.facts.node import NO_CPU_IDS, NO_MEMORY, KubeletConfig
from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    CPU,
    Device,
    Machine,
    Request,
    Setup,
    Shape,
    Verdict,
    admit,
    shape_of,
)
from podwire.peers.kubelet_topology.walking import total_memory, total_wants
from podwire.wire.joined.offers import Source, no_capacity
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.supply import served_by_class
from podwire.wire.numa.asking import Ask, ask_of
from podwire.wire.numa.cpus import FULL_CORES, cpus_per_core, has_option
from podwire.wire.numa.machines import held_on, machine_of, node_cpus, node_memory
from podwire.wire.numa.memory import NodeMemory
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
        self._cpus: dict[str, Answer[tuple[Device, ...]]] = {}
        self._memory: dict[str, Answer[NodeMemory]] = {}

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
            per_core = self.per_core(node)
            self._machines[key] = machine_of(
                node,
                wanted,
                self._picture,
                cpus=self.cpus(node),
                per_core=per_core.value if isinstance(per_core, Known) else 0,
                memory=self.memory(node),
            )
        return self._machines[key]

    def cpus(self, node: str) -> Answer[tuple[Device, ...]]:
        """Give a node's CPUs, where its CPU manager hands them out."""
        if node not in self._cpus:
            config = config_of(node, self._picture)
            is_static = isinstance(config, Known) and config.value.cpu_manager_policy == "static"
            self._cpus[node] = NO_CPU_IDS
            if isinstance(config, Known) and is_static:
                self._cpus[node] = node_cpus(node, config.value, self._picture)
        return self._cpus[node]

    def per_core(self, node: str) -> Answer[int]:
        """Say by how many the CPU manager gives CPUs; 0: one by one."""
        config, cpus = config_of(node, self._picture), self.cpus(node)
        files = self._picture.files(node)
        if (
            files is None
            or isinstance(files.cells, Unknown)
            or isinstance(config, Unknown)
            or isinstance(cpus, Unknown)
            or not has_option(config.value, FULL_CORES)
        ):
            return Known(value=0)
        return cpus_per_core(files.cells.value, cpus.value)

    def memory(self, node: str) -> Answer[NodeMemory]:
        """Give a node's memory, where its memory manager hands it out."""
        if node not in self._memory:
            config = config_of(node, self._picture)
            is_static = isinstance(config, Known) and config.value.memory_manager_policy == "Static"
            self._memory[node] = node_memory(node, self._picture) if is_static else NO_MEMORY
        return self._memory[node]

    def judge(self, pod: WiredPod, node: str, *, instead: Setup | None = None) -> Judged:
        """Say what kubelet of the node answers to the pod, as if it were new.

        `instead`: with this set-up; where its configuration was not read the rest of it is
        kubelet's default.
        """
        setup = self.setup(node) if instead is None else Known(value=instead)
        if isinstance(setup, Unknown):
            return Judged(node=node, outcome=Outcome.UNDECIDED, missing=setup)
        base = Judged(node=node, outcome=Outcome.UNDECIDED, setup=setup.value)
        ask = self._ask(pod, node, setup.value)
        owner = pod.ref.full_name
        machine = derived(self.machine(node, pod.resources), lambda every: _freed(every, owner))
        if isinstance(ask, Known):
            base = msgspec.structs.replace(base, requests=ask.value.requests)
        if isinstance(machine, Known):
            base = msgspec.structs.replace(
                base,
                machine=_with_memory_of(machine.value, base.requests),
                places=(*setup.places, *machine.places),
                assumes=machine.assumes,
            )
        if isinstance(ask, Unknown):
            return msgspec.structs.replace(base, missing=ask)
        lacks = (*self._lacks(pod, base), *_lacks_own(base))
        if lacks:
            return msgspec.structs.replace(base, outcome=Outcome.SHORT, lacks=lacks)
        if isinstance(machine, Unknown):
            is_counted = all(isinstance(self._has(name, base), Known) for name in pod.resources)
            fits = setup.value.policy not in STRICT and is_counted
            return msgspec.structs.replace(base, missing=machine, fits_empty=fits)
        verdict = admit(machine.value, ask.value.requests, setup.value)
        return self._concluded(msgspec.structs.replace(base, verdict=verdict), ask.value)

    def _ask(self, pod: WiredPod, node: str, setup: Setup) -> Answer[Ask]:
        config = config_of(node, self._picture)
        kubelet = KubeletConfig() if isinstance(config, Unknown) else config.value
        cpus = self.cpus(node)
        memory, cores = self.memory(node), self.per_core(node)
        ask = ask_of(
            pod,
            kubelet,
            cpus=cpus if isinstance(cpus, Unknown) else None,
            memory=memory if isinstance(memory, Unknown) else None,
            cores=cores if isinstance(cores, Unknown) else None,
        )
        is_none = any(r.count == 0 for r in pod.requests) and setup.policy in STRICT
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
        if verdict is None or verdict.refused or isinstance(verdict.admitted, Unknown):
            return msgspec.structs.replace(base, missing=_open(base.node, verdict))
        if not verdict.admitted.value:
            outcome = Outcome.NEVER if verdict.is_never else Outcome.NOT_NOW
            return msgspec.structs.replace(base, outcome=outcome)
        if ask.beside is not None and base.setup is not None and base.setup.policy in STRICT:
            return msgspec.structs.replace(base, missing=ask.beside)
        if ask.besides_cores is not None:
            return msgspec.structs.replace(base, missing=ask.besides_cores)
        held = held_on(base.node, self._picture)
        if isinstance(held, Unknown):
            return msgspec.structs.replace(base, missing=held, fits_empty=True)
        return msgspec.structs.replace(base, outcome=Outcome.ADMITTED)


def _with_memory_of(machine: Machine, requests: tuple[Request, ...]) -> Machine:
    """Leave memory out where none is asked for: nodes are alike without."""
    if machine.memory is None or any(request.memory for request in requests):
        return machine
    return msgspec.structs.replace(machine, memory=None, blocks=())


def _lacks_own(base: Judged) -> Iterator[ResourceName]:
    """Name CPUs or memory of which a node has too little to give: the scheduler sees that too."""
    if base.machine is None:
        return
    usable = sum(not cpu.is_reserved for cpu in base.machine.devices.get(CPU, ()))
    if dict(total_wants(base.requests)).get(CPU, 0) > usable:
        yield CPU
    for name, size in total_memory(base.requests):
        if size > sum(sizes.get(name, 0) for sizes in (base.machine.memory or {}).values()):
            yield name


def _open(node: str, verdict: Verdict | None) -> Unknown | None:
    """Say why a verdict is none."""
    if verdict is not None and verdict.refused:
        return Unknown(
            reason=f"kubelet of {node} does not start: {verdict.refused}",
            fact="a configuration that kubelet starts with",
        )
    found = verdict.admitted if verdict is not None else None
    return found if isinstance(found, Unknown) else None


def _freed(machine: Machine, owner: str) -> Machine:
    """Give a pod's own devices back."""
    if any(block.owner == owner for block in machine.blocks):
        rest = tuple(block for block in machine.blocks if block.owner != owner)
        machine = msgspec.structs.replace(machine, blocks=rest)
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
        name: tuple(Device(id=d.id, numa=d.numa, is_reserved=d.is_reserved) for d in mine)
        for name, mine in machine.devices.items()
    }
    return msgspec.structs.replace(machine, devices=devices, blocks=())
