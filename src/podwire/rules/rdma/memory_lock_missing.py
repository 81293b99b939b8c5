"""A container has an RDMA device and may not lock memory.

What you see
    The program finds its device and fails when it registers memory: perftest
    says "Couldn't allocate MR", NCCL "Call to ibv_reg_mr failed", the error is
    "Cannot allocate memory". Small messages may work, large ones not.

Why
    Memory that an RDMA device reads and writes is locked. The kernel counts
    it against the process's limit, which comes from the container runtime's
    service and is often 8 MiB or 64 KiB, unless the process has CAP_IPC_LOCK.
    Capabilities belong to one container, not to the pod.

Fix
    Add IPC_LOCK to that container's capabilities, or lift the limit of the
    container runtime's service on the nodes. Write the name without CAP_:
    containerd puts that in front itself.
"""

from collections.abc import Iterator

from podwire.findings.memory_lock import LIFT_LIMIT, SEES, add_lock, seen_capabilities, seen_limit
from podwire.findings.model import Cause, Evidence, Finding, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.wire.containers import locked_memory, rdma
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_IS_LIMITED = "the container runtime neither adds IPC_LOCK nor lifts the limit on locked memory"


def check(container: PodContainer, picture: Picture) -> Iterator[Finding]:
    """Look for IPC_LOCK in a container that requests RDMA devices."""
    if container.is_early or not container.requests:
        return
    given = locked_memory.is_given_lock(container, picture)
    if isinstance(given, Known) and given.value:
        return
    if locked_memory.may_lift_limit(container) or locked_memory.is_seen_to_lock(container, picture):
        return
    asked = rdma.rdma_requests(container, picture).need()
    if not asked.value:
        return
    given.need()
    limit = locked_memory.limit_of(container, picture)
    failed = locked_memory.seen_to_fail(container, picture)
    is_proven = failed is not None or (isinstance(limit, Known) and limit.value.is_small)
    has_effect = not (
        locked_memory.user_of(container) or locked_memory.in_user_namespace(container)
    )
    yield Finding(
        severity=Severity.ERROR if is_proven else Severity.WARNING,
        message=f"{container.full_name} requests {asked.value[0].resource} and may not lock "
        f"memory: it is not given {locked_memory.IPC_LOCK}"
        + (f", and its limit is {limit.value}" if isinstance(limit, Known) else ""),
        evidence=(
            *(Evidence(at=r.place, saw=str(r.count)) for r in asked.value),
            seen_capabilities(container),
            *seen_limit(limit),
            *((Evidence(at=failed.place, saw=failed.value),) if failed else ()),
        ),
        sees=SEES,
        cause=_cause(container),
        fix=(*((add_lock(container),) if has_effect else ()), LIFT_LIMIT),
        assumes=(
            *asked.assumes,
            *(() if failed or isinstance(limit, Known) else (_IS_LIMITED,)),
            *locked_memory.completed_later(container, picture),
        ),
        group=f"{picture.kin(container.pod.pod)} {container.container.name}",
    )


def _cause(container: PodContainer) -> Cause | None:
    added = container.container.security_context.capabilities.add
    if f"CAP_{locked_memory.IPC_LOCK}" not in added:
        return None
    return Cause(text="containerd puts CAP_ in front: it reads CAP_CAP_IPC_LOCK", proven=True)


RULE = Rule(
    id="PW202",
    slug="memory-lock-missing",
    title="Container has an RDMA device and may not lock memory",
    since="0.1",
    joint=Joint.MEMORY,
    refs=(
        "linux v6.1 drivers/infiniband/core/umem.c ib_umem_get",
        "containerd v2.4.2 internal/cri/opts/spec_opts.go WithCapabilities",
    ),
    over=lambda picture: picture.containers,
    check=check,
    is_symptom=True,
)
