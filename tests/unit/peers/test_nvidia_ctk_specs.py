"""CDI specs that nvidia-ctk wrote on a machine with one H200 (driver 580.159.04) are understood.

`nvidia-ctk cdi generate` of 1.17.8 and 1.20.2; the GPU's UUID is replaced, nothing left out.
"""

from pathlib import Path

import pytest

from podwire.facts.node import Card, TextFile
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Document, Known, Origin
from podwire.model.versions import Version
from podwire.peers.cdi import Registry, registry
from podwire.peers.nvidia_toolkit import Node, Request, ToolkitConfig, outcome

DATA = Path(__file__).parent / "data" / "nvidia_ctk"
GPU = GpuUuid(text="GPU-00000000-aaaa-bbbb-cccc-dddddddddddd")
CARDS = (Card(index=0, model="NVIDIA H200", uuid=GPU),)


def loaded(name: str) -> Registry:
    document = Document(name=name, origin=Origin.NODE, owner="gpu-a")
    file = TextFile(document=document, text=(DATA / name).read_text())
    return registry({f"var/run/cdi/{name}": file})


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir()))
def test_a_spec_of_nvidia_ctk_has_no_fault(name: str) -> None:
    assert loaded(name).faults == {}


@pytest.mark.parametrize("name", ["nvidia-1.17.8.yaml", "nvidia-1.20.2.yaml"])
def test_devices_are_named_by_index_by_uuid_and_all(name: str) -> None:
    assert set(loaded(name).kinds["nvidia.com/gpu"]) == {"0", str(GPU), "all"}


def test_a_strategy_of_uuids_leaves_no_index() -> None:
    named = loaded("nvidia-uuid-1.20.2.json").kinds["nvidia.com/gpu"]

    assert set(named) == {str(GPU), "all"}


def test_the_management_spec_has_all_and_the_means_to_split_gpus() -> None:
    found = loaded("management-1.20.2.yaml").resolve(["management.nvidia.com/gpu=all"])

    paths = {each.path for device in found.devices for each in device.device_nodes}
    assert {"/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap1"} <= paths
    assert set(loaded("management-1.20.2.yaml").kinds["management.nvidia.com/gpu"]) == {"all"}


@pytest.mark.parametrize("asked", ["0", str(GPU), "all"])
def test_the_runtime_in_mode_cdi_finds_the_gpu_in_it(asked: str) -> None:
    made = outcome(
        Request(env=(f"NVIDIA_VISIBLE_DEVICES={asked}",)),
        ToolkitConfig(mode="cdi"),
        version=Known(value=Version.parse("1.20.2")),
        node=Node(cards=Known(value=CARDS), registry=Known(value=loaded("nvidia-1.20.2.yaml"))),
    )

    assert isinstance(made, Known)
    assert made.value.gpus == Known(value=(GPU,))
