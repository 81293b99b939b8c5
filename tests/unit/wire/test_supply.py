"""What nodes offer, which nodes a pod may use, and what anything makes."""

from tests.pictures import items, picture

from podwire.facts.workloads import PodView
from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.wire.joined.offers import Source
from podwire.wire.picture import Picture

IB = ResourceName.parse("example.com/ib_vf")

NODE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-a, labels: {fabric: ib}}
spec: {taints: [{key: gpu, effect: NoSchedule}]}
status:
  capacity: {cpu: "4", example.com/ib_vf: "4"}
  allocatable: {cpu: "4", example.com/ib_vf: "3"}
  nodeInfo: {kubeletVersion: v1.32.4}
"""
BARE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-b}
status:
  capacity: {cpu: "4"}
  nodeInfo: {kubeletVersion: v1.32.4}
"""
POOL = """
apiVersion: v1
kind: ConfigMap
metadata: {name: sriovdp-config, namespace: kube-system}
data:
  config.json: |
    {"resourceList": [{"resourceName": "ib_vf", "resourcePrefix": "example.com",
      "selectors": {"devices": ["101e"]}}]}
"""
SYSFS = """\
sys/bus/pci/devices/0000:1a:00.0/vendor = 0x15b3
sys/bus/pci/devices/0000:1a:00.0/device = 0x1021
sys/bus/pci/devices/0000:1a:00.0/class = 0x020700
sys/bus/pci/devices/0000:1a:00.0/driver -> mlx5_core
sys/bus/pci/devices/0000:1a:00.0/virtfn0 -> 0000:1a:00.1
sys/bus/pci/devices/0000:1a:00.1/vendor = 0x15b3
sys/bus/pci/devices/0000:1a:00.1/device = 0x101e
sys/bus/pci/devices/0000:1a:00.1/class = 0x020700
sys/bus/pci/devices/0000:1a:00.1/physfn -> 0000:1a:00.0
sys/bus/pci/devices/0000:1a:00.1/driver -> mlx5_core
sys/bus/pci/devices/0000:1a:00.1/net/ibp26s0v0/type = 32
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: w, namespace: train}
spec:
  tolerations: [{operator: Exists}]
  containers: [{name: t, resources: {limits: {example.com/ib_vf: 1}}}]
"""


def pod_of(made: Picture) -> PodView:
    return made.pods[0]


def test_capacity_of_the_node_comes_first() -> None:
    offer = picture(cluster={"nodes": items(NODE)}).offer(IB, "gpu-a").need()
    assert (offer.value.capacity, offer.value.allocatable) == (4, 3)
    assert offer.value.source is Source.NODE


def test_a_capacity_that_was_read_makes_what_is_missing_absent() -> None:
    offer = picture(cluster={"nodes": items(BARE)}).offer(IB, "gpu-b").need()
    assert not offer.value.is_any


def test_without_the_node_the_model_of_the_pool_answers() -> None:
    made = picture(POOL, files={"nodes/gpu-a/sysfs.txt": SYSFS})
    offer = made.offer(IB, "gpu-a").need()
    assert (offer.value.allocatable, offer.value.source) == (1, Source.MODEL)
    assert offer.assumes


def test_a_planned_pool_cannot_show_in_the_capacity_yet() -> None:
    files = {"nodes/gpu-b/sysfs.txt": SYSFS}
    planned = picture(POOL, cluster={"nodes": items(BARE)}, files=files)
    assert planned.offer(IB, "gpu-b").need().value.source is Source.MODEL
    blind = picture(POOL, cluster={"nodes": items(BARE)})
    assert isinstance(blind.offer(IB, "gpu-b"), Unknown)


def test_a_pool_in_force_is_believed_by_the_capacity() -> None:
    cluster = {"nodes": items(BARE), "configmaps": items(POOL)}
    made = picture(cluster=cluster, files={"nodes/gpu-b/sysfs.txt": SYSFS})
    assert made.offer(IB, "gpu-b").need().value.source is Source.NODE


def test_what_a_device_class_serves_is_not_counted() -> None:
    served = """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: ib}
        spec: {extendedResourceName: example.com/ib_vf}
        """
    made = picture(cluster={"nodes": items(BARE), "deviceclasses": items(served)})
    assert isinstance(made.offer(IB, "gpu-b"), Unknown)
    assert made.makes(IB).need().value


def test_nothing_makes_it_where_all_nodes_were_read() -> None:
    made = picture(cluster={"nodes": items(BARE)})
    assert made.makes(IB) == Known(value=False)


def test_a_node_without_capacity_leaves_it_open() -> None:
    cut = "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-c}\n"
    assert isinstance(picture(cluster={"nodes": items(cut)}).makes(IB), Unknown)


def test_newer_kubelets_may_be_served_by_classes_that_were_not_listed() -> None:
    newer = BARE.replace("v1.32.4", "v1.36.2")
    answer = picture(cluster={"nodes": items(newer)}).makes(IB).need()
    assert not answer.value
    assert answer.assumes


def test_candidates_are_the_nodes_that_nothing_keeps_the_pod_from() -> None:
    made = picture(POD, cluster={"nodes": items(NODE + "---" + BARE)})
    candidates = made.candidates(pod_of(made))
    assert candidates.names == ("gpu-a", "gpu-b")
    assert candidates.rest is None
    picky = POD.replace("tolerations: [{operator: Exists}]", "nodeSelector: {x: z}")
    made = picture(picky, cluster={"nodes": items(NODE)})
    candidates = made.candidates(pod_of(made))
    assert candidates.names == ()
    kinds = [o.kind for _, found in candidates.excluded for o in found]
    assert kinds == ["node-selector", "taint"]


def test_a_bound_pod_has_its_node_though_the_object_is_not_in_sight() -> None:
    made = picture(POD.replace("tolerations", "nodeName: gpu-x\n  tolerations"))
    candidates = made.candidates(pod_of(made))
    assert (candidates.names, candidates.rest) == (("gpu-x",), None)


POLICY = """
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata: {name: ib, namespace: op}
spec: {resourceName: ib_vf}
"""


def test_a_policy_that_was_not_applied_may_make_what_no_node_has_yet() -> None:
    made = picture(POLICY, cluster={"nodes": items(BARE)})
    assert isinstance(made.makes(IB), Unknown)
    assert isinstance(made.offer(IB, "gpu-b"), Unknown)
    other = ResourceName.parse("example.com/eth")
    assert not made.makes(other).need().value


def test_what_an_applied_policy_makes_shows_in_the_nodes() -> None:
    policies = items(POLICY)
    made = picture(cluster={"sriovnetworknodepolicies": policies, "nodes": items(BARE)})
    assert not made.makes(IB).need().value
    assert not made.offer(IB, "gpu-b").need().value.is_any
