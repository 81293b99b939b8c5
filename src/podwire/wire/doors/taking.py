"""Which containers get GPUs through a door as they are written now."""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Container
from podwire.facts.workloads import ContainerView, PodView
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown, derived
from podwire.peers.nvidia_plugin import VARIABLE, VOLUME_MOUNTS_FOLDER
from podwire.peers.nvidia_toolkit import Door as ToolkitDoor
from podwire.peers.nvidia_toolkit import Outcome, Request
from podwire.peers.runtime_config import Handler, RuntimeConfig
from podwire.wire.doors.gates import Gates
from podwire.wire.doors.openings import MANAGEMENT, NRI
from podwire.wire.doors.records import Kind, Taker, in_order
from podwire.wire.doors.sides import side_of
from podwire.wire.gpu.asked import Asked
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.judging import handler_of
from podwire.wire.gpu.uses import GpuUse, own_use

_KINDS = {
    ToolkitDoor.ENVIRONMENT: Kind.VARIABLE,
    ToolkitDoor.IMAGE: Kind.VARIABLE,
    ToolkitDoor.OLD_IMAGE: Kind.VARIABLE,
    ToolkitDoor.VOLUME_MOUNT: Kind.MOUNT,
    ToolkitDoor.ANNOTATION: Kind.ANNOTATION,
}
_VOID = (f"{VARIABLE}=void",)
_OF_VARIABLE = (f"{VARIABLE}=", "CUDA_VERSION=")

Stands = tuple[Kind, Taker | Unknown]


class Takers:
    """The containers of one node, asked one by one; those that are alike are asked once."""

    def __init__(self, gates: Gates, gpus: Gpus, *, has_nri: bool) -> None:
        self._gates = gates
        self._gpus = gpus
        self._has_nri = has_nri
        self._answers: dict[tuple[object, ...], Answer[Outcome]] = {}

    def of(self, pod: PodView) -> Iterator[Stands]:
        """Give each door that a container of a pod stands in, or why that is not known."""
        for view in _containers(pod):
            if view.container.security_context.privileged and self._has_devices(pod, view):
                yield Kind.PRIVILEGE, self._taker(pod, view, self._gates.gpus, *_privileged(view))
                continue
            yield from self._by_runtime(pod, view)
            if self._has_nri:
                yield from self._by_nri(pod, view)

    def _has_devices(self, pod: PodView, view: ContainerView) -> bool:
        """Whether privilege opens every device: a handler can be told to keep them."""
        runtime = self._gates.node.runtime
        handler = self._handler(pod, view, runtime.value) if isinstance(runtime, Known) else None
        return handler is None or not handler.privileged_without_host_devices

    def _taker(
        self,
        pod: PodView,
        view: ContainerView,
        gpus: tuple[GpuUuid, ...],
        saw: str,
        path: tuple[str | int, ...],
    ) -> Taker:
        return Taker(
            pod=pod,
            view=view,
            gpus=gpus,
            saw=saw,
            place=pod.place(*path) if path[0] == "metadata" else pod.place(*view.path, *path),
            side=side_of(pod, self._gpus),
        )

    def _by_runtime(self, pod: PodView, view: ContainerView) -> Iterator[Stands]:
        runtime = self._gates.node.runtime
        asked = self._gpus.asks(pod, view, self._gates.node.name)
        if isinstance(runtime, Unknown):
            if _may_ask(asked.request):
                yield Kind.VARIABLE, runtime
            return
        handler = self._handler(pod, view, runtime.value)
        if handler is None or not handler.is_nvidia:
            return
        request = self._whole(pod, asked.request, handler)
        handed = self._handed_variable(pod, view, asked)
        if isinstance(handed, Known) and handed.value:
            # The plugin's variable replaces the image's; mounts and annotations go before it.
            request = msgspec.structs.replace(request, env=_VOID, image_env=())
            yield from self._asking(pod, view, request, handler)
        else:
            gap = asked.gap or (handed if isinstance(handed, Unknown) else None)
            yield from self._by_itself(pod, view, request, handler, gap)

    def _by_itself(
        self,
        pod: PodView,
        view: ContainerView,
        request: Request,
        handler: Handler,
        gap: Unknown | None,
    ) -> Iterator[Stands]:
        """Judge what a container asks itself; `gap` is why its variable is not known."""
        stands = tuple(self._asking(pod, view, request, handler))
        if gap is None or any(kind is not Kind.VARIABLE for kind, _ in stands):
            yield from stands
        elif self._obeys_variable(request):
            yield Kind.VARIABLE, gap

    def _handler(self, pod: PodView, view: ContainerView, runtime: RuntimeConfig) -> Handler | None:
        use = own_use(pod, view, self._gates.node.name)
        found = handler_of(use, runtime, facts=self._gpus.facts)
        return found.value if isinstance(found, Known) else None

    @staticmethod
    def _whole(pod: PodView, request: Request, handler: Handler) -> Request:
        """Add the pod's annotations that the handler passes on."""
        passed = {k: v for k, v in pod.metadata.annotations.items() if handler.passes(k)}
        if not passed:
            return request
        return msgspec.structs.replace(request, annotations={**request.annotations, **passed})

    def _handed_variable(self, pod: PodView, view: ContainerView, asked: Asked) -> Answer[bool]:
        """Whether a plugin sets the variable, and the container does not set it again."""
        resource = self._gpus.resource_of(view)
        is_own = any(entry.startswith(f"{VARIABLE}=") for entry in asked.request.env)
        if resource is None or is_own:
            return Known(value=False)
        use = GpuUse(pod=pod, view=view, node=self._gates.node.name, resource=resource)
        return derived(self._gpus.way(use), lambda way: way.handed.variable is not None)

    def _obeys_variable(self, request: Request) -> bool:
        """Whether a variable of this container would count, whatever is in it."""
        config = self._gates.node.toolkit
        is_refused = isinstance(config, Known) and not config.value.accept_variable
        return request.is_privileged or not is_refused

    def _asking(
        self, pod: PodView, view: ContainerView, request: Request, handler: Handler
    ) -> Iterator[Stands]:
        if not _may_ask(request):
            return
        key = (handler.name, *request.key)
        if key not in self._answers:
            self._answers[key] = self._gates.answer(request, handler)
        found = self._answers[key]
        if isinstance(found, Unknown):
            yield Kind.VARIABLE, found
            return
        kind = _KINDS.get(found.value.door) if found.value.door else None
        given = self._gates.given(found.value)
        if kind is None:
            return
        if isinstance(given, Unknown):
            yield kind, given
        elif given.value:
            saw, path = _seen(pod, view, kind, request)
            taker = self._taker(pod, view, given.value, saw, path)
            by_privilege = kind is Kind.VARIABLE and request.is_privileged
            yield kind, msgspec.structs.replace(taker, by_privilege=by_privilege)

    def _by_nri(self, pod: PodView, view: ContainerView) -> Iterator[Stands]:
        """Read the annotation that counts for the container: its own, the pod's, the bare one."""
        keys = (f"{NRI}/container.{view.container.name}", f"{NRI}/pod", NRI)
        key = next((key for key in keys if key in pod.metadata.annotations), None)
        if key is None:
            return
        names = pod.metadata.annotations[key]
        wanted = {name.partition("=")[2] for name in names.split(",")}
        gates = self._gates
        found = in_order(gates.gpus, (g for g in gates.gpus if wanted & {g.text, "all"}))
        if found and MANAGEMENT not in names:
            path = ("metadata", "annotations", key)
            yield Kind.NRI, self._taker(pod, view, found, f"{key}: {names}", path)


