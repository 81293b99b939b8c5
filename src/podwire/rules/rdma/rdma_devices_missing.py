"""A running container holds an InfiniBand function and has no RDMA device.

What you see
    ls /dev/infiniband in the container says "No such file or directory", or
    lists no uverbs, while the interface is there.

Why
    Device nodes are handed over once, when the container is created. A pool
    that got isRdma afterwards changes nothing for it. With RDMA namespaces
    in exclusive mode, a plugin that started while the device was in a pod
    does not know the device and hands over none.

Fix
    Restart the device plugin on that node when none of its functions is in
    a pod, then recreate the pod.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, Unknown
from podwire.wire.containers import pod_outputs, rdma
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_LATER = "isRdma was set, or the plugin restarted, after this container got its devices"
_EXCLUSIVE = "the plugin started while the RDMA device was in a pod (exclusive mode)"


def check(container: PodContainer, picture: Picture) -> Iterator[Finding]:
    """Compare what the container lists with what its request stands for."""
    pod = container.pod.pod
    listed = pod_outputs.rdma_devices(container, picture)
    if pod.stage is not Stage.UP or isinstance(listed, Unknown):
        return
    if any(name.startswith("uverbs") for name in listed.value):
        return
    requests = rdma.infiniband_requests(container, picture)
    if not requests:
        return
    node = pod.spec.node_name
    yield Finding(
        severity=Severity.ERROR,
        message=f"{container.full_name} requests {requests[0].resource} and has no uverbs device "
        f"in {rdma.FOLDER}",
        evidence=(
            *(Evidence(at=r.place, saw=str(r.count)) for r in requests),
            Evidence(at=listed.places[0], saw=", ".join(listed.value) or f"no {rdma.FOLDER}"),
        ),
        sees="ibv_devices finds no device that opens, NCCL uses TCP sockets",
        cause=Cause(text=_EXCLUSIVE if _is_exclusive(node, picture) else _LATER, proven=False),
        fix=(
            Fix(
                text=f"restart the device plugin on {node} while no pod holds its functions, then "
                "recreate the pod",
            ),
            Fix(text=f"load the RDMA modules on {node} (mlx5_ib, ib_uverbs, rdma_ucm)"),
        ),
        group=f"{picture.kin(pod)} {container.container.name}",
    )


def _is_exclusive(node: str, picture: Picture) -> bool:
    files = picture.files(node)
    mode = files.rdma_mode if files else None
    return isinstance(mode, Known) and mode.value == "exclusive"


RULE = Rule(
    id="PW207",
    slug="rdma-devices-missing",
    title="Running container holds an InfiniBand function and has no RDMA device",
    since="0.1",
    joint=Joint.RDMA,
    refs=(
        "sriov-network-device-plugin v3.11.0 pkg/devices/rdma.go",
        "sriov-network-device-plugin v3.11.0 pkg/infoprovider/rdmaInfoProvider.go",
    ),
    over=lambda picture: picture.containers,
    check=check,
    is_symptom=True,
)
