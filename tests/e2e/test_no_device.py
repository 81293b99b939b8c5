"""A CNI plugin that gets no device: its words come through the real Multus, and podwire reads them.

The plugin is a stand-in that says what each version of ib-sriov says; what containerd, Multus
and kubelet put around it is theirs.
"""

import pytest

from podwire.peers.event_texts import decode
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.scenarios import network, pod

pytestmark = pytest.mark.e2e

SENTENCES = {  # by CNI plugin and version
    ("ib-sriov", "v1.1.1"): "load config: vf pci addr is required",
    ("ib-sriov", "v1.3.0"): (
        "failed to get device specific information. load config: vf pci addr is required"
    ),
    ("ib-sriov", "newest"): "deviceID is required",
    ("ib-sriov", "openshift"): "device ID is required for VFIO PCI detection",
    ("sriov", "newest"): "SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required",
}


@pytest.mark.parametrize(("cni", "version"), SENTENCES)
def test_the_event_is_recognised(cni: str, version: str, cluster: Cluster) -> None:
    namespace = f"no-device-{cni}-{version.replace('.', '-')}"
    cluster.node.refuse_with(version)
    cluster.apply([namespace_of(namespace), network("ib-net", namespace=namespace, cni=cni)])
    cluster.apply([pod("trainer", namespace=namespace, count=0)])
    event = cluster.await_fate(f"{namespace}/trainer", "no sandbox").warnings[0]
    cluster.node.refuse_with("newest")
    decoded = decode(event)
    said = SENTENCES[cni, version]
    assert event.endswith(f'error adding container to network "ib-net": {said}')
    assert decoded is not None
    assert (decoded.situation, decoded.namespace, decoded.pod, decoded.network) == (
        "no-device",
        namespace,
        "trainer",
        "ib-net",
    )
    assert decoded.component == cni
