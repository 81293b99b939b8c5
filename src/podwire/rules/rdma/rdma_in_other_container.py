"""One container of a pod holds the RDMA device, another one means to use it.

What you see
    The pod has its interface in every container, and in the one that runs
    the job /dev/infiniband does not exist: ibv_devices finds nothing that
    opens.

Why
    The network namespace is the pod's, so an interface is there for all
    containers. Device nodes are not: kubelet gives them to the container
    that requests the resource, and to no other.

Fix
    Move the request to the container that uses RDMA, with IPC_LOCK beside
    it. Two containers that both use RDMA need a device each.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Place
from podwire.wire.containers import host_mounts, intent, locked_memory, rdma
from podwire.wire.joined.pod_parts import PodContainer, containers_of
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture


def check(pod: WiredPod, picture: Picture) -> Iterator[Finding]:
    """Look for a container that is made ready for RDMA and requests none of it."""
    if len(pod.pod.spec.containers) + len(pod.pod.spec.init_containers) < 2:
        return
    main = [c for c in containers_of(pod) if not c.is_early]
    if len(main) < 2:
        return
    ready = [c for c in main if _sign(c) and not rdma.has_devices_anyway(c)]
    if not ready:
        return
    asked = [(c, rdma.rdma_requests(c, picture).need()) for c in main]
    holders = [(c, answer) for c, answer in asked if answer.value]
    if len(holders) != 1:
        return
    holder, answer = holders[0]
    others = [c for c in ready if c is not holder and _is_meant(c, holder, picture)]
    for other in others[:1]:
        sign, place = _sign(other) or ("", other.place())
        request = answer.value[0]
        yield Finding(
            severity=Severity.WARNING,
            message=f"{other.full_name} {sign} and requests no RDMA device: only container "
            f"{holder.container.name} has those of {request.resource}",
            evidence=(
                Evidence(at=request.place, saw=f"{request.count} ({request.container})"),
                Evidence(at=place, saw=f"container {other.container.name} {sign}"),
            ),
            sees=f"the interface is there, {rdma.FOLDER} is not: in {other.container.name} "
            "ibv_devices finds no device that opens",
            fix=(
                Fix(
                    text=f"move the request for {request.resource} from container "
                    f"{holder.container.name} to {other.container.name}",
                ),
                Fix(
                    text=f"request one more of {request.resource} in {other.container.name}, and "
                    "name one more network for it",
                    breaks="each pod takes one more device",
                ),
            ),
            assumes=answer.assumes,
            group=f"{picture.kin(pod.pod)} {other.container.name}",
            explains=(
                Symptom(slug="memory-lock-missing", of=holder.ref),
                Symptom(slug="host-path-infiniband", of=other.ref),
            ),
        )


def _sign(container: PodContainer) -> tuple[str, Place] | None:
    """Say by what a container shows that it means to use RDMA."""
    mount = host_mounts.host_mount(container)
    if mount is not None and mount.path.startswith(rdma.FOLDER):
        return f"mounts {mount.path} of the host", mount.place
    place = locked_memory.names_lock(container)
    return None if place is None else (f"adds {locked_memory.IPC_LOCK}", place)


def _is_meant(other: PodContainer, holder: PodContainer, picture: Picture) -> bool:
    """Tell RDMA from other reasons to lock memory: only the other one looks like it.

    Of two that run the same, the first is the one that works, by kubectl's own habit.
    """
    if locked_memory.names_lock(other) is None:
        return True
    if other.container.image == holder.container.image and other.path < holder.path:
        return True
    is_holder_ready = intent.rdma_intent(holder, picture) is not None
    return not is_holder_ready and intent.intent_beside_lock(other, picture) is not None


RULE = Rule(
    id="PW204",
    slug="rdma-in-other-container",
    title="RDMA device is in another container than the one that uses it",
    since="0.1",
    joint=Joint.RDMA,
    refs=("kubernetes v1.36.2 pkg/kubelet/cm/devicemanager/pod_devices.go",),
    over=lambda picture: tuple(pod for pod in picture.wired if not pod.is_over),
    check=check,
)
