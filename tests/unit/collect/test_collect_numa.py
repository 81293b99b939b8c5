"""What a node's files say of NUMA nodes, GPUs, CPUs and memory, in a bundle and as a real tree."""

import json
from typing import TypeVar

import pytest
from tests.fakes.collected import facts_of
from tests.fakes.hostfs import Content

from podwire.facts.node import GpuFunction, NodeFiles, NumaCell
from podwire.model.evidence import Answer, Known, Unknown

T = TypeVar("T")
NODES = "sys/devices/system/node"
PCI = "sys/bus/pci/devices"
FILES = {
    f"{NODES}/online": "0\n",
    f"{NODES}/node0/cpulist": "0-3\n",
    f"{NODES}/node0/distance": "10\n",
    f"{NODES}/power/control": "auto\n",
    f"{PCI}/0000:40:00.0/class": "0x030200\n",
    f"{PCI}/0000:40:00.0/vendor": "0x10de\n",
    f"{PCI}/0000:40:00.0/numa_node": "0\n",
    f"{PCI}/0000:02:00.0/class": "0x030000\n",
    f"{PCI}/0000:02:00.0/vendor": "0x1a03\n",
    f"{PCI}/0000:02:00.0/numa_node": "-1\n",
}
AS_TEXT = "".join(f"{path} = {value}" for path, value in FILES.items())


def node_of(files: dict[str, str]) -> NodeFiles:
    tree: dict[str, Content] = {f"nodes/gpu-a/{name}": text for name, text in files.items()}
    facts = facts_of(tree)
    return facts.node_files["gpu-a"]


@pytest.mark.parametrize("files", [FILES, {"sysfs.txt": AS_TEXT}], ids=["tree", "text"])
def test_numa_nodes_and_gpus_are_read_alike_from_a_tree_and_from_text(
    files: dict[str, str],
) -> None:
    node = node_of(files)
    assert isinstance(node.cells, Known)
    assert node.cells.value == (NumaCell(id=0, cpus=(0, 1, 2, 3), distances=(10,)),)
    assert isinstance(node.gpus, Known)
    assert node.gpus.value == (GpuFunction(address="0000:40:00.0", numa_node=0),)


def test_a_gpu_on_no_numa_node_is_on_none_in_particular() -> None:
    node = node_of(FILES | {f"{PCI}/0000:40:00.0/numa_node": "-1\n"})
    assert isinstance(node.gpus, Known)
    assert node.gpus.value[0].numa_node is None


@pytest.mark.parametrize("text", ["x", "", "-2", "10000"])
def test_a_gpu_whose_numa_node_is_no_number_leaves_all_unknown(text: str) -> None:
    gpus = node_of(FILES | {f"{PCI}/0000:40:00.0/numa_node": f"{text}\n"}).gpus
    assert isinstance(gpus, Unknown)
    assert gpus.reason == (f"{text!r} in /{PCI}/0000:40:00.0/numa_node of gpu-a is no NUMA node")


def test_text_without_display_functions_says_nothing_of_gpus() -> None:
    text = f"{PCI}/0000:18:00.0/class = 0x020700\n"
    assert isinstance(node_of({"sysfs.txt": text}).gpus, Unknown)


def test_a_gpu_whose_numa_node_was_not_collected_leaves_all_unknown() -> None:
    text = "".join(line for line in AS_TEXT.splitlines(keepends=True) if "numa_node" not in line)
    assert isinstance(node_of({"sysfs.txt": text}).gpus, Unknown)


@pytest.mark.parametrize(
    ("cpu_ids", "memory"),
    [("cpu_ids", "memory_type"), ("cpuIds", "memoryType")],
    ids=["proto", "protojson"],
)
def test_cpus_and_memory_are_read_in_both_spellings(cpu_ids: str, memory: str) -> None:
    answer = {cpu_ids: ["2", 3], "memory": [{memory: "memory", "size": "1024"}]}
    node = node_of({"podresources-allocatable.json": json.dumps(answer)})
    assert value_of(node.allocatable_cpus) == (2, 3)
    (block,) = value_of(node.allocatable_memory)
    assert (block.memory_type, block.size) == ("memory", 1024)


def value_of(answer: Answer[tuple[T, ...]]) -> tuple[T, ...]:
    assert isinstance(answer, Known)
    return answer.value
