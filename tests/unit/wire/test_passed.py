"""Which device goes to which network of a pod: Multus' order over what kubelet gave."""

import json

import pytest
from tests.pictures import items, picture

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.multus import Handed, Lacking
from podwire.present.trace_devices import own_devices
from podwire.wire.joined.passed import Passed
from podwire.wire.picture import Picture

IB = ResourceName.parse("example.com/ib_vf")
IDS = ("0000:38:00.2", "0000:18:00.2")  # as kubelet lists them

NADS = """
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata:
  name: ib
  namespace: train
  annotations: {k8s.v1.cni.cncf.io/resourceName: example.com/ib_vf}
spec: {config: '{"type": "ib-sriov"}'}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: plain, namespace: train}
spec: {config: '{"type": "macvlan"}'}
"""


def made(
    networks: str = "ib, plain, ib",
    *,
    devices: int = 2,
    ids: tuple[str, ...] | None = IDS,
    multus: str | None = "v4.2.2",
    more: dict[str, str] | None = None,
) -> Picture:
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "w",
            "namespace": "train",
            "uid": "u",
            "annotations": {"k8s.v1.cni.cncf.io/networks": networks, **(more or {})},
        },
        "spec": {
            "nodeName": "gpu-a",
            "containers": [{"name": "t", "resources": {"limits": {str(IB): devices}}}],
        },
        "status": {"phase": "Pending"},
    }
    held = [{"resource_name": str(IB), "device_ids": list(ids or ())}]
    entry = {"name": "w", "namespace": "train", "containers": [{"name": "t", "devices": held}]}
    files = {"nodes/gpu-a/podresources-list.json": json.dumps({"pod_resources": [entry]})}
    return picture(
        cluster={"pods": [pod], "net-attach-defs": items(NADS)},
        files=files if ids is not None else {},
        assume={"multus": multus} if multus else {},
    )


def passed(picture: Picture) -> tuple[Passed, ...]:
    return picture.passed(picture.wired[0])


def devices(picture: Picture) -> list[str | None]:
    """Name the device of each attachment; None for none, "?" where it is not known which."""
    found: list[str | None] = []
    for answer in passed(picture):
        if isinstance(answer, Unknown):
            found.append("?")
        elif isinstance(answer.value, Handed):
            device = answer.value.device
            found.append(device.value if isinstance(device, Known) else "?")
        else:
            found.append(None)
    return found


def test_before_4_3_devices_go_in_kubelets_order() -> None:
    assert devices(made()) == [IDS[0], None, IDS[1]]


def test_since_4_3_devices_go_sorted() -> None:
    assert devices(made(multus="v4.3.0")) == [IDS[1], None, IDS[0]]


def test_without_a_version_only_what_is_sorted_anyway_is_known() -> None:
    assert devices(made(multus=None)) == ["?", None, "?"]
    assert devices(made(ids=IDS[::-1], multus=None)) == [IDS[1], None, IDS[0]]


def test_without_podresources_the_ordinal_is_known() -> None:
    first, _, last = passed(made(ids=None))
    assert [a.value.ordinal for a in (first, last) if isinstance(a, Known) and a.value] == [0, 1]
    assert devices(made(ids=None)) == ["?", None, "?"]


def test_podresources_that_lists_less_than_the_pod_requests_is_not_believed() -> None:
    assert devices(made(ids=())) == ["?", None, "?"]


def test_a_pod_that_requests_none_lacks_all() -> None:
    assert passed(made("ib", devices=0, ids=None)) == (
        Known(value=Lacking(resource=IB, ordinal=0, held=0)),
    )


def test_what_is_used_up_is_lacking() -> None:
    last = passed(made(devices=1, ids=IDS[:1]))[2]
    assert last == Known(value=Lacking(resource=IB, ordinal=1, held=1))


@pytest.mark.parametrize(
    ("networks", "more"),
    [("ib, ib", {"v1.multus-cni.io/default-network": "kube-system/first"})],
)
def test_a_default_network_may_take_a_device_first(networks: str, more: dict[str, str]) -> None:
    assert devices(made(networks, more=more)) == ["?", "?"]
    lacking = passed(made(networks, more=more, devices=1, ids=IDS[:1]))[1]
    assert isinstance(lacking, Known)
    assert isinstance(lacking.value, Lacking)


def test_a_holder_that_no_status_names_has_its_network() -> None:
    found = {str(h.address): (h.network, h.is_attached) for h in made("ib, ib").holders("gpu-a")}
    assert found == {IDS[0]: ("train/ib", False), IDS[1]: ("train/ib", False)}


def test_a_holder_of_a_device_that_no_network_takes_has_none() -> None:
    found = {str(h.address): h.network for h in made("ib").holders("gpu-a")}
    assert found == {IDS[0]: "train/ib", IDS[1]: ""}


def test_the_trace_says_for_which_interface_a_device_is_before_it_is_attached() -> None:
    traced = made("ib, ib")
    lines = list(own_devices(traced.wired[0], IB, picture=traced))
    assert [line.partition(";")[0] for line in lines] == [
        f"{IDS[1]} is for net2",
        f"{IDS[0]} is for net1",
    ]
