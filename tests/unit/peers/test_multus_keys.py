"""Which annotation key was meant."""

import pytest

from podwire.peers.multus import DEFAULT_NETWORK, NETWORKS, RESOURCE_NAME, near_miss_key


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("k8s.v1.cni.cncf.io/network", NETWORKS),
        ("k8s.v1.cni.cncf.io/Networks", NETWORKS),
        ("k8s.v1.cni.cncf.io/netwroks", NETWORKS),
        ("k8s.cni.cncf.io/networks", NETWORKS),
        ("k8s.v1.cni.cncf/networks", NETWORKS),
        ("kubernetes.v1.cni.cncf.io/networks", NETWORKS),
        ("K8s.v1.cni.cncf.io/networks", NETWORKS),
        ("v1.multus-cni.io/networks", NETWORKS),
        ("k8s.v1.cni.cncf.io.networks", NETWORKS),
        ("k8s.v1.cni.cncf.io/resourcename", RESOURCE_NAME),
        ("k8s.v1.cni.cncf.io/resource-name", RESOURCE_NAME),
        ("k8s.v1.cni.cncf.io/default-network", DEFAULT_NETWORK),
    ],
)
def test_a_slip_names_what_was_meant(key: str, meant: str) -> None:
    assert near_miss_key(key) == meant


@pytest.mark.parametrize(
    "key",
    [
        NETWORKS,
        RESOURCE_NAME,
        DEFAULT_NETWORK,
        "k8s.v1.cni.cncf.io/network-status",
        "k8s.v1.cni.cncf.io/networks-status",
        "k8s.v1.cni.cncf.io/nodeSelector",
        "k8s.v1.cni.cncf.io/policy-for",
        "k8s.cni.cncf.io/resourceName",
        "example.com/networks",
        "k8s.ovn.org/pod-networks",
        "networks",
        "prometheus.io/scrape",
        "",
        "/",
    ],
)
def test_another_key_is_left_alone(key: str) -> None:
    assert near_miss_key(key) is None
