"""The link layer of a resource's devices, and the folder of CNI plugins."""

import json

from tests.pictures import picture
from tests.wire_manifests import IB, SYSFS, pool

from podwire.model.evidence import Known, Unknown
from podwire.wire.networks.cni_folder import first_config, plugin_folders
from podwire.wire.networks.links import devices_on, fixed_layers, links_of, links_on
from podwire.wire.picture import Picture

KUBELET = "nodes/gpu-a/podresources-allocatable.json"


def made(
    sysfs: str = SYSFS, *, manifests: str = "", files: dict[str, str] | None = None
) -> Picture:
    every = {"nodes/gpu-a/sysfs.txt": sysfs, **(files or {})}
    return picture(manifests or pool(), files=every)


def layers(cluster: Picture) -> list[str]:
    links = links_on("gpu-a", IB, cluster)
    assert isinstance(links, Known)
    return [link.layer for link in links.value]


def test_a_net_device_tells_the_link_layer() -> None:
    assert layers(made()) == ["infiniband"]
    assert layers(made(SYSFS.replace("= 32", "= 1"))) == ["ether"]


def test_a_function_without_a_net_device_has_the_layer_of_its_port() -> None:
    lines = [line for line in SYSFS.splitlines() if "ibp26s0v0" not in line]
    assert layers(made("\n".join(lines))) == ["infiniband"]


def test_the_link_of_a_node_without_files_is_not_known() -> None:
    links = links_on("gpu-b", IB, made())
    assert isinstance(links, Unknown)
    assert "node gpu-b" in links.reason


def test_the_list_of_kubelet_comes_before_the_model() -> None:
    listed = {"devices": [{"resourceName": str(IB), "deviceIds": ["0000:1a:00.5"]}]}
    cluster = made(files={KUBELET: json.dumps(listed)})
    assert [str(a) for a in devices_on("gpu-a", IB, cluster).need().value] == ["0000:1a:00.5"]
    assert [str(a) for a in devices_on("gpu-a", IB, made()).need().value] == ["0000:1a:00.1"]
    assert list(links_of(IB, made())) == ["gpu-a"]


def test_selectors_fix_a_layer_only_where_each_of_them_names_some() -> None:
    (fixed,) = made(manifests=pool(linkTypes=["infiniband"])).pools
    assert fixed_layers(fixed) == {"infiniband"}
    (free,) = made().pools
    assert fixed_layers(free) == frozenset()


def test_a_folder_of_plugins_counts_where_it_is_in_use() -> None:
    used = {"nodes/gpu-a/opt/cni/bin/LISTING.txt": "loopback\nib-sriov\n"}
    assert "ib-sriov" in plugin_folders(made(files=used))["gpu-a"]
    other = {"nodes/gpu-a/opt/cni/bin/LISTING.txt": "README\n"}
    assert plugin_folders(made(files=other)) == {}


def test_the_first_configuration_in_order_is_the_one_that_is_taken() -> None:
    listing = {
        "nodes/gpu-a/etc/cni/net.d/LISTING.txt": "05-cilium.conflist\n00-multus.conf\na.txt\n"
    }
    assert first_config("gpu-a", made(files=listing)) == "00-multus.conf"
    assert first_config("gpu-a", made()) is None
