"""Containers that mount the RDMA devices of the node by a hostPath volume."""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Volume
from podwire.facts.workloads import Stage
from podwire.model.evidence import Known, Place
from podwire.model.names import Ref
from podwire.peers import ib_sriov
from podwire.peers.multus import CniConfig
from podwire.wire.containers.locked_memory import names_lock
from podwire.wire.containers.rdma import FOLDER
from podwire.wire.joined.pod_parts import PodContainer, containers_of
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_DEV = "/dev"


class HostMount(msgspec.Struct, frozen=True, gc=False):
    """The folder of the RDMA devices, or /dev, mounted from the host into a container."""

    container: PodContainer
    path: str
    place: Place
    is_read_only: bool = False

    @property
    def ref(self) -> Ref:
        """The container."""
        return self.container.ref


def host_mounts(picture: Picture) -> Iterator[HostMount]:
    """Find the containers, of any pod that has not ended, that mount RDMA devices.

    Whoever mounts all of /dev counts only where the container shows that it means RDMA.
    """
    for view in picture.views:
        volumes = view.spec.volumes
        if view.stage is Stage.OVER or not any(_device_path(v) for v in volumes):
            continue
        pod = picture.wire(view) or WiredPod(pod=view, networks=None, attachments=(), requests=())
        for container in containers_of(pod):
            mount = None if container.is_early else host_mount(container)
            if mount and (mount.path != _DEV or _means_rdma(container)):
                yield mount


def host_mount(container: PodContainer) -> HostMount | None:
    """Find the mount of RDMA devices in one container."""
    spec = container.pod.pod.spec
    if not any(volume.host_path for volume in spec.volumes):
        return None
    paths = {volume.name: _device_path(volume) for volume in spec.volumes}
    for index, mount in enumerate(container.container.volume_mounts):
        if path := paths.get(mount.name):
            place = container.place("volumeMounts", index, "mountPath")
            return HostMount(
                container=container, path=path, place=place, is_read_only=mount.read_only
            )
    return None


def _device_path(volume: Volume) -> str:
    """Give the host path of a volume that holds RDMA devices; empty for others."""
    if volume.host_path is None:
        return ""
    steps = volume.host_path.path.split("/")
    path = "/" + "/".join(step for step in steps if step not in {"", "."})
    return path if path == _DEV or f"{path}/".startswith(f"{FOLDER}/") else ""


def _means_rdma(container: PodContainer) -> bool:
    return names_lock(container) is not None or any(
        isinstance(a.cni, Known)
        and isinstance(a.cni.value, CniConfig)
        and a.cni.value.main.type == ib_sriov.IB_SRIOV
        for a in container.pod.attachments
    )