def _containers(pod: PodView) -> Iterator[ContainerView]:
    """Give every container, ephemeral ones too: those that `kubectl debug` adds."""
    yield from pod.containers()
    for index, container in enumerate(pod.spec.ephemeral_containers):
        yield ContainerView(container=container, path=("spec", "ephemeralContainers", index))


def _privileged(view: ContainerView) -> tuple[str, tuple[str | int, ...]]:
    named = next((v.value for v in reversed(view.container.env) if v.name == VARIABLE), None)
    saw = "privileged" if named is None else f"privileged, {VARIABLE}={named}"
    return saw, ("securityContext", "privileged")


def _may_ask(request: Request) -> bool:
    """Whether there is anything that the toolkit reads; most containers have nothing."""
    return (
        any(entry.startswith(_OF_VARIABLE) for entry in (*request.env, *request.image_env))
        or any(m.destination.startswith(VOLUME_MOUNTS_FOLDER) for m in request.mounts)
        or bool(request.annotations)
    )


def _seen(
    pod: PodView, view: ContainerView, kind: Kind, request: Request
) -> tuple[str, tuple[str | int, ...]]:
    """Show what asks, and where it stands."""
    if kind is Kind.MOUNT:
        every = enumerate(view.container.volume_mounts)
        index, mount = next(
            (i, m) for i, m in every if m.mount_path.startswith(VOLUME_MOUNTS_FOLDER)
        )
        return f"mounts {mount.mount_path}", ("volumeMounts", index)
    if kind is Kind.ANNOTATION:
        key = next(k for k in request.annotations if k in pod.metadata.annotations)
        return f"{key}: {request.annotations[key]}", ("metadata", "annotations", key)
    return _variable(view.container, request)


def _variable(container: Container, request: Request) -> tuple[str, tuple[str | int, ...]]:
    for index in range(len(container.env) - 1, -1, -1):
        if container.env[index].name == VARIABLE:
            return f"{VARIABLE}={container.env[index].value}", ("env", index)
    own = next((e for e in reversed(request.env) if e.startswith(f"{VARIABLE}=")), None)
    if own is not None:
        return f"{own}, from a ConfigMap", ("envFrom",)
    image = next((e for e in request.image_env if e.startswith(_OF_VARIABLE)), VARIABLE)
    return f"its image has {image}", ("image",)
