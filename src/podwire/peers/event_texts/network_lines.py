"""Lines of Multus, the CNI plugins and whereabouts; a line before another one wins.

Every pattern begins with a literal and repeats nothing without a bound, so that a search
takes time in proportion to the text.
"""

from podwire.peers.event_texts.line import Line, line

_NAME = r"[^\s()\"']{0,253}"
_WORD = r"\S{0,253}"

# multus-cni v4.0.2 to v4.3.0: pkg/k8sclient, pkg/types/conf.go, pkg/multus; seen when run at
# v4.2.2. failed to find plugin: containernetworking/cni v1.3.1 pkg/invoke/find.go.
_MULTUS = (
    line(
        "network-missing",
        "multus",
        rf"cannot find a network-attachment-definition \((?P<wanted>{_NAME})\) "
        rf"in namespace \((?P<wanted_namespace>{_NAME})\)",
    ),
    line(
        "network-missing",
        "network-resources-injector",
        rf"could not find network attachment definition '(?P<wanted_namespace>[^\s/']{{0,253}})"
        rf"/(?P<wanted>{_NAME})'",
    ),
    line(
        "network-config-unreadable",
        "multus",
        r"failed to unmarshal Spec\.Config: (?P<reason>[^\n]{0,500})",
    ),
    line("network-config-unreadable", "multus", r"delegate must have the 'type' (?:or|field)"),
    line("network-config-unreadable", "multus", r"error unmarshalling delegate conf"),
    # libcni's words; this and the next as seen when run with multus-cni v4.2.2
    line(
        "network-config-unreadable",
        "multus",
        r"failed to parse plugin config [0-9]{1,3}: (?P<reason>[^\n]{0,500})",
    ),
    line(
        "interface-name-twice",
        "multus",
        rf"validateIfName: interface name (?P<interface>{_NAME}) already exists",
    ),
    line(
        "annotation-unreadable",
        "multus",
        r"failed to parse pod Network Attachment Selection Annotation JSON format: "
        r"(?P<reason>[^\n]{0,500})",
    ),
    line(
        "annotation-unreadable",
        "multus",
        r"parsePodNetworkObjectName: (?P<reason>(?:Invalid|Failed)[^\n]{0,500})",
    ),
    line(
        "annotation-unreadable",
        "multus",
        r"failed to (?P<reason>(?:validate infiniband GUID|mac|parse CIDR|parse IP address)"
        r"[: ][^\n]{0,500})",
    ),
    line(
        "namespace-isolated",
        "multus",
        r"namespace isolation enabled, annotation violates permission, pod is in namespace "
        rf"(?P<from_namespace>{_NAME}) but refers to target namespace "
        rf"(?P<wanted_namespace>{_NAME})",
    ),
    line("default-route-twice", "multus", r"multus does not support ECMP for default-route"),
    line(
        "cni-plugin-missing",
        "multus",
        rf"failed to find plugin \"(?P<cni_type>{_NAME})\" in path \[(?P<path>[^\]\n]{{0,500}})\]",
    ),
)

# The lack of a device. ib-sriov-cni: v1.1.1 to v1.3.0 and after, OpenShift's fork of 2026-07;
# sriov-cni v2.10.0 pkg/config/config.go; containernetworking/plugins v1.9.1 host-device;
# rdma-cni 09b1737 cmd/rdma/main.go.
_NO_DEVICE = (
    line("no-device", "ib-sriov", r"device ID is required for VFIO PCI detection"),
    line("no-device", "ib-sriov", r"deviceID is required"),
    line("no-device", "ib-sriov", r"load config: vf pci addr is required"),
    line(
        "no-device", "ib-sriov", r"nfiniBand SRI-OV CNI failed to load netconf: LoadConf\(\): VF p"
    ),
    line("no-device", "sriov", r"VF pci addr is required"),
    line("no-device", "host-device", r"specify either \"device\", \"hwaddr\""),
    line("no-device", "rdma", r"\"DeviceID\" network configuration attribute is required for rdma"),
)

# ib-sriov-cni v1.1.1 to v1.3.0+80: cmd/ib-sriov-cni/main.go, pkg/config, pkg/sriov. The
# older ones wrote ib-kubernets. sriov-cni shares the VF look-up and the link states.
_IB_SRIOV = (
    line("link-state-invalid", "ib-sriov", rf"invalid link_state value: (?P<value>{_WORD})"),
    line("guid-unset", "ib-sriov", rf"VF (?P<interface>{_NAME}) GUID is not valid"),
    line("guid-refused", "ib-sriov", rf"invalid guid (?P<guid>{_NAME})"),
    line("ib-kubernetes-pending", "ib-sriov", r"mellanox\.infiniband\.app\" is not \"configured\""),
    line("ib-kubernetes-pending", "ib-sriov", r"GUID must be provided by ib-kubernetes"),
    line(
        "rdma-mode-shared",
        "ib-sriov",
        r"RDMA subsystem namespace awareness mode is set to (?P<mode>\w{0,40}), expecting",
    ),
    line(
        "rdma-mode-unreadable",
        "ib-sriov",
        r"failed to get RDMA subsystem namespace awareness mode\. (?P<reason>[^\n]{0,200})",
    ),
    line("dhcp-unsupported", "ib-sriov", r"ipam type dhcp is not supported"),
    line(
        "vfio-mode-missing",
        "ib-sriov",
        rf"PF device (?P<address>{_NAME}) requires vfioPciMode to be enabled",
    ),
    line("vf-lookup-failed", "ib-sriov", rf"failed to detect VF (?P<address>{_NAME}) name"),
    line(
        "vf-lookup-failed",
        "ib-sriov",
        r"failed to get VF information: (?P<reason>[^\n]{0,500})",
    ),
    line("vf-lookup-failed", "ib-sriov", r"PF network device not found"),
    line("device-in-use", "sriov", rf"pci address (?P<address>{_NAME}) is already allocated"),
)

# whereabouts v0.9.4 pkg/config/config.go; config file not found: v0.9.2, seen when run, where
# neither the network nor a whereabouts.conf names a kubeconfig. missing IP config: the CNI
# plugins' own check.
_IPAM = (
    line(
        "ipam-storage-missing",
        "whereabouts",
        r"IPAM configuration load failed: config file not found",
    ),
    line("ipam-storage-missing", "whereabouts", r"you have not configured the storage engine"),
    line("ipam-range-unreadable", "whereabouts", rf"invalid CIDR (?P<range>{_WORD})"),
    line("ipam-without-address", "ib-sriov", r"IPAM plugin returned missing IP config"),
)

# multus-cni v4.3.0 pkg/multus: event AddedInterface; no fault, but evidence.
_ADDED = (
    line(
        "interface-added",
        "multus",
        rf"(?:\AAdd|multus {{1,20}}Add) (?P<interface>{_NAME}) \[(?P<ips>[^\]\n]{{0,300}})\]"
        rf"(?: from (?P<wanted>{_WORD}))?",
    ),
)

NETWORK_LINES: tuple[Line, ...] = (*_MULTUS, *_NO_DEVICE, *_IB_SRIOV, *_IPAM, *_ADDED)
