"""A container is given IPC_LOCK where it has no effect.

What you see
    The capability stands in the manifest, and registering memory fails all
    the same: "Couldn't allocate MR", "Call to ibv_reg_mr failed", "Cannot
    allocate memory".

Why
    Kubernetes adds capabilities to what a process may have. A process of
    root has them in force; a process of any other user does not, for no
    runtime makes them ambient. And the kernel asks for CAP_IPC_LOCK in the
    initial user namespace: a pod with hostUsers: false has it in its own.

Fix
    Lift the limit on locked memory of the container runtime's service: that
    holds for every user and namespace. Or run the container as root, or
    without hostUsers: false.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.memory_lock import LIFT_LIMIT, SEES, seen_capabilities, seen_limit
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.wire.containers import locked_memory, pod_outputs, rdma
from podwire.wire.containers.rdma import Observed
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_NAMESPACE = "the pod has a user namespace of its own (hostUsers: false)"
_NOT_IN_FORCE = "process 1 does not have it in force"
_IS_LIMITED = "the container runtime does not lift the limit on locked memory"
_NO_FILE = "no program in the image has the file capability cap_ipc_lock"
_HONOURED = "the cluster honours hostUsers (Kubernetes 1.33 and newer do by default)"


def check(container: PodContainer, picture: Picture) -> Iterator[Finding]:
    """Look for what keeps a capability that was added from being in force."""
    if container.is_early or not container.requests:
        return
    given = locked_memory.is_given_lock(container, picture)
    why = _why(container, picture)
    if why is None or not (isinstance(given, Known) and given.value):
        return
    if locked_memory.is_seen_to_lock(container, picture):
        return
    asked = rdma.rdma_requests(container, picture).need()
    if not asked.value:
        return
    limit = locked_memory.limit_of(container, picture)
    failed = locked_memory.seen_to_fail(container, picture)
    is_small = isinstance(limit, Known) and limit.value.is_small
    doubts = () if failed else _doubts(container, picture)
    yield Finding(
        severity=Severity.ERROR if failed or (is_small and not doubts) else Severity.WARNING,
        message=f"{container.full_name} is given {locked_memory.IPC_LOCK} without effect: "
        f"{why.value}",
        evidence=(
            *(Evidence(at=r.place, saw=str(r.count)) for r in asked.value),
            seen_capabilities(container),
            Evidence(at=why.place, saw=why.value),
            *seen_limit(limit),
            *((Evidence(at=failed.place, saw=failed.value),) if failed else ()),
        ),
        sees=SEES,
        fix=(LIFT_LIMIT, _other_fix(container)),
        assumes=(
            *asked.assumes,
            *(() if failed or isinstance(limit, Known) else (_IS_LIMITED,)),
            *doubts,
        ),
        group=f"{picture.kin(container.pod.pod)} {container.container.name}",
    )


def _why(container: PodContainer, picture: Picture) -> Observed | None:
    if locked_memory.in_user_namespace(container):
        return Observed(value=_NAMESPACE, place=container.pod.pod.place("spec", "hostUsers"))
    user = locked_memory.user_of(container)
    if user is not None:
        return Observed(value=f"it runs as {user.value}", place=user.place)
    can = pod_outputs.can_lock(container, picture)
    if isinstance(can, Known) and not can.value:
        return Observed(value=_NOT_IN_FORCE, place=can.places[0])
    return None


def _doubts(container: PodContainer, picture: Picture) -> tuple[str, ...]:
    if locked_memory.in_user_namespace(container):
        return (_HONOURED,) if container.pod.pod.stage is Stage.PLANNED else ()
    return () if isinstance(pod_outputs.can_lock(container, picture), Known) else (_NO_FILE,)


def _other_fix(container: PodContainer) -> Fix:
    if locked_memory.in_user_namespace(container):
        return Fix(text="drop hostUsers: false", breaks="root in the pod is root on the node then")
    return Fix(text="run the container as root", breaks="Pod Security level restricted refuses it")


RULE = Rule(
    id="PW203",
    slug="memory-lock-useless",
    title="Container is given IPC_LOCK where it has no effect",
    since="0.1",
    joint=Joint.MEMORY,
    refs=(
        "linux v6.1 drivers/infiniband/core/umem.c ib_umem_get",
        "containerd v2.4.2 internal/cri/opts/spec_opts.go WithoutAmbientCaps",
    ),
    over=lambda picture: picture.containers,
    check=check,
)
