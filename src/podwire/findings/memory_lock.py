"""What the rules about locked memory say in the same words: where it shows, what helps."""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Fix, Patch
from podwire.findings.patches import add_value, remove_value
from podwire.model.evidence import Answer, Known
from podwire.wire.containers.locked_memory import IPC_LOCK
from podwire.wire.containers.pod_outputs import Limit
from podwire.wire.joined.pod_parts import PodContainer

SEES = (
    'registering memory fails with "Cannot allocate memory": NCCL logs "Call to ibv_reg_mr '
    'failed", perftest "Couldn\'t allocate MR"; small messages may work'
)
LIFT_LIMIT = Fix(
    text="set LimitMEMLOCK=infinity for the container runtime's service on the nodes, restart it "
    "and recreate the pod",
    breaks="every container on these nodes may lock memory then",
)


def seen_capabilities(container: PodContainer) -> Evidence:
    """Show the capabilities that a container adds."""
    context = container.container.security_context
    if context.privileged:
        return Evidence(at=container.place("securityContext", "privileged"), saw="privileged")
    added = ", ".join(context.capabilities.add)
    return Evidence(
        at=container.place("securityContext", "capabilities", "add"),
        saw=f"adds {added}" if added else "adds no capability",
    )


def seen_limit(limit: Answer[Limit]) -> tuple[Evidence, ...]:
    """Show the limit on locked memory, where it was read."""
    if not isinstance(limit, Known):
        return ()
    return (Evidence(at=limit.places[0], saw=f"limit on locked memory: {limit.value}"),)


def add_lock(container: PodContainer) -> Fix:
    """Give the capability, as a patch where nothing that stands beside it could be lost."""
    dropped = [*_dropped(container)]
    name = container.container.name
    return Fix(
        text=f"take {IPC_LOCK} out of securityContext.capabilities.drop of container {name}"
        if dropped
        else f"add {IPC_LOCK} (without CAP_) to securityContext.capabilities.add of container "
        f"{name}",
        breaks="the Pod Security levels baseline and restricted refuse it",
        patch=_patch(container, dropped=dropped),
    )


def _dropped(container: PodContainer) -> Iterator[int]:
    drops = container.container.security_context.capabilities.drop
    return (index for index, name in enumerate(drops) if name.upper() == IPC_LOCK)


def _patch(container: PodContainer, *, dropped: list[int]) -> Patch | None:
    """Fields of a securityContext that podwire does not read must not be replaced."""
    capabilities = container.container.security_context.capabilities
    path = container.place("securityContext", "capabilities", "add").path
    of = container.pod.ref.whole
    if dropped:
        at = container.place("securityContext", "capabilities", "drop", dropped[0]).path
        return remove_value(of, at) if len(dropped) == 1 and capabilities.add else None
    if capabilities.add:
        return add_value(of, (*path, "-"), IPC_LOCK)
    return add_value(of, path, [IPC_LOCK]) if capabilities.drop else None
