"""Whether a container may lock memory: what it is given, and what keeps that from working."""

import re

import msgspec

from podwire.facts.node import NodeFiles
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.peers import container_runtime
from podwire.wire.containers import pod_outputs
from podwire.wire.containers.pod_outputs import Limit
from podwire.wire.containers.rdma import Observed
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.joined.unseen import unseen_webhooks
from podwire.wire.picture import Picture

IPC_LOCK = "IPC_LOCK"
_REGISTERING = ("ibv_reg_mr", "Cannot allocate memory")
_UNIT = re.compile(
    r"(etc|usr/lib|lib)/systemd/system/(containerd|crio|cri-o|k3s|rke2-\w+)\.service\b"
)
_LIMIT = re.compile(r"\s*LimitMEMLOCK\s*=\s*(?P<value>\S+)\s*")


def names_lock(container: PodContainer) -> Place | None:
    """Find IPC_LOCK, by name, among the capabilities that a container adds."""
    added = container.container.security_context.capabilities.add
    for index, name in enumerate(added):
        if name.upper().removeprefix("CAP_") == IPC_LOCK:
            return container.place("securityContext", "capabilities", "add", index)
    return None


def is_given_lock(container: PodContainer, picture: Picture) -> Answer[bool]:
    """Say whether a container is given IPC_LOCK, in force or not."""
    context = container.container.security_context
    if context.privileged:
        return Known(value=True)
    capabilities = context.capabilities
    given = container_runtime.has(IPC_LOCK, capabilities, runtime="")
    if isinstance(given, Known):
        return given
    return container_runtime.has(IPC_LOCK, capabilities, runtime=_runtime(container, picture))


def may_lift_limit(container: PodContainer) -> bool:
    """Whether it has SYS_RESOURCE in force, with which a process may lift its own limit."""
    capabilities = container.container.security_context.capabilities
    given = container_runtime.has("SYS_RESOURCE", capabilities, runtime="")
    is_in_force = not (user_of(container) or in_user_namespace(container))
    return is_in_force and isinstance(given, Known) and given.value


def limit_of(container: PodContainer, picture: Picture) -> Answer[Limit]:
    """Say how much memory it may lock without the capability: read in the pod, else on nodes.

    A pod that may run on any node has what all nodes in sight give.
    """
    pod = container.pod.pod
    seen = pod_outputs.locked_memory(pod, picture)
    if isinstance(seen, Known):
        return seen
    nodes = (pod.spec.node_name,) if pod.spec.node_name else picture.node_names
    units = [_by_unit(picture.files(node)) for node in nodes]
    known = [unit for unit in units if isinstance(unit, Known)]
    return known[0] if known and len(known) == len(units) else seen


def _by_unit(files: NodeFiles | None) -> Answer[Limit]:
    """Read LimitMEMLOCK=infinity of the container runtime's service, the last one counts."""
    found: Answer[Limit] = Unknown(reason="the limit of the container runtime's service")
    for name, file in sorted(files.files.items()) if files else ():
        for number, line in enumerate(file.text.split("\n") if _UNIT.match(name) else (), start=1):
            if match := _LIMIT.fullmatch(line):
                is_infinite = match["value"] == "infinity"
                place = Place(document=file.document, path=(number,))
                found = Known(value=Limit(soft=None, hard=None), places=(place,))
                if not is_infinite:
                    found = Unknown(reason=f"{file.document.name} sets another limit")
    return found


def is_seen_to_lock(container: PodContainer, picture: Picture) -> bool:
    """Whether something read shows that the container may lock as much as it likes."""
    limit = limit_of(container, picture)
    if isinstance(limit, Known) and limit.value.soft is None:
        return True
    can = pod_outputs.can_lock(container, picture)
    return isinstance(can, Known) and can.value and not in_user_namespace(container)


def seen_to_fail(container: PodContainer, picture: Picture) -> Observed | None:
    """Find NCCL's word that memory could not be registered."""
    pod = container.pod.pod
    line = pod_outputs.line_with(pod, "nccl.log", *_REGISTERING, picture=picture)
    return None if line is None else Observed(value=line[0], place=line[1])


def in_user_namespace(container: PodContainer) -> bool:
    """Whether its capabilities hold in a user namespace of its own only."""
    return container.pod.pod.spec.host_users is False


def _runtime(container: PodContainer, picture: Picture) -> str:
    """Name the runtime of the pod's node, or of all nodes where they agree; else nothing."""
    bound = container.pod.pod.spec.node_name
    node = picture.node(bound) if bound else None
    if bound:
        version = node.status.node_info.container_runtime_version if node else ""
        return container_runtime.runtime_of(version)
    names = {container_runtime.runtime_of(version) for version in picture.runtimes}
    return names.pop() if len(names) == 1 else ""


def user_of(container: PodContainer) -> Observed | None:
    """Say as which user, never root, a container's fields make it run; None: they do not.

    The container's own fields win over the pod's, each for itself. An image's user is not read.
    """
    pod = container.pod.pod
    levels = (
        (container.container.security_context, container.place("securityContext")),
        (pod.spec.security_context, pod.place("spec", "securityContext")),
    )
    for context, place in levels:
        if context.run_as_user is not None:
            user = Observed(value=f"user {context.run_as_user}", place=_in(place, "runAsUser"))
            return user if context.run_as_user else None
    for context, place in levels:
        if context.run_as_non_root is not None:
            user = Observed(value="a user other than root", place=_in(place, "runAsNonRoot"))
            return user if context.run_as_non_root else None
    return None


def _in(place: Place, key: str) -> Place:
    return msgspec.structs.replace(place, path=(*place.path, key))


def completed_later(container: PodContainer, picture: Picture) -> tuple[str, ...]:
    """Assume that no webhook changes a pod that is only planned, unless webhooks were listed."""
    return unseen_webhooks(container.pod.pod, picture.facts, does="completes the pod")
