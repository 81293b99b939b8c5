"""A container mounts the host's RDMA devices and may not open them.

What you see
    ls shows uverbs0 and its neighbours in the container, and opening one
    fails with "Operation not permitted": ibv_devinfo says "Failed to open
    device", whatever the file's mode and the user.

Why
    A hostPath volume brings the files only. Which device a container may
    open is decided by its device cgroup, and the runtime allows what kubelet
    passes as a device: that of a resource which the container requests.

Fix
    Drop the volume and request a resource of a pool with isRdma. Do not make
    the container privileged: that opens every device of the node.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.containers import host_mounts, rdma
from podwire.wire.containers.host_mounts import HostMount
from podwire.wire.picture import Picture

_NOTHING_ELSE = "nothing but a request adds devices to the container"
_NO_MOFED = "NVIDIA's device plugin does not add RDMA devices to GPUs (mofedEnabled)"


def check(mount: HostMount, picture: Picture) -> Iterator[Finding]:
    """Look for a request that would open what the volume shows."""
    container = mount.container
    if rdma.has_devices_anyway(container):
        return
    if rdma.gets_other_devices(container, picture).need().value:
        return
    pools = rdma.rdma_resources(picture)
    wanted = f"{pools[0]}" if pools else "a resource whose pool says isRdma"
    yield Finding(
        severity=Severity.NOTE if mount.is_read_only else Severity.WARNING,
        message=f"{container.full_name} mounts {mount.path} of the host and requests no RDMA "
        "device: its device cgroup lets it open none",
        evidence=(
            Evidence(at=mount.place, saw=f"{mount.path} of the host"),
            Evidence(at=container.place("resources", "limits"), saw="no RDMA resource"),
        ),
        sees='the devices are listed and do not open: "Operation not permitted", ibv_devinfo '
        'says "Failed to open device"',
        fix=(Fix(text=f"drop the volume and request {wanted} in this container"),),
        assumes=(_NOTHING_ELSE, *((_NO_MOFED,) if rdma.takes_gpus(container) else ())),
        group=f"{picture.kin(container.pod.pod)} {container.container.name}",
    )


RULE = Rule(
    id="PW205",
    slug="host-path-infiniband",
    title="Container mounts the host's RDMA devices and may not open them",
    since="0.1",
    joint=Joint.RDMA,
    refs=(
        "linux v6.1 security/device_cgroup.c",
        "containerd v2.4.2 internal/cri/opts/spec_linux_opts.go WithDevices",
    ),
    over=lambda picture: tuple(host_mounts.host_mounts(picture)),
    check=check,
    is_symptom=True,
)
