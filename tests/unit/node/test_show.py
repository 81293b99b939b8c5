"""What `node show` reads of a machine, and how it looks."""

import json

import msgspec
import pytest
from tests.fakes.hostfs import Content, FakeHostFs, Link

from podwire.facts.hardware import Shown
from podwire.model.evidence import Known
from podwire.node.show import Asked, show
from podwire.ports.machine import Holding
from podwire.present.node_table import node_text

_PCI = "sys/bus/pci/devices"
_PF, _VF, _GPU = "0000:18:00.0", "0000:18:00.1", "0000:1b:00.0"
_UUID = "GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000"
_UID = "6f0c1c1e-0000-4000-8000-000000000001"


def _device(address: str, name: str, guid: str) -> dict[str, str]:
    folder = f"{_PCI}/{address}/infiniband/{name}"
    return {
        f"{folder}/node_guid": guid,
        f"{folder}/fw_ver": "28.43.1014",
        f"{folder}/board_id": "MT_0000000838",
        f"{folder}/ports/1/link_layer": "InfiniBand",
        f"{folder}/ports/1/state": "4: ACTIVE",
        f"{folder}/ports/1/phys_state": "5: LinkUp",
        f"{folder}/ports/1/rate": "400 Gb/sec (4X NDR)",
        f"{folder}/ports/1/gids/0": f"fe80:0000:0000:0000:{guid}",
    }


def _tree() -> dict[str, Content]:
    return {
        f"{_PCI}/{_PF}/class": "0x020700",
        f"{_PCI}/{_PF}/vendor": "0x15b3",
        f"{_PCI}/{_PF}/device": "0x1021",
        f"{_PCI}/{_PF}/numa_node": "0",
        f"{_PCI}/{_PF}/sriov_totalvfs": "16",
        f"{_PCI}/{_PF}/current_link_speed": "16.0 GT/s PCIe",
        f"{_PCI}/{_PF}/current_link_width": "16",
        f"{_PCI}/{_PF}/max_link_speed": "32.0 GT/s PCIe",
        f"{_PCI}/{_PF}/max_link_width": "16",
        f"{_PCI}/{_PF}/net/ibp24s0/mtu": "4092",
        **_device(_PF, "mlx5_0", "a088:c203:0021:1000"),
        f"{_PCI}/{_VF}/class": "0x020700",
        f"{_PCI}/{_VF}/net/ibp24s0v0/mtu": "4092",
        **_device(_VF, "mlx5_1", "0000:0000:0000:0000"),
        f"{_PCI}/{_GPU}/class": "0x030200",
        f"{_PCI}/{_GPU}/numa_node": "0",
        f"proc/driver/nvidia/gpus/{_GPU}/information": (
            f"Model: \t\t NVIDIA H200\nGPU UUID: \t {_UUID}\nDevice Minor: \t 3\n"
        ),
        "proc/sys/kernel/osrelease": "6.8.0-55-generic\n",
        "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint": json.dumps(
            {
                "Data": {
                    "PodDeviceEntries": [
                        {
                            "PodUID": _UID,
                            "ContainerName": "main",
                            "ResourceName": "example.com/ib_vf",
                            "DeviceIDs": {"0": [_VF]},
                        },
                        {
                            "PodUID": _UID,
                            "ContainerName": "main",
                            "ResourceName": "nvidia.com/gpu",
                            "DeviceIDs": {"0": [f"{_UUID}::1"]},
                        },
                    ]
                }
            }
        ),
        f"var/log/pods/train_worker-0_{_UID}/main/0.log": "",
    }


_LINKS = {
    f"{_PCI}/{_PF}/virtfn0": Link(f"../{_VF}"),
    f"{_PCI}/{_VF}/physfn": Link(f"../{_PF}"),
    f"{_PCI}/{_PF}/driver": Link("../../../bus/pci/drivers/mlx5_core"),
}


def _asked(**more: object) -> Asked:
    files = FakeHostFs(_tree() | _LINKS)
    return msgspec.structs.replace(Asked(files=files), **more)


def test_a_pf_has_its_vf_its_firmware_and_its_links() -> None:
    shown = show(_asked(), name="gpu-a")
    (pf,) = shown.pfs
    assert (pf.address, pf.netdev, pf.rdma) == (_PF, "ibp24s0", "mlx5_0")
    assert (pf.card, pf.firmware, pf.link_layer) == ("ConnectX-7", "28.43.1014", "InfiniBand")
    assert (pf.pcie, pf.pcie_most) == ("16.0 GT/s x16", "32.0 GT/s x16")
    (vf,) = pf.vfs
    assert (vf.index, vf.address, vf.netdev) == (0, _VF, "ibp24s0v0")
    assert vf.node_guid == "00:00:00:00:00:00:00:00"


