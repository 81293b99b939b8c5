"""What NVIDIA's runtime of a node would make of a request, whoever writes it.

A door is open where some request gives a GPU: it is tried with each name that one has there.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.peers.cdi import TOOLKIT
from podwire.peers.nvidia_plugin import VARIABLE, VOLUME_MOUNTS_FOLDER
from podwire.peers.nvidia_toolkit import (
    Mount,
    Node,
    Outcome,
    Request,
    ToolkitConfig,
    outcome,
)
from podwire.peers.runtime_config import Handler, RuntimeConfig
from podwire.wire.doors.records import in_order
from podwire.wire.gpu.judging import PROGRAMS
from podwire.wire.gpu.node_gpus import NodeGpus

_AUTOMATIC = "runtime.nvidia.com/gpu="
_KEY = "podwire"  # the rest of an annotation's key; any would do
_NO_CLASSES = Unknown(
    reason="whether a RuntimeClass leads to NVIDIA's runtime: they were not listed",
    give="kubectl get runtimeclasses -o json",
    fact="the RuntimeClasses",
)

Asking = Callable[[str], Request]


class Gate(msgspec.Struct, frozen=True):
    """A handler of NVIDIA's that a pod can be started by, and how it gets there."""

    handler: Handler
    through: str
    place: Place | None = None


class Gates:
    """NVIDIA's runtime on one node, asked for GPUs of it."""

    def __init__(self, node: NodeGpus, *, gpus: tuple[GpuUuid, ...], facts: Inventory) -> None:
        self.node = node
        self.gpus = gpus
        self._facts = facts

    @cached_property
    def every(self) -> Answer[tuple[Gate, ...]]:
        """The ways in which a pod comes to NVIDIA's runtime without any right of its own."""
        runtime = self.node.runtime
        if isinstance(runtime, Unknown):
            return runtime
        found = tuple(self._gates(runtime.value))
        has_any = any(h.is_nvidia for h in runtime.value.handlers.values())
        if not found and has_any and not self._facts.runtime_classes.is_complete():
            return _NO_CLASSES
        return Known(value=found, assumes=runtime.assumes)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the toolkit's configuration rests on."""
        config = self.node.toolkit
        return config.assumes if isinstance(config, Known) else ()

    def _gates(self, runtime: RuntimeConfig) -> Iterator[Gate]:
        default = runtime.default
        if default is not None and default.is_nvidia:
            through = f"the default runtime {runtime.default_name}"
            yield Gate(handler=default, through=through, place=runtime.default_place)
        for each in self._facts.runtime_classes.items:
            handler = runtime.handler(each.handler) if each.handler else None
            if handler is not None and handler.is_nvidia:
                through = f"RuntimeClass {each.metadata.name}"
                yield Gate(handler=handler, through=through, place=each.place("handler"))

    @cached_property
    def _seen(self) -> Answer[tuple[Card, ...] | None]:
        """The node's GPUs; where nobody listed them, those that the spec says it has."""
        if isinstance(self.node.cards, Known):
            return Known(value=self.node.cards.value)
        return Known(
            value=tuple(Card(index=-1 - i, model="", uuid=u) for i, u in enumerate(self.gpus))
        )

    @cached_property
    def _whole_of(self) -> dict[GpuUuid, GpuUuid]:
        cards = self._seen.value if isinstance(self._seen, Known) and self._seen.value else ()
        return {mig.uuid: card.uuid for card in cards for mig in card.migs}

    def answer(self, request: Request, handler: Handler) -> Answer[Outcome]:
        """Say what becomes of a container."""
        config = self.node.toolkit
        if isinstance(config, Unknown):
            return config
        return self._answer(request, handler, config.value)

    def _answer(self, request: Request, handler: Handler, config: ToolkitConfig) -> Answer[Outcome]:
        return outcome(
            request,
            config,
            version=self.node.toolkit_version,
            node=Node(cards=self._seen, registry=self.node.registry(TOOLKIT, config.spec_dirs)),
            program=PROGRAMS[handler.forced_mode],
        )

    def given(self, found: Outcome) -> Answer[tuple[GpuUuid, ...]]:
        """Say which of the GPUs asked about a container gets."""
        if isinstance(found.says, Unknown):
            return found.says
        if found.says.value:
            return Known(value=())
        if isinstance(found.gpus, Unknown):
            return Known(value=self.gpus) if found.is_all else found.gpus
        whole = (self._whole_of.get(gpu, gpu) for gpu in found.gpus.value)
        return Known(value=in_order(self.gpus, whole))

    def tried(self, handler: Handler, asking: Asking) -> Answer[dict[GpuUuid, str]]:
        """Ask for each GPU by each of its names: what works by the first that does."""
        works: dict[GpuUuid, str] = {}
        gaps: list[Unknown] = []
        for gpu in self.gpus:
            for name in self.names(gpu):
                found = self.answer(asking(name), handler)
                given = self.given(found.value) if isinstance(found, Known) else found
                if isinstance(given, Unknown):
                    gaps.append(given)
                elif gpu in given.value:
                    works[gpu] = name
                    break
        return joined(gaps) if gaps and not works else Known(value=works)

    def names(self, gpu: GpuUuid) -> Iterator[str]:
        """Name a GPU in every way that somebody may know."""
        yield gpu.text
        yield f"{_AUTOMATIC}{gpu}"
        yield "all"
        registry = self.node.specs
        index = [str(c.index) for c in self._cards if c.uuid == gpu]
        for name in registry.devices if registry is not None else ():
            if name.partition("=")[2] in {gpu.text, "all", *index}:
                yield name

    @property
    def _cards(self) -> tuple[Card, ...]:
        return self.node.cards.value if isinstance(self.node.cards, Known) else ()


def by_variable(name: str) -> Request:
    """A pod that sets the variable."""
    return Request(env=(f"{VARIABLE}={name}",))


def by_mount(name: str) -> Request:
    """A pod that mounts /dev/null where the toolkit looks."""
    mount = Mount(source="/dev/null", destination=f"{VOLUME_MOUNTS_FOLDER}/{name}")
    return Request(mounts=(mount,))


def keys_of(config: ToolkitConfig, handler: Handler) -> Iterable[str]:
    """Give annotations that a handler passes from pods and the toolkit reads."""
    keys = (f"{prefix}{_KEY}" for prefix in config.annotation_prefixes)
    return tuple(key for key in keys if handler.passes(key))
