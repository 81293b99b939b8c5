"""Which pod kubelet gave which device to, out of its checkpoint, and what the pod is called.

Source: kubernetes v1.37.2 pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go; the names
of pods are those of their log folders (pkg/kubelet/kuberuntime/helpers.go BuildPodLogsDirectory).
"""

from collections.abc import Mapping

import msgspec

from podwire.node.reading import data_of, names_in
from podwire.ports.hostfs import HostFs

CHECKPOINT = "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"
_LOGS = "var/log/pods"


class Given(msgspec.Struct, frozen=True):
    """One device that one pod was given; `device` is the plugin's own ID."""

    pod_uid: str
    resource: str
    device: str


class _PodEntry(msgspec.Struct):
    pod_uid: str = msgspec.field(default="", name="PodUID")
    resource: str = msgspec.field(default="", name="ResourceName")
    device_ids: dict[str, list[str]] = msgspec.field(default_factory=dict, name="DeviceIDs")


class _Data(msgspec.Struct):
    entries: list[_PodEntry] | None = msgspec.field(default=None, name="PodDeviceEntries")


class _Checkpoint(msgspec.Struct):
    data: _Data = msgspec.field(default_factory=_Data, name="Data")


def given_devices(files: HostFs) -> tuple[Given, ...]:
    """List what pods were given; kubelet keeps pods that have ended in it for a while."""
    return read_checkpoint(files) or ()


def read_checkpoint(files: HostFs) -> tuple[Given, ...] | None:
    """Read the same; None: it is there, and nobody can tell what it says."""
    if not files.exists(CHECKPOINT):
        return ()
    data = data_of(files, CHECKPOINT)
    if data is None:
        return None
    try:
        entries = msgspec.json.decode(data, type=_Checkpoint).data.entries or []
    except msgspec.DecodeError:
        return None
    return tuple(
        Given(pod_uid=entry.pod_uid, resource=entry.resource, device=device)
        for entry in entries
        for ids in entry.device_ids.values()
        for device in ids
    )


def pod_names(files: HostFs) -> Mapping[str, str]:
    """Give `namespace/name` by UID, of the pods that have logs on this machine."""
    found = {}
    for folder in names_in(files, _LOGS):
        namespace, _, rest = folder.partition("_")
        name, _, uid = rest.rpartition("_")
        if name and uid:
            found[uid] = f"{namespace}/{name}"
    return found
