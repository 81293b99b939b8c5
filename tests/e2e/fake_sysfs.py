"""A made-up sysfs for a node: NUMA nodes, and cards of them that have an RDMA device.

The processors of the machine are dealt out to the NUMA nodes, for kubelet ends where it finds
none with a core_id: `could not detect number of cpus` (cadvisor in kubernetes v1.37.2).
"""

import os
from pathlib import Path

import msgspec

# What `ibv_devices` and the RDMA plugins open of a card, by the class that lists it.
_CHARACTER_DEVICES = (
    ("infiniband_verbs", "uverbs"),
    ("infiniband_mad", "umad"),
    ("infiniband_mad", "issm"),
)
# What ghw, which plugins read PCI with, wants to have of the list of ids.
_PCI_IDS = """\
15b3  Mellanox Technologies
\t1021  MT2910 Family [ConnectX-7]
C 02  Network controller
\t07  Infiniband controller
"""
_GIB = 1 << 20  # in kB, as meminfo counts


class Card(msgspec.Struct, frozen=True):
    """A ConnectX-7 without a net device."""

    address: str
    rdma: str
    numa: int
    number: int


def lay(folder: Path, *, numa: int = 2, cards: tuple[Card, ...] = ()) -> None:
    """Write `sys/` below a node's folder, and the names of the character devices it has."""
    system = folder / "sys/devices/system/node"
    for name in ("online", "possible"):
        _write(system / name, f"0-{numa - 1}")
    for node in range(numa):
        _lay_numa_node(system / f"node{node}", node, of=numa)
    for card in cards:
        _lay_card(folder / "sys", card)
    if cards:
        _write(folder / "pci.ids", _PCI_IDS)
        names = [f"infiniband/{kind}{card.number}" for card in cards for kind in _kinds()]
        _write(folder / "dev", "\n".join([*names, "infiniband/rdma_cm"]))


def _kinds() -> tuple[str, ...]:
    return tuple(kind for _, kind in _CHARACTER_DEVICES)


def _lay_numa_node(folder: Path, node: int, *, of: int) -> None:
    cpus = [cpu for cpu in range(os.cpu_count() or 1) if cpu % of == node]
    _write(folder / "cpulist", ",".join(map(str, cpus)))
    _write(folder / "meminfo", f"Node {node} MemTotal:       {64 * _GIB} kB")
    _write(folder / "distance", " ".join("10" if n == node else "21" for n in range(of)))
    (folder / "hugepages").mkdir()
    for cpu in cpus:
        topology = folder / f"cpu{cpu}/topology"
        _write(topology / "core_id", str(cpu))
        _write(topology / "physical_package_id", str(node))
        _write(topology / "thread_siblings_list", str(cpu))


def _lay_card(sys: Path, card: Card) -> None:
    function = sys / "bus/pci/devices" / card.address
    for name, value in {
        "vendor": "0x15b3",
        "device": "0x1021",
        "class": "0x020700",
        "modalias": "pci:v000015B3d00001021sv000015B3sd00000041bc02sc07i00",
        "revision": "0x00",
        "numa_node": str(card.numa),
    }.items():
        _write(function / name, value)
    (function / "infiniband" / card.rdma).mkdir(parents=True)
    driver = sys / "bus/pci/drivers/mlx5_core"
    driver.mkdir(parents=True, exist_ok=True)
    (function / "driver").symlink_to("../../drivers/mlx5_core")
    (sys / "class/infiniband" / card.rdma).mkdir(parents=True)
    for kind, name in _CHARACTER_DEVICES:
        _write(sys / f"class/{kind}/{name}{card.number}/ibdev", card.rdma)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")
