"""The files of a machine: in a bundle, as a real tree, and at its own root."""

import re
from pathlib import Path
from typing import TypeVar

import pytest
from tests.fakes.collected import facts_of, facts_of_node_root
from tests.fakes.hostfs import Content, Fails, Link

import podwire
from podwire.collect import sysfs
from podwire.facts.node import NodeFiles
from podwire.model.evidence import Answer, Known, Unknown
from podwire.ports.hostfs import Trouble

SYSFS = """\
sys/bus/pci/devices/0000:1a:00.0/class = 0x020700
sys/bus/pci/devices/0000:1a:00.0/driver -> bus/pci/drivers/mlx5_core
sys/bus/pci/devices/0000:1a:00.0/net/ib0/type = 32
"""
T = TypeVar("T")

DEVICES = "sys/devices/pci0000:15"
TREE: dict[str, Content] = {
    "sys/bus/pci/devices/0000:18:00.0": Link("../../../devices/pci0000:15/0000:18:00.0"),
    "sys/bus/pci/devices/0000:18:00.2": Link("../../../devices/pci0000:15/0000:18:00.2"),
    "sys/bus/pci/devices/0000:00:1f.0": Link("../../../devices/pci0000:15/0000:00:1f.0"),
    f"{DEVICES}/0000:00:1f.0/class": "0x060100\n",
    f"{DEVICES}/0000:18:00.0/class": "0x020700\n",
    f"{DEVICES}/0000:18:00.0/config": "x",
    f"{DEVICES}/0000:18:00.0/driver": Link("../../../bus/pci/drivers/mlx5_core"),
    f"{DEVICES}/0000:18:00.0/virtfn0": Link("../0000:18:00.2"),
    f"{DEVICES}/0000:18:00.0/resource0": Fails(Trouble.BROKEN),
    f"{DEVICES}/0000:18:00.0/net/ib0/type": "32\n",
    f"{DEVICES}/0000:18:00.0/net/ib0/phys_port_name": Fails(Trouble.BROKEN),
    f"{DEVICES}/0000:18:00.0/infiniband/mlx5_0/node_guid": "a088:c203:0021:1000\n",
    f"{DEVICES}/0000:18:00.0/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
    f"{DEVICES}/0000:18:00.0/infiniband/mlx5_0/ports/1/gids/0": "fe80::1\n",
    f"{DEVICES}/0000:18:00.0/sriov/0/policy": "Follow\n",
    f"{DEVICES}/0000:18:00.2/class": "0x020700\n",
    f"{DEVICES}/0000:18:00.2/config": "x",
    f"{DEVICES}/0000:18:00.2/physfn": Link("../0000:18:00.0"),
    "sys/class/infiniband_verbs/uverbs0/ibdev": "mlx5_0\n",
    "sys/module/ib_core/parameters/netns_mode": "N\n",
}


ROUTES = """\
Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
ib0 00000000 0100000A 0003 0 0 0 00000000 0 0 0
lo 00000000 00000000 0201 0 0 0 00000000
x 00000000 zz zz 0 0 0 00000000
short
"""


def node_of(files: dict[str, Content]) -> NodeFiles:
    facts = facts_of({f"nodes/gpu-a/{name}": content for name, content in files.items()})
    return facts.node_files["gpu-a"]


def value_of(answer: Answer[T]) -> T:
    assert isinstance(answer, Known)
    return answer.value


def test_sysfs_in_one_text_file() -> None:
    (function,) = value_of(node_of({"sysfs.txt": SYSFS}).functions)
    assert (function.driver, function.netdevs[0].name) == ("mlx5_core", "ib0")
    assert isinstance(function.attributes.read("numa_node"), Unknown)
    assert str(function.place("class")) == "Node gpu-a /sys/bus/pci/devices/0000:1a:00.0/class"


def test_a_line_of_sysfs_that_is_none_is_a_fault_with_its_line() -> None:
    facts = facts_of({"nodes/gpu-a/sysfs.txt": f"{SYSFS}nonsense\n"})
    assert facts.faults[0].place.path == (4,)
    assert len(value_of(facts.node_files["gpu-a"].functions)) == 1