def test_a_vf_and_a_gpu_name_the_pod_that_kubelet_gave_them_to() -> None:
    shown = show(_asked(), name="gpu-a")
    assert shown.pfs[0].vfs[0].holder == "pod train/worker-0"
    assert shown.gpus[0].holders == ("pod train/worker-0",)


def test_a_gpu_is_found_without_any_tool() -> None:
    (gpu,) = show(_asked(), name="gpu-a").gpus
    assert (gpu.index, gpu.uuid, gpu.address, gpu.minor) == (0, _UUID, _GPU, "3")
    assert gpu.is_reserved is None


def test_a_spec_says_which_gpus_are_the_hosts() -> None:
    (gpu,) = show(_asked(reserved=frozenset({_UUID})), name="gpu-a").gpus
    assert gpu.is_reserved is True


class _Processes:
    def holdings(self) -> tuple[Holding, ...]:
        return (Holding(what="nvidia3", pid=4711, command="python"),)

    def pods(self) -> frozenset[str]:
        return frozenset()


def test_processes_are_named_where_they_were_asked_for() -> None:
    (gpu,) = show(_asked(processes=_Processes()), name="gpu-a").gpus
    assert gpu.holders == ("pod train/worker-0", "process 4711 python")


def test_a_vf_whose_device_a_process_has_open_names_the_process() -> None:
    class Processes(_Processes):
        def holdings(self) -> tuple[Holding, ...]:
            return (Holding(what="vfio/11", pid=4712, command="qemu"),)

    links = _LINKS | {f"sys/bus/pci/devices/{_VF}/iommu_group": Link("../../iommu_groups/11")}
    asked = _asked(processes=Processes(), files=FakeHostFs(_tree() | links))
    assert "process 4712 qemu" in (show(asked, name="gpu-a").pfs[0].vfs[0].holder or "")


class _Links:
    def policies(self, netdev: str) -> Known[dict[int, str]]:
        assert netdev == "ibp24s0"
        return Known(value={0: "follow"})


def test_link_policies_come_over_netlink_where_they_were_asked_for() -> None:
    assert show(_asked(), name="gpu-a").pfs[0].vfs[0].link_policy is None
    assert show(_asked(links=_Links()), name="gpu-a").pfs[0].vfs[0].link_policy == "follow"


def test_the_firmware_says_what_the_next_boot_makes_of_a_port() -> None:
    printed = (
        f"Device:  {_PF}\n\nConfigurations:   Default    Current    Next Boot\n"
        "*   LINK_TYPE_P1    IB(1)    IB(1)    ETH(2)\n"
    )
    shown = show(_asked(firmware=printed), name="gpu-a")
    assert shown.pfs[0].link_layer_next_boot == "Ethernet"
    assert "InfiniBand now, Ethernet after the next boot" in node_text(shown, is_wide=False)


def test_the_table_has_one_line_a_pf_and_says_what_it_hides() -> None:
    text = node_text(show(_asked(), name="gpu-a"), is_wide=False)
    assert text.startswith("gpu-a, Linux 6.8.0-55-generic\n")
    assert "0000:18:00.0  ibp24s0  mlx5_0  InfiniBand  ACTIVE  0     1 of 16  28.43.1014" in text
    assert "0000:18:00.0: 1 VF without a GUID" in text


def test_the_wide_table_has_a_line_for_each_vf() -> None:
    text = node_text(show(_asked(), name="gpu-a"), is_wide=True)
    (line,) = [line for line in text.splitlines() if line.startswith(_VF)]
    assert line.split()[:5] == [_VF, _PF, "0", "ibp24s0v0", "mlx5_1"]
    assert line.endswith("pod train/worker-0")


def test_a_machine_without_cards_says_so() -> None:
    shown = show(Asked(files=FakeHostFs({"etc/hostname": "a"})), name="a")
    assert "no PF" in node_text(shown, is_wide=False)


def test_what_is_printed_as_json_reads_back() -> None:
    shown = show(_asked(), name="gpu-a")
    again = msgspec.json.decode(msgspec.json.encode(shown), type=Shown)
    assert again == shown


@pytest.mark.parametrize("text", ["", "{", '{"Data": {"PodDeviceEntries": null}}'])
def test_a_checkpoint_that_says_nothing_names_nobody(text: str) -> None:
    tree = _tree()
    tree["var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"] = text
    shown = show(Asked(files=FakeHostFs(tree | _LINKS)), name="gpu-a")
    assert shown.pfs[0].vfs[0].holder is None
