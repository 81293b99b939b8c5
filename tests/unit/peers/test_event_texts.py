"""Recorded event and log lines, and what they tell of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.names import ResourceName
from podwire.peers.event_texts import (
    Decoded,
    Shortage,
    decode,
    insufficient,
    missing_network_event,
    sandbox_event,
    unschedulable_event,
)
from podwire.peers.event_texts.network_lines import NETWORK_LINES
from podwire.peers.event_texts.node_lines import NODE_LINES

UID = "0b1e6d4e-54c5-4a55-8a6e-1a4a3a2b1c0d"
SANDBOX = (
    "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for "
    'sandbox "fc8e34e0": plugin type="multus" name="multus-cni-network" failed (add): '
)
OF_IB_NET = f'[train/w-0/{UID}:ib-net]: error adding container to network "ib-net": '


def decoded(text: str) -> Decoded:
    found = decode(text)
    assert found is not None
    return found


def test_a_missing_network_names_it_its_namespace_and_the_pod() -> None:
    text = (
        f"{SANDBOX}Multus: [train/w-0/{UID}]: error loading k8s delegates k8s args: "
        "TryLoadPodDelegates: error in getting k8s network for pod: GetNetworkDelegates: failed "
        "getting the delegate: getKubernetesDelegate: cannot find a network-attachment-definition "
        "(nosuch) in namespace (other): network-attachment-definitions.k8s.cni.cncf.io "
        '"nosuch" not found'
    )
    assert decoded(text) == Decoded(
        situation="network-missing",
        component="multus",
        namespace="train",
        pod="w-0",
        names={"wanted": "nosuch", "wanted_namespace": "other"},
    )


@pytest.mark.parametrize(
    ("sentence", "component"),
    [
        ("device ID is required for VFIO PCI detection", "ib-sriov"),
        ("deviceID is required", "ib-sriov"),
        (
            "failed to get device specific information. load config: vf pci addr is required",
            "ib-sriov",
        ),
        ("SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required", "sriov"),
        (
            "InfiniBand SRI-OV CNI failed to load netconf: LoadConf(): VF pci addr is required",
            "ib-sriov",
        ),
        ('specify either "device", "hwaddr", "kernelpath" or "pciBusID"', "host-device"),
        ('"DeviceID" network configuration attribute is required for rdma CNI', "rdma"),
    ],
)
def test_a_missing_device_is_known_in_all_its_words(sentence: str, component: str) -> None:
    assert decoded(SANDBOX + OF_IB_NET + sentence) == Decoded(
        situation="no-device",
        component=component,
        namespace="train",
        pod="w-0",
        network="ib-net",
    )


@pytest.mark.parametrize(
    ("text", "situation", "names"),
    [
        (
            (
                "GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: "
                "unexpected end of JSON input"
            ),
            "network-config-unreadable",
            {"reason": "unexpected end of JSON input"},
        ),
        ("delegate must have the 'type' or 'plugin' field", "network-config-unreadable", {}),
        (
            "failed to parse plugin config 1: error parsing configuration: missing 'type'",
            "network-config-unreadable",
            {"reason": "error parsing configuration: missing 'type'"},
        ),
        (
            (
                'DelegateAdd: cannot set "ib-sriov" interface name to "ib0": validateIfName: '
                "interface name ib0 already exists"
            ),
            "interface-name-twice",
            {"interface": "ib0"},
        ),
        (
            'failed to find plugin "ibsriov" in path [/opt/cni/bin /usr/lib/cni]',
            "cni-plugin-missing",
            {"cni_type": "ibsriov", "path": "/opt/cni/bin /usr/lib/cni"},
        ),
        (
            "infiniBand SRI-OV CNI failed to load netconf: invalid link_state value: up",
            "link-state-invalid",
            {"value": "up"},
        ),
        (
            (
                "failed to get device specific information. load config: failed to get VF "
                'information: "failed to open the sriov_numfs of device \\"ib0\\": lstat '
                '/sys/class/net/ib0/device/sriov_numvfs: no such file or directory"'
            ),
            "vf-lookup-failed",
            None,
        ),
        (
            'infiniBand SRI-OV CNI failed to configure VF "VF ib0v0 GUID is not valid"',
            "guid-unset",
            {"interface": "ib0v0"},
        ),
        ("invalid guid 00:00:00:00:00:00:00:00", "guid-refused", None),
        (
            (
                'infiniBand SRIOV-CNI failed, InfiniBand status "mellanox.infiniband.app" is not '
                '"configured" please check mellanox ib-kubernets'
            ),
            "ib-kubernetes-pending",
            {},
        ),
        (
            (
                "RDMA subsystem namespace awareness mode is set to shared, "
                "expecting it to be set to "
                "exclusive, invalid system configurations"
            ),
            "rdma-mode-shared",
            {"mode": "shared"},
        ),
        (
            "failed to get RDMA subsystem namespace awareness mode. protocol not supported",
            "rdma-mode-unreadable",
            {"reason": "protocol not supported"},
        ),
        ("ipam type dhcp is not supported", "dhcp-unsupported", {}),
        (
            "PF device 0000:18:00.0 requires vfioPciMode to be enabled",
            "vfio-mode-missing",
            {"address": "0000:18:00.0"},
        ),
        (
            "pci address 0000:18:00.2 is already allocated",
            "device-in-use",
            {"address": "0000:18:00.2"},
        ),
        ("you have not configured the storage engine", "ipam-storage-missing", {}),
        (
            "2026-11-29T19:54:23Z [error] IPAM configuration load failed: config file not found",
            "ipam-storage-missing",
            {},
        ),
        ("invalid CIDR 10.0.0.0", "ipam-range-unreadable", {"range": "10.0.0.0"}),
        ("IPAM plugin returned missing IP config", "ipam-without-address", {}),
        ("multus does not support ECMP for default-route", "default-route-twice", {}),
        (
            (
                "namespace isolation enabled, annotation violates permission, pod is in namespace "
                "train but refers to target namespace infra"
            ),
            "namespace-isolated",
            {"from_namespace": "train", "wanted_namespace": "infra"},
        ),
        (
            (
                "parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection "
                "Annotation JSON format: unexpected end of JSON input"
            ),
            "annotation-unreadable",
            {"reason": "unexpected end of JSON input"},
        ),
        (
            "parsePodNetworkObjectName: Invalid network object (failed at '/')",
            "annotation-unreadable",
            None,
        ),
        (
            "Add eth0 [10.77.0.9/24] from lab",
            "interface-added",
            {"interface": "eth0", "ips": "10.77.0.9/24", "wanted": "lab"},
        ),
        (
            "could not find network attachment definition 'train/ib-net': could not get",
            "network-missing",
            {"wanted": "ib-net", "wanted_namespace": "train"},
        ),
        (
            "Pod was rejected: Resources cannot be allocated with Topology locality",
            "topology-affinity",
            {},
        ),
        (
            (
                "Pod was rejected: Allocate failed due to requested number of devices "
                "unavailable for "
                "example.com/ib_vf. Requested: 2, Available: 1, which is unexpected"
            ),
            "devices-unavailable",
            {"resource": "example.com/ib_vf", "requested": "2", "available": "1"},
        ),
        (
            (
                "Allocate failed due to no healthy devices present; "
                "cannot allocate unhealthy devices "
                "nvidia.com/gpu, which is unexpected"
            ),
            "devices-unhealthy",
            {"resource": "nvidia.com/gpu"},
        ),
        (
            (
                "Allocate failed due to previously allocated devices are no longer healthy; cannot "
                "allocate unhealthy devices nvidia.com/gpu, which is unexpected"
            ),
            "devices-unhealthy",
            {"resource": "nvidia.com/gpu"},
        ),
        (
            (
                "Allocate failed due to cannot allocate unregistered device example.com/ib_vf, "
                "which is unexpected"
            ),
            "device-unregistered",
            {"resource": "example.com/ib_vf"},
        ),
        (
            "Allocate failed due to rpc error: code = Unknown desc = x, which is unexpected",
            "unexpected-admission",
            None,
        ),
        (
            (
                "Pod was rejected: Node didn't have enough resource: example.com/ib_vf, "
                "requested: 1, used: 8, capacity: 8"
            ),
            "out-of-resource",
            {"resource": "example.com/ib_vf", "requested": "1", "used": "8", "capacity": "8"},
        ),
        (
            'the ResourceName "ib vf" is invalid',
            "resource-name-invalid",
            {"resource": "ib vf"},
        ),
        ("device plugin already connected", "plugin-already-connected", {}),
        (
            (
                'spec.containers[0].resources.limits[ibvf]: Invalid value: "ibvf": '
                "must be a standard resource type or fully qualified"
            ),
            "resource-without-domain",
            {},
        ),
        ("Limit must be set for non overcommitable resources", "limit-missing", {}),
        (
            (
                'Deployment.apps "trainer" is invalid: spec.template.spec.containers[0].resources.'
                'requests: Invalid value: "1": must be equal to example.com/ib_vf limit of 2'
            ),
            "limit-unequal",
            {"resource": "example.com/ib_vf", "limit": "2"},
        ),
        (
            (
                'Pod "worker-0" is invalid: [spec.containers[0].resources.limits[example.com/'
                'ib_vf]: Invalid value: "500m": must be an integer]'
            ),
            "amount-not-whole",
            {"resource": "example.com/ib_vf", "value": "500m"},
        ),
        (
            (
                'Pod "worker-0" is invalid: [spec.containers[0].resources.limits[Example.com/'
                'ib_vf]: Invalid value: "Example.com/ib_vf": prefix part a lowercase RFC 1123 '
                "subdomain must consist of lower case alphanumeric characters"
            ),
            "resource-name-invalid",
            {"resource": "Example.com/ib_vf"},
        ),
        (
            'pods "w-0" is forbidden: pod rejected: RuntimeClass "nvidia" not found',
            "runtime-class-missing",
            {"runtime_class": "nvidia"},
        ),
        (
            "error unmarshalling raw bytes x please make sure the config is in json format",
            "plugin-config-unreadable",
            {},
        ),
        ('unsupported deviceType:  "netdevice"', "device-type-unsupported", {"value": "netdevice"}),
        (
            "unable to get SelectorObj from selectors list:'[123]'",
            "selectors-dropped",
            {"value": "[123]'"},
        ),
        ("no resource configuration; exiting", "pools-missing", {}),
        (
            'resource name "ib-vf" contains invalid characters',
            "pool-name-invalid",
            {"pool": "ib-vf"},
        ),
        ('resource name "ib_vf" already exists', "pool-name-duplicate", {"pool": "ib_vf"}),
        (
            "Exiting.. one or more invalid configuration(s) given",
            "plugin-config-refused",
            {},
        ),
        (
            "invalid config: VdpaType and IsRdma are mutually exclusive options",
            "rdma-and-vdpa",
            {},
        ),
        (
            "no devices in device pool, skipping creating resource server for ib_vf",
            "pool-empty",
            {"pool": "ib_vf"},
        ),
        (
            "Cannot add device [0000:18:00.2]. Already allocated.",
            "device-already-taken",
            {"address": "0000:18:00.2"},
        ),
        (
            "Plugin: example.com_x.sock failed to be registered at Kubelet: x; restarting.",
            "registration-refused",
            {"reason": "x; restarting."},
        ),
        (
            (
                "could not apply required modification to OCI specification: error modifying OCI "
                "spec: failed to inject CDI devices: unresolvable CDI devices "
                "management.nvidia.com/gpu=GPU-1"
            ),
            "cdi-unresolvable",
            {"devices": "management.nvidia.com/gpu=GPU-1"},
        ),
        (
            "failed to generate CDI spec: failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",
            "nvml-missing",
            {"reason": "ERROR_LIBRARY_NOT_FOUND"},
        ),
        ("no available node, 3 nodes do not meet", "hami-node-unregistered", {"nodes": "3"}),
        ("node unregistered", "hami-node-unregistered", {}),
        ("pod has node assigned", "hami-node-assigned", {}),
        ("container main is privileged", "hami-privileged", {"container": "main"}),
    ],
)
def test_each_line_tells_of_its_situation(
    text: str, situation: str, names: dict[str, str] | None
) -> None:
    found = decoded(text)
    assert found.situation == situation
    if names is not None:
        assert found.names == names


def test_every_situation_of_the_tables_was_decoded_above() -> None:
    tried = {
        row[1]
        for mark in test_each_line_tells_of_its_situation.pytestmark  # type: ignore[attr-defined] # set by pytest
        for row in mark.args[1]
    }
    assert {line.situation for line in (*NETWORK_LINES, *NODE_LINES)} == tried | {"no-device"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Successfully assigned train/w-0 to gpu-1",
        "Back-off restarting failed container",
        "I will Add eth0 [soon] to the list",
        "Stopping container main",
    ],
)
def test_other_lines_tell_of_nothing(text: str) -> None:
    assert decode(text) is None


def test_a_pod_without_a_uid_in_its_brackets_is_known_too() -> None:
    found = decoded(
        '[train/w-0:ib-net]: error adding container to network "ib": deviceID is required'
    )
    assert (found.namespace, found.pod, found.network) == ("train", "w-0", "ib")


def test_a_resource_without_a_domain_is_none() -> None:
    assert decoded('the ResourceName "ibvf" is invalid').resource is None


def test_an_unschedulable_pod_names_the_extended_resource_first() -> None:
    found = decoded(
        "0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient example.com/ib_vf."
    )
    assert found.situation == "insufficient-resource"
    assert found.resource == ResourceName.parse("example.com/ib_vf")
    assert found.names["nodes"] == "2"


@pytest.mark.parametrize(
    ("message", "want"),
    [
        (
            (
                "0/3 nodes are available: 2 Insufficient example.com/x, 1 node(s) had untolerated "
                "taint {gpu: }. preemption: 0/3 nodes are available: 1 Insufficient example.com/x."
            ),
            (("example.com/x", 2),),
        ),
        (
            (
                "0/1 nodes are available: 1 Insufficient example.com/ib_vf. "
                "preemption: 0/1 nodes are available: "
                "1 No preemption victims found for incoming pod."
            ),
            (("example.com/ib_vf", 1),),
        ),
        (
            "0/9 nodes are available: 3 Insufficient memory, 9 Insufficient nvidia.com/gpu.",
            (("memory", 3), ("nvidia.com/gpu", 9)),
        ),
        ("0/1 nodes are available: 1 node(s) were unschedulable.", ()),
        ("2 Insufficient example.com/x", ()),
        ("", ()),
    ],
)
def test_the_scheduler_names_what_is_short(message: str, want: tuple[tuple[str, int], ...]) -> None:
    assert insufficient(message) == tuple(Shortage(name=n, nodes=k) for n, k in want)


def test_cpu_is_no_extended_resource() -> None:
    assert Shortage(name="cpu", nodes=1).resource is None


def test_a_sandbox_event_is_read_as_it_is_written() -> None:
    text = sandbox_event("deviceID is required", network="ib-net", namespace="train", pod="w-0")
    assert decoded(text) == Decoded(
        situation="no-device", component="ib-sriov", namespace="train", pod="w-0", network="ib-net"
    )


def test_a_pod_that_has_no_name_yet_leaves_dots() -> None:
    text = sandbox_event("deviceID is required", network="ib-net", namespace="train", pod="")
    assert "[train/.../...:ib-net]: error adding" in text


def test_the_other_events_are_read_as_they_are_written() -> None:
    missing = missing_network_event("a", network_namespace="b", namespace="train", pod="w-0")
    assert decoded(missing).names == {"wanted": "a", "wanted_namespace": "b"}
    assert decoded(missing).pod == "w-0"
    short = unschedulable_event("example.com/x", nodes=3)
    assert insufficient(short) == (Shortage(name="example.com/x", nodes=3),)
    # other reasons may follow behind a comma, as kubernetes v1.37.2 printed them
    open_end = unschedulable_event("example.com/x")
    assert open_end == "0/... nodes are available: ... Insufficient example.com/x"


def test_an_event_that_was_combined_is_read_like_the_first() -> None:
    text = sandbox_event("deviceID is required", network="ib-net", namespace="train", pod="w-0")
    assert decoded(f"(combined from similar events): {text}") == decoded(text)


def test_a_shortage_that_was_combined_is_read_like_the_first() -> None:
    text = unschedulable_event("example.com/x", nodes=3)
    assert decoded(f"(combined from similar events): {text}") == decoded(text)


MIXED = (
    " preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
    "1 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("after", "want"),
    [
        (
            " preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
            "in use",
        ),
        (
            " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            "beyond allocatable",
        ),
        (MIXED, None),
        ("", None),
    ],
)
def test_preemption_tells_what_is_in_use_from_what_no_node_has(
    after: str, want: str | None
) -> None:
    text = unschedulable_event("example.com/x", nodes=1) + after
    assert decoded(text).names.get("why") == want


@given(st.text())
def test_no_text_raises(text: str) -> None:
    decode(text)
    insufficient(text)


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "[a/b:",
        "VF ",
        "[a",
        "invalid guid ",
        "cannot find a network-attachment-definition (",
        'error adding container to network "',
        "0/1 nodes are available: 1 Insufficient ",
        'failed to find plugin "a" in path [',
    ],
)
def test_long_texts_of_one_piece_end(piece: str) -> None:
    decode(piece * 20_000)
    insufficient(f"0/1 nodes are available: {piece * 20_000}")


def test_nodes_that_keep_a_pod_away_are_told_from_nodes_that_lack_a_resource() -> None:
    away = decoded(
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. "
        "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    )
    assert (away.situation, away.names) == (
        "nodes-excluded",
        {"why": "didn't match Pod's node affinity/selector"},
    )
    both = decoded(
        "0/2 nodes are available: 1 Insufficient example.com/ib_vf, 1 node(s) had untolerated "
        "taint(s)."
    )
    assert (both.situation, both.names) == (
        "insufficient-resource",
        {"resource": "example.com/ib_vf", "nodes": "1"},
    )