def test_a_real_tree_stands_in_its_place() -> None:
    pf, vf = value_of(node_of(TREE).functions)
    assert [str(f.address) for f in (pf, vf)] == ["0000:18:00.0", "0000:18:00.2"]
    assert pf.driver == "mlx5_core"
    assert [(n, str(a)) for n, a in pf.virtfns] == [(0, "0000:18:00.2")]
    assert str(vf.physfn) == "0000:18:00.0"
    assert (pf.rdma[0].name, pf.rdma[0].char_nodes) == ("mlx5_0", ("uverbs0",))
    assert value_of(pf.rdma[0].attributes.read("ports/1/state")) == "4: ACTIVE"
    assert value_of(pf.rdma[0].attributes.read("ports/1/gids/0")) == "fe80::1"
    assert value_of(pf.attributes.read("sriov/0/policy")) == "Follow"


def test_what_a_whole_tree_does_not_show_does_not_exist() -> None:
    pf, _ = value_of(node_of(TREE).functions)
    assert value_of(pf.attributes.read("sriov_numvfs")) is None
    assert value_of(pf.netdevs[0].attributes.read("phys_port_name")) is None


def test_what_a_partial_copy_does_not_show_is_unknown() -> None:
    partial = {name: content for name, content in TREE.items() if not name.endswith("/config")}
    pf, _ = value_of(node_of(partial).functions)
    assert isinstance(pf.attributes.read("sriov_numvfs"), Unknown)


def test_every_attribute_that_a_rule_asks_for_is_read_from_a_tree() -> None:
    listed = (
        sysfs.FUNCTION_FILES | sysfs.NET_FILES | sysfs.RDMA_FILES | sysfs.PORT_FILES
    ) | sysfs.SRIOV_FILES
    asked = re.compile(r"""attributes\.read\(\s*f?["']([^"']+)["']""")
    source = Path(podwire.__file__).parent
    names = {n for path in source.rglob("*.py") for n in asked.findall(path.read_text())}
    assert {n.rpartition("/")[2] for n in names} - listed - {"0"} == set()


def test_what_was_not_collected_is_unknown_with_what_would_give_it() -> None:
    node = node_of({"uname.txt": "x"})
    for answer in (node.functions, node.allocatable, node.held, node.kubelet, node.rdma_mode):
        assert isinstance(answer, Unknown)
        assert "gpu-a was not read" in answer.reason
        assert answer.give
        assert answer.fact.endswith("of a node")


# --- kubelet ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "kind: KubeletConfiguration\ntopologyManagerPolicy: restricted\n",
        '{"kubeletconfig": {"topologyManagerPolicy": "restricted", "featureGates": null}}',
    ],
)
def test_kubelets_configuration_in_both_forms(text: str) -> None:
    kubelet = value_of(node_of({"kubelet-config.yaml": text}).kubelet)
    assert (kubelet.topology_manager_policy, kubelet.topology_manager_scope) == (
        "restricted",
        "container",
    )


@pytest.mark.parametrize("text", ["topologyManagerPolicy: 5", "[", "", "5"])
def test_a_configuration_that_cannot_be_read_is_unknown(text: str) -> None:
    facts = facts_of({"nodes/gpu-a/kubelet-config.yaml": text})
    assert isinstance(facts.node_files["gpu-a"].kubelet, Unknown)
    assert len(facts.faults) == 1


@pytest.mark.parametrize(
    "text",
    [
        """{"devices": [{"resource_name": "a/b", "device_ids": ["x"],
             "topology": {"nodes": [{"ID": 1}]}}], "cpu_ids": [1]}""",
        """{"devices": [{"resourceName": "a/b", "deviceIds": ["x"],
             "topology": {"nodes": [{"ID": "1"}]}}], "memory": null}""",
    ],
)
def test_allocatable_devices_in_both_spellings(text: str) -> None:
    (device,) = value_of(node_of({"podresources-allocatable.json": text}).allocatable)
    assert (device.resource_name, device.ids) == ("a/b", ("x",))
    assert device.topology is not None
    assert [n.id for n in device.topology.nodes] == [1]


