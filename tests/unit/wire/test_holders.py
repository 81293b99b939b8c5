"""Which pod holds which function of a node, by network-status and by PodResources."""

import json

from tests.pictures import picture
from tests.wire_manifests import IB, SYSFS, nad, pod

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Known, Unknown
from podwire.wire.joined.holders import at_home, away_at
from podwire.wire.picture import Picture

VF = PciAddress.parse("0000:1a:00.1")
STATUS = "k8s.v1.cni.cncf.io/network-status"
ATTACHED = json.dumps(
    [{"name": "train/ib-net", "device-info": {"type": "pci", "pci": {"pci-address": str(VF)}}}]
)
EARLIER, LATER = "2027-01-01T08:00:00Z", "2027-01-01T09:00:00Z"


def running(name: str = "w", *, phase: str = "Running", status: str | None = ATTACHED) -> str:
    return pod(
        name,
        networks="ib-net",
        limits={str(IB): 1},
        annotations={} if status is None else {STATUS: status},
        node="gpu-a",
        status={"phase": phase, "startTime": EARLIER},
    )


def kubelet(name: str = "w") -> dict[str, str]:
    device = {"resourceName": str(IB), "deviceIds": [str(VF)]}
    containers = [{"name": "t", "devices": [device]}]
    entry = {"name": name, "namespace": "train", "containers": containers}
    return {"nodes/gpu-a/podresources-list.json": json.dumps({"podResources": [entry]})}


def made(*manifests: str, files: dict[str, str] | None = None) -> Picture:
    sysfs = {"nodes/gpu-a/sysfs.txt": SYSFS}
    return picture(nad() + "".join(manifests), files={**sysfs, **(files or {})})


def test_network_status_tells_whose_interface_a_function_is() -> None:
    (holder,) = made(running()).holders("gpu-a")
    assert (holder.address, holder.pod.name, holder.since) == (VF, "w", EARLIER)
    assert (holder.is_attached, holder.network) == (True, "train/ib-net")
    assert (holder.container, holder.resource) == ("", None)


def test_pod_resources_add_the_container_and_the_resource() -> None:
    (holder,) = made(running(), files=kubelet()).holders("gpu-a")
    assert (holder.is_attached, holder.container, holder.resource) == (True, "t", IB)


def test_a_function_that_kubelet_gave_is_held_before_it_is_attached() -> None:
    (holder,) = made(running(status=None), files=kubelet()).holders("gpu-a")
    assert (holder.address, holder.is_attached, holder.since) == (VF, False, EARLIER)


def test_a_pod_that_ended_holds_nothing() -> None:
    assert made(running(phase="Succeeded")).holders("gpu-a") == ()


def test_functions_that_pods_had_before_the_plugin_started_were_away() -> None:
    holders = made(running()).holders("gpu-a")
    assert away_at(LATER, holders=holders) == Known(value=frozenset({VF}))
    assert away_at("2027-01-01T07:00:00Z", holders=holders) == Known(value=frozenset())


def test_nobody_knows_what_was_away_without_the_start_of_the_plugin() -> None:
    assert isinstance(away_at(None, holders=made(running()).holders("gpu-a")), Unknown)
    assert away_at(None, holders=()) == Known(value=frozenset())


def test_a_function_in_a_pod_has_the_device_of_its_port_at_home() -> None:
    bare = SYSFS.replace("sys/bus/pci/devices/0000:1a:00.1/net/ibp26s0v0/type = 32\n", "")
    cluster = made(running(), files={"nodes/gpu-a/sysfs.txt": bare})
    files = cluster.files("gpu-a")
    assert files is not None
    functions = files.functions.need().value
    found = {f.address: f for f in at_home(functions, holders=cluster.holders("gpu-a"))}
    assert [d.attributes.read("type").need().value for d in found[VF].netdevs] == ["32"]
    assert at_home(functions, holders=()) == functions
