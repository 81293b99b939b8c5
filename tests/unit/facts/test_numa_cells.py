"""NUMA nodes of a machine, from the few files of sysfs that say what is where."""

import pytest

from podwire.facts.node import NumaCell
from podwire.facts.numa_cells import cells_of, numbers
from podwire.model.evidence import Document, Known, Unknown

DOCUMENT = Document(name="nodes/gpu-a/sysfs.txt", owner="gpu-a")
NODES = "sys/devices/system/node"
BOTH = {
    f"{NODES}/online": "0-1",
    f"{NODES}/node0/cpulist": "0-3,8-11",
    f"{NODES}/node1/cpulist": "4-7",
    f"{NODES}/node0/distance": "10 21",
    f"{NODES}/node1/distance": "21 10",
}


def test_cells_have_their_cpus_and_distances() -> None:
    answer = cells_of(BOTH, document=DOCUMENT)
    assert isinstance(answer, Known)
    assert answer.value == (
        NumaCell(id=0, cpus=(0, 1, 2, 3, 8, 9, 10, 11), distances=(10, 21)),
        NumaCell(id=1, cpus=(4, 5, 6, 7), distances=(21, 10)),
    )


def test_cores_are_known_where_the_siblings_of_every_cpu_are() -> None:
    siblings = {
        f"sys/devices/system/cpu/cpu{n}/topology/thread_siblings_list": f"{n % 4},{n % 4 + 8}"
        for n in (0, 1, 2, 3, 8, 9, 10, 11)
    }
    answer = cells_of(BOTH | siblings, document=DOCUMENT)
    assert isinstance(answer, Known)
    assert [cell.cores for cell in answer.value] == [((0, 8), (1, 9), (2, 10), (3, 11)), None]


def test_a_node_of_memory_alone_has_no_cpus() -> None:
    answer = cells_of(BOTH | {f"{NODES}/node1/cpulist": ""}, document=DOCUMENT)
    assert isinstance(answer, Known)
    assert answer.value[1].cpus == ()


def test_without_the_list_of_nodes_that_are_online_nothing_is_known() -> None:
    without = {path: text for path, text in BOTH.items() if not path.endswith("online")}
    assert isinstance(cells_of(without, document=DOCUMENT), Unknown)


def test_a_node_whose_cpus_were_not_collected_is_named() -> None:
    without = {path: text for path, text in BOTH.items() if "node1/cpulist" not in path}
    answer = cells_of(without, document=DOCUMENT)
    assert isinstance(answer, Unknown)
    assert answer.give == "cat /sys/devices/system/node/node1/cpulist"


@pytest.mark.parametrize("text", ["0-", "a", "3-1", "0-99999", "-1", "0 1"])
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no list of numbers"):
        numbers(text)


@pytest.mark.parametrize("path", ["online", "node0/cpulist", "node0/distance"])
def test_a_file_with_something_else_in_it_makes_the_cells_unknown(path: str) -> None:
    assert isinstance(cells_of(BOTH | {f"{NODES}/{path}": "what"}, document=DOCUMENT), Unknown)