@pytest.mark.parametrize("key", ["pod_resources", "podResources"])
def test_devices_that_pods_hold(key: str) -> None:
    text = (
        f'{{"{key}": [{{"name": "w", "namespace": "train", "containers": '
        '[{"name": "c", "devices": [{"resource_name": "a/b", "device_ids": ["x"]}]}]}]}'
    )
    (pod,) = value_of(node_of({"podresources-list.json": text}).held)
    assert (pod.name, pod.containers[0].devices[0].ids) == ("w", ("x",))
    assert value_of(node_of({"podresources-list.json": f'{{"{key}": null}}'}).held) == ()


@pytest.mark.parametrize("text", ['{"devices": 5}', "{", "[]", '{"devices": [{}]}'])
def test_an_answer_that_cannot_be_read_is_unknown(text: str) -> None:
    facts = facts_of({"nodes/gpu-a/podresources-allocatable.json": text})
    assert isinstance(facts.node_files["gpu-a"].allocatable, Unknown)
    assert len(facts.faults) == 1


# --- routes and RDMA --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("default via 10.0.0.1 dev ens3 proto dhcp metric 100\n", {"ens3"}),
        (
            "default proto static\n\tnexthop dev ens3 weight 1\n\tnexthop dev ens4 weight 1\n",
            {"ens3", "ens4"},
        ),
        ("10.0.0.0/24 dev ens3\n", set()),
        ("", set()),
    ],
)
def test_devices_with_a_default_route(text: str, devices: set[str]) -> None:
    assert value_of(node_of({"ip-route.txt": text}).default_routes) == devices


def test_without_routes_no_device_carries_one() -> None:
    assert value_of(node_of({"uname.txt": ""}).default_routes) == frozenset()


def test_the_rdma_mode() -> None:
    text = "netns exclusive copy-on-fork on\n"
    assert value_of(node_of({"rdma-system.txt": text}).rdma_mode) == "exclusive"


def test_an_rdma_mode_that_is_none_is_a_fault() -> None:
    facts = facts_of({"nodes/gpu-a/rdma-system.txt": "command not found"})
    assert isinstance(facts.node_files["gpu-a"].rdma_mode, Unknown)
    assert "command not found" in facts.faults[0].message


def test_the_rdma_mode_of_a_real_tree() -> None:
    assert value_of(node_of(TREE).rdma_mode) == "exclusive"
    assert isinstance(node_of({**TREE, sysfs.NETNS_MODE: "?"}).rdma_mode, Unknown)


def test_a_masked_unit_is_no_fault() -> None:
    facts = facts_of({"nodes/gpu-a/etc/systemd/system/a.service": Link("/dev/null")})
    assert facts.faults == ()
    assert len(facts.unread) == 1


# --- a machine's root -------------------------------------------------------------------


def test_a_machines_root_gives_what_a_bundle_would() -> None:
    files: dict[str, Content] = {
        **TREE,
        "etc/hostname": "GPU-A\n",
        "var/lib/kubelet/config.yaml": "topologyManagerPolicy: best-effort\n",
        "proc/net/route": ROUTES,
        "etc/cni/net.d/00-multus.conf": "{}",
        "etc/cni/net.d/multus.kubeconfig": "token",
        "etc/systemd/network/70.link": "[Match]",
        "etc/systemd/system/a.service": Link("/dev/null"),
        "etc/containerd/config.toml": Fails(Trouble.DENIED),
        "home/user/secret.yaml": "kind: Secret",
    }
    facts = facts_of_node_root(files)
    node = facts.node_files["gpu-a"]
    assert len(value_of(node.functions)) == 2
    assert value_of(node.default_routes) == {"ib0"}
    assert value_of(node.rdma_mode) == "exclusive"
    assert value_of(node.kubelet).topology_manager_policy == "best-effort"
    assert sorted(node.files) == [
        "etc/cni/net.d/00-multus.conf",
        "etc/systemd/network/70.link",
        "kubelet-config.yaml",
        "proc/net/route",
    ]
    assert node.listings["etc/cni/net.d"] == ("00-multus.conf", "multus.kubeconfig")
    assert facts.faults == ()
    assert node.files["etc/systemd/network/70.link"].document.name == (
        "/host/etc/systemd/network/70.link"
    )


def test_a_root_without_a_name_is_a_fault() -> None:
    facts = facts_of_node_root({"sys/x": ""})
    assert facts.node_files == {}
    assert "etc/hostname" in facts.faults[0].message
