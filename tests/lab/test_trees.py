"""The cards' recorded sysfs is a bundle's `sysfs.txt`, and says what its README says."""

from pathlib import Path

import pytest

from podwire.documents.sysfs import Sysfs, parse

_TREES = Path(__file__).parents[1] / "trees/igb-82576"
_FIRST = "sys/bus/pci/devices/0000:41:00.0"
_VF = "sys/bus/pci/devices/0000:41:10.0"


@pytest.mark.parametrize("tree", sorted(_TREES.glob("*.txt")), ids=lambda path: path.stem)
def test_each_tree_reads_whole_and_has_as_many_links_to_vfs_as_its_count(tree: Path) -> None:
    read = parse(tree.read_text())
    assert read.problems == ()
    links = [path for path in read.links if path.startswith(f"{_FIRST}/virtfn")]
    assert read.values[f"{_FIRST}/sriov_numvfs"] == str(len(links))


@pytest.mark.parametrize(
    ("name", "netdevs"),
    [
        ("vfs", {"ens1v0"}),
        ("vf-in-a-pod", set()),
        ("vf-after-a-pod", {"net1"}),
        ("vfs-unbound", set()),
    ],
)
def test_the_first_vf_has_the_netdev_that_the_readme_tells(name: str, netdevs: set[str]) -> None:
    read = _read(name)
    below = [p for p in read.values if p.startswith(f"{_VF}/net/")]
    assert {path.split("/")[6] for path in below} == netdevs
    assert (f"{_VF}/driver" in read.links) is (name != "vfs-unbound")


def _read(name: str) -> Sysfs:
    return parse((_TREES / f"{name}.txt").read_text())
