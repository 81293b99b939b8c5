"""What becomes of the containers that have GPUs when the set-up changes around them."""

import enum
from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from podwire.facts.workloads import PodView, Stage
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.nvidia_plugin import VARIABLE
from podwire.wire.doors.changes import UNNAME, Change
from podwire.wire.doors.records import Side
from podwire.wire.doors.sides import side_of
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.uses import GpuUse, Way, own_use

Changing = Callable[[tuple[Change, ...]], Gpus]


class Fate(enum.Enum):
    """What a change does to a container that has its GPUs."""

    KEEPS = "keeps"
    LOSES = "starts without them"
    FAILS = "does not start"
    UNKNOWN = "not known"


class Fated(msgspec.Struct, frozen=True):
    """A container with its fate; `says` is what its user would see, or what is not known."""

    use: GpuUse
    fate: Fate
    says: str = ""
    side: Side = Side.ORDINARY
    assumes: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """It requests no GPU and helps itself."""
        return self.use.resource is None

    @property
    def key(self) -> tuple[str, str]:
        """The pod and the container."""
        return self.use.pod.full_name, self.use.view.container.name

    @property
    def is_lost(self) -> bool:
        """It is worse off than before."""
        return self.fate in {Fate.LOSES, Fate.FAILS}


class Fates:
    """Asks again and again what becomes of the same containers."""

    def __init__(self, views: Iterable[PodView], now: Gpus, *, changed: Changing) -> None:
        """`changed` gives the GPU wire as it would be after changes."""
        self._changed = changed
        self._now = now
        self._uses = tuple(_having(views, now))

    def after(self, changes: Iterable[Change]) -> tuple[Fated, ...]:
        """Judge every container that has GPUs now."""
        every = tuple(changes)
        then = self._changed(every)
        unnamed = {change.value for change in every if change.key == UNNAME}
        return tuple(self._fated(use, then, unnamed=unnamed) for use in self._uses)

    def _fated(self, use: GpuUse, then: Gpus, *, unnamed: set[str]) -> Fated:
        side = side_of(use.pod, self._now)
        named = use.pod.spec.runtime_class_name
        asked = _without_class(use) if named in unnamed else use
        fate, says, assumes = _judged(asked, then)
        return Fated(use=use, fate=fate, says=says, side=side, assumes=assumes)


def _without_class(use: GpuUse) -> GpuUse:
    spec = replace(use.pod.spec, runtime_class_name="")
    return replace(use, pod=replace(use.pod, spec=spec))


def _judged(use: GpuUse, then: Gpus) -> tuple[Fate, str, tuple[str, ...]]:
    name = use.pod.spec.runtime_class_name
    classes = then.facts.runtime_classes
    if name and classes.is_complete() and ("", name) not in classes.by_name:
        return Fate.FAILS, f'pod rejected: RuntimeClass "{name}" not found', ()
    way = then.way(use)
    if isinstance(way, Unknown):
        return Fate.UNKNOWN, way.reason, ()
    return (*_of(use, way.value), way.value.assumes)


def _of(use: GpuUse, way: Way) -> tuple[Fate, str]:
    if way.says:
        return Fate.FAILS, way.says
    if gets(use, way):
        return Fate.KEEPS, ""
    if way.is_refused and way.outcome is not None:
        log = next(iter(way.outcome.notes), "")
        why = f"NVIDIA's runtime ignores {VARIABLE} of unprivileged containers"
        return Fate.LOSES, f"no GPU inside: {why}{f' (its log: {log})' if log else ''}"
    if not way.handler.is_nvidia:
        return Fate.LOSES, f"no GPU inside: {way.handler.name} does not read {VARIABLE}"
    return Fate.LOSES, "no GPU inside"


def gets(use: GpuUse, way: Way) -> bool:
    """Whether a container comes to its GPUs; one that asks by itself, to any."""
    if way.fault:
        return False
    if use.resource is not None:
        return True
    gpus = way.outcome.gpus if way.outcome else None
    return gpus is not None and (isinstance(gpus, Unknown) or bool(gpus.value))


def _having(views: Iterable[PodView], now: Gpus) -> Iterator[GpuUse]:
    """Give the containers on nodes that have GPUs now, or would if they were started.

    One that runs and of which podwire does not understand how it came to its GPUs is left out.
    """
    for pod in views:
        if pod.stage is Stage.OVER or not pod.spec.node_name:
            continue
        for use in _uses(pod, now):
            way = now.way(use)
            is_up = use.has_started or pod.stage is Stage.UP
            if _has_now(use, way) or (is_up and isinstance(way, Unknown)):
                yield use


def _uses(pod: PodView, now: Gpus) -> Iterator[GpuUse]:
    node = pod.spec.node_name
    for view in pod.containers():
        resource = now.resource_of(view)
        if resource is not None:
            yield GpuUse(pod=pod, view=view, node=node, resource=resource)
            continue
        asked = now.asks(pod, view, node).request
        if any(e.startswith(f"{VARIABLE}=") for e in (*asked.env, *asked.image_env)):
            use = own_use(pod, view, node)
            if _has_now(use, now.way(use)):
                yield use


def _has_now(use: GpuUse, way: Answer[Way]) -> bool:
    return isinstance(way, Known) and gets(use, way.value)
