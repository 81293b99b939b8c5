"""Requests for GPUs that NVIDIA's runtime takes in another way than they read."""

import enum
from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Container
from podwire.model.names import Ref
from podwire.peers.nvidia_plugin import VARIABLE
from podwire.wire.gpu.uses import GpuUse

# Each adds something beside GPUs where it is `enabled`.
FEATURES = ("NVIDIA_GDS", "NVIDIA_MOFED", "NVIDIA_GDRCOPY", "NVIDIA_NVSWITCH")
_NOTHING = frozenset({"none", "void"})
_WHOLE = frozenset({"all", "none", "void"})


class Oddity(enum.Enum):
    """What is odd about a request; whether it comes to anything the version decides."""

    REPEATED = "names a device twice"
    NONE = "asks for none"
    FEATURE = "turns a feature on"


class OddRequest(msgspec.Struct, frozen=True):
    """A container on a node with such a request; `index` is that of the variable."""

    use: GpuUse
    oddity: Oddity
    index: int

    @property
    def ref(self) -> Ref:
        """The container, with what is odd about it."""
        return self.use.ref.at(self.oddity.value)

    @property
    def written(self) -> str:
        """The variable as it stands there."""
        variable = self.use.view.container.env[self.index]
        return f"{variable.name}={variable.value}"

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices in the list, each once."""
        return tuple(dict.fromkeys(_words(self.use.view.container.env[self.index].value)))


def odd_requests(use: GpuUse) -> Iterator[OddRequest]:
    """Look at the variables of a container's own."""
    for oddity, index in _oddities(use.view.container, has_request=use.resource is not None):
        yield OddRequest(use=use, oddity=oddity, index=index)


def _oddities(container: Container, *, has_request: bool) -> Iterator[tuple[Oddity, int]]:
    named = {v.name: i for i, v in enumerate(container.env) if v.value_from is None}
    asks = named.get(VARIABLE)
    words = _words(container.env[asks].value) if asks is not None else []
    if asks is not None and _WHOLE.isdisjoint(words) and len(set(words)) < len(words):
        yield Oddity.REPEATED, asks
    if asks is not None and words == ["none"]:
        yield Oddity.NONE, asks
    feature = next((n for n in FEATURES if n in named and _is_on(container, named[n])), None)
    wants = bool(words) and _NOTHING.isdisjoint(words)
    if feature is not None and (has_request or wants):
        yield Oddity.FEATURE, named[feature]


def _is_on(container: Container, index: int) -> bool:
    return container.env[index].value == "enabled"


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]
