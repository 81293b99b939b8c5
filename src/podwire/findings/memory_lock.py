"""What the rules about locked memory say in the same words: where it shows, what helps."""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Fix, Patch
from podwire.findings.patches import add_value
from podwire.model.evidence import Answer, Known
from podwire.wire.pod_outputs import Limit
from podwire.wire.rdma import IPC_LOCK
from podwire.wire.shares import PodContainer

SEES = (
    'registering memory fails with "Cannot allocate memory": NCCL logs "Call to ibv_reg_mr '
    'failed", perftest "Couldn\'t allocate MR"; small messages may work'
)
LIFT_LIMIT = Fix(
    text="set LimitMEMLOCK=infinity for the container runtime's service on the nodes, restart it "
    "and recreate the pod",
    breaks="every container on these nodes may lock memory then",
)


def evidence_of(container: PodContainer, limit: Answer[Limit]) -> Iterator[Evidence]:
    """Show the capabilities that a container adds, and the limit where it was read."""
    context = container.container.security_context
    if context.privileged:
        yield Evidence(at=container.place("securityContext", "privileged"), saw="privileged")
    else:
        added = ", ".join(context.capabilities.add)
        yield Evidence(
            at=container.place("securityContext", "capabilities", "add"),
            saw=f"adds {added}" if added else "adds no capability",
        )
    if isinstance(limit, Known):
        yield Evidence(at=limit.places[0], saw=f"limit on locked memory: {limit.value}")


def add_lock(container: PodContainer) -> Fix:
    """Add the capability, as a patch where nothing that stands beside it could be lost."""
    return Fix(
        text=f"add {IPC_LOCK} (without CAP_) to securityContext.capabilities.add of container "
        f"{container.container.name}",
        breaks="the Pod Security levels baseline and restricted refuse it",
        patch=_patch(container),
    )


def _patch(container: PodContainer) -> Patch | None:
    """Fields of a securityContext that podwire does not read must not be replaced."""
    capabilities = container.container.security_context.capabilities
    path = container.place("securityContext", "capabilities", "add").path
    of = container.pod.ref
    if capabilities.add:
        return add_value(of, (*path, "-"), IPC_LOCK)
    return add_value(of, path, [IPC_LOCK]) if capabilities.drop else None
