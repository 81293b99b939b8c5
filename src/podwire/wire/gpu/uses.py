"""One container on one node that is given GPUs, or asks for them itself, and what comes of it."""

import msgspec

from podwire.facts.objects import ContainerStatus
from podwire.facts.workloads import ContainerView, PodView
from podwire.model.evidence import Answer, Path, Place, Step
from podwire.model.names import Ref, ResourceName
from podwire.peers.nvidia_plugin import Handed
from podwire.peers.nvidia_toolkit import Outcome
from podwire.peers.runtime_config import Handler
from podwire.wire.gpu.registrants import Registrant

_REFUSED = "CDI device"
# Reasons of a container that its runtime did not start (kubelet v1.37.2 kuberuntime).
_NEVER_RAN = frozenset({"StartError", "ContainerCannotRun"})


class GpuUse(msgspec.Struct, frozen=True):
    """A container with the node that it is on, or may go to.

    `plugin` and `resource` are what gives it GPUs; None where it asks by its own variable.
    """

    pod: PodView
    view: ContainerView
    node: str
    plugin: Registrant | None = None
    resource: ResourceName | None = None

    @property
    def ref(self) -> Ref:
        """The container, as a part of its pod."""
        return self.pod.ref.at(self.view.container.name)

    @property
    def full_name(self) -> str:
        """The container with its pod, as messages write it."""
        return f"container {self.view.container.name} of {self.pod}"

    def place(self, *path: Step) -> Place:
        """Name a value in the container."""
        return self.pod.place(*self.view.path, *path)

    @property
    def _status(self) -> tuple[Path, ContainerStatus] | None:
        """Its status, with the path that leads there."""
        status = self.pod.status
        if status is None:
            return None
        for key, every in (
            ("containerStatuses", status.container_statuses),
            ("initContainerStatuses", status.init_container_statuses),
        ):
            for index, each in enumerate(every):
                if each.name == self.view.container.name:
                    return ("status", key, index), each
        return None

    @property
    def refusal(self) -> tuple[str, Place] | None:
        """The sentence with which a runtime refused it, where its status has one."""
        found = self._status
        if found is None:
            return None
        path, status = found
        for key, state in (("state", status.state), ("lastState", status.last_state)):
            for word, part in (("waiting", state.waiting), ("terminated", state.terminated)):
                if part is not None and _REFUSED in part.message:
                    return part.message, self.pod.place(*path, key, word, "message")
        return None

    @property
    def has_started(self) -> bool:
        """Its runtime made it at least once: what has happened decides over every model."""
        found = self._status
        if found is None:
            return False
        state, last = found[1].state, found[1].last_state
        ended = (state.terminated, last.terminated)
        return state.running is not None or any(
            each is not None and each.reason not in _NEVER_RAN for each in ended
        )


class Way(msgspec.Struct, frozen=True):
    """How GPUs reach a container on a node: what is handed over, what starts it, what comes of it.

    `handler` is what starts it there, `outcome` what NVIDIA's runtime answers, None where that
    does not see the container. `unresolved` are CDI names that nobody finds, `offered` the
    names that the node has of their kinds; `unread` are CDI names that nobody looks up.
    `says` is the sentence of the refusal, empty where the container starts. `is_example`:
    which GPU the container gets is not known, and with each of the node's it is the same.
    """

    node: str
    handler: Handler
    handed: Handed
    outcome: Outcome | None = None
    unresolved: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    says: str = ""
    plugin: Registrant | None = None
    is_example: bool = False
    assumes: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def is_refused(self) -> bool:
        """NVIDIA's runtime saw which GPUs were meant and did not take it from this container."""
        return self.outcome is not None and self.outcome.ignored and not self.outcome.asked

    @property
    def has_unread_variable(self) -> bool:
        """All that was handed over is for NVIDIA's runtime, which does not start the container."""
        is_for_nvidia = self.handed.variable is not None or bool(self.handed.mounts)
        has_names = bool(self.handed.named or self.handed.annotated)
        return is_for_nvidia and not has_names and not self.handler.is_nvidia

    @property
    def fault(self) -> str:
        """In a word what is wrong; empty where GPUs get through."""
        if self.unresolved:
            return "unresolved"
        if self.says:
            return "refused"
        if self.has_unread_variable:
            return "variable unread"
        if self.is_refused and not (self.handed.named or self.handed.annotated):
            return "variable refused"
        is_by_variable = self.handler.is_nvidia and self.handed.variable is not None
        return "names unread" if self.unread and not is_by_variable else ""


class JudgedUse(msgspec.Struct, frozen=True):
    """A use, and its way as far as it is known."""

    use: GpuUse
    way: Answer[Way]

    @property
    def known(self) -> Way:
        """The way, where it is known."""
        return self.way.need().value

    @property
    def ref(self) -> Ref:
        """The container."""
        return self.use.ref


def own_use(pod: PodView, view: ContainerView, node: str) -> GpuUse:
    """A container that asks for GPUs by itself, as a device plugin does."""
    return GpuUse(pod=pod, view=view, node=node)
