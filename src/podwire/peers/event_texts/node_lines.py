"""Lines of the scheduler, kubelet, device plugins, container runtimes and HAMi.

As in `network_lines`: literals first, no repetition without a bound.
"""

from podwire.peers.event_texts.line import Line, line

_NAME = r"[^\s()\"',]{0,253}"
_NUMBER = r"[0-9]{1,9}"
_REST = r"[^\n]{0,500}"

# kubernetes v1.36.2 and v1.37.2: pkg/kubelet/cm/topologymanager, cm/devicemanager/manager.go,
# cm/admission/errors.go, lifecycle/predicate.go, pkg/apis/core/validation. The pod scope says
# "Pod Scope Resources ..." since 1.37.
_KUBELET = (
    line("topology-affinity", "kubelet", r"Resources cannot be allocated with Topology locality"),
    line("topology-affinity", "kubelet", r"TopologyAffinityError"),
    line(
        "devices-unavailable",
        "kubelet",
        rf"requested number of devices unavailable for (?P<resource>{_NAME})\. "
        rf"Requested: (?P<requested>{_NUMBER}), Available: (?P<available>{_NUMBER})",
    ),
    line(
        "devices-unhealthy",
        "kubelet",
        rf"cannot allocate unhealthy devices (?P<resource>{_NAME})",
    ),
    line(
        "device-unregistered",
        "kubelet",
        rf"cannot allocate unregistered device (?P<resource>{_NAME})",
    ),
    line(
        "out-of-resource",
        "kubelet",
        rf"Node didn't have enough resource: (?P<resource>{_NAME}), "
        rf"requested: (?P<requested>{_NUMBER}), used: (?P<used>{_NUMBER}), "
        rf"capacity: (?P<capacity>{_NUMBER})",
    ),
    line("unexpected-admission", "kubelet", rf"Allocate failed due to (?P<reason>{_REST})"),
    line("unexpected-admission", "kubelet", r"UnexpectedAdmissionError"),
    line("plugin-already-connected", "kubelet", r"device plugin already connected"),
    line(
        "resource-name-invalid",
        "kubelet",
        r"the ResourceName \"(?P<resource>[^\"\n]{0,400})\" is invalid",
    ),
    line(
        "resource-without-domain",
        "kube-apiserver",
        r"must be a standard resource type or fully qualified",
    ),
    line(
        "limit-missing",
        "kube-apiserver",
        r"Limit must be set for non overcommitable resources",
    ),
    # These four: kubernetes v1.37.2, seen when run.
    line(
        "limit-unequal",
        "kube-apiserver",
        rf"must be equal to (?P<resource>{_NAME}) limit of (?P<limit>{_NUMBER})",
    ),
    line(
        "amount-not-whole",
        "kube-apiserver",
        rf"resources\.(?:limits|requests)\[(?P<resource>[^\]\s]{{0,400}})\]: "
        rf"Invalid value: \"(?P<value>{_NAME})\": must be an integer",
    ),
    line(
        "resource-name-invalid",
        "kube-apiserver",
        r"resources\.(?:limits|requests)\[(?P<resource>[^\]\s]{0,400})\]: "
        r"Invalid value: \"[^\"\n]{0,400}\": (?:prefix|name) part ",
    ),
    line(
        "runtime-class-missing",
        "kube-apiserver",
        r"pod rejected: RuntimeClass \"(?P<runtime_class>[^\"\n]{0,253})\" not found",
    ),
)

# sriov-network-device-plugin v3.11.0: cmd/sriovdp/main.go, manager.go, pkg/resources/server.go,
# pkg/netdevice.
_SRIOVDP = (
    line(
        "pool-name-invalid",
        "sriov-network-device-plugin",
        r"resource name \"(?P<pool>[^\"\n]{0,400})\" contains invalid characters",
    ),
    line(
        "pool-name-duplicate",
        "sriov-network-device-plugin",
        r"resource name \"(?P<pool>[^\"\n]{0,400})\" already exists",
    ),
    line(
        "rdma-and-vdpa",
        "sriov-network-device-plugin",
        r"VdpaType and IsRdma are mutually exclusive options",
    ),
    line(
        "device-type-unsupported",
        "sriov-network-device-plugin",
        r"unsupported deviceType: {1,2}\"(?P<value>[^\"\n]{0,400})\"",
    ),
    line(
        "selectors-dropped",
        "sriov-network-device-plugin",
        r"unable to get SelectorObj from selectors list:'(?P<value>[^\n]{0,500})",
    ),
    line(
        "plugin-config-unreadable",
        "sriov-network-device-plugin",
        r"please make sure the config is in json format",
    ),
    line(
        "plugin-config-unreadable",
        "sriov-network-device-plugin",
        rf"error getting resources from file (?P<reason>{_REST})",
    ),
    line("pools-missing", "sriov-network-device-plugin", r"no resource configuration; exiting"),
    line(
        "plugin-config-refused",
        "sriov-network-device-plugin",
        r"Exiting\.\. one or more invalid configuration\(s\) given",
    ),
    line(
        "pool-empty",
        "sriov-network-device-plugin",
        rf"no devices in device pool, skipping creating resource server for (?P<pool>{_NAME})",
    ),
    line(
        "device-already-taken",
        "sriov-network-device-plugin",
        r"Cannot add device \[(?P<address>[^\]\s]{0,80})\]\. Already allocated",
    ),
    line(
        "registration-refused",
        "sriov-network-device-plugin",
        rf"failed to be registered at Kubelet: (?P<reason>{_REST})",
    ),
)

# container-device-interface v1.1.1 pkg/cdi/cache.go, printed by containerd and by
# nvidia-container-toolkit 1.20.2 (run); HAMi v2.10.0 pkg/scheduler/{scheduler,webhook}.go.
_GPU = (
    line("cdi-unresolvable", "cdi", rf"unresolvable CDI devices? (?P<devices>{_REST})"),
    line(
        "nvml-missing",
        "nvidia-container-toolkit",
        r"failed to initialize NVML: (?P<reason>\w{0,80})",
    ),
    line(
        "hami-node-unregistered",
        "hami",
        r"no available node, (?P<nodes>[0-9]{1,9}) nodes do not meet",
    ),
    line("hami-node-unregistered", "hami", r"node unregistered"),
    line("hami-node-assigned", "hami", r"pod has node assigned"),
    line("hami-privileged", "hami", rf"container (?P<container>{_NAME}) is privileged"),
)

NODE_LINES: tuple[Line, ...] = (*_KUBELET, *_SRIOVDP, *_GPU)
