"""A real tree below `sys/`, of a machine or copied, as paths and values.

Only what podwire uses is read: some attributes are slow, and reading some has effects.
"""

import re
from collections.abc import Iterator

import msgspec

from podwire.facts.gpu_functions import GPU_FILES, is_display
from podwire.facts.node import PCI
from podwire.facts.numa_cells import CELL_FILES, CPUS, NODES, ONLINE, SIBLINGS
from podwire.ports.hostfs import EntryKind, HostFs, ReadFault

NETNS_MODE = "sys/module/ib_core/parameters/netns_mode"

# A rule that asks for another attribute adds it here: in a whole tree what is not read is
# taken not to exist.
FUNCTION_FILES = frozenset(
    {
        "acpi_index",
        "class",
        "device",
        "index",
        "label",
        "max_link_speed",
        "current_link_speed",
        "max_link_width",
        "current_link_width",
        "numa_node",
        "revision",
        "sriov_drivers_autoprobe",
        "sriov_numvfs",
        "sriov_totalvfs",
        "sriov_vf_device",
        "subsystem_device",
        "subsystem_vendor",
        "vendor",
    }
)
NET_FILES = frozenset(
    {
        "address",
        "broadcast",
        "carrier",
        "dev_id",
        "dev_port",
        "flags",
        "mode",
        "mtu",
        "operstate",
        "phys_port_name",
        "phys_switch_id",
        "pkey",
        "speed",
        "type",
    }
)
RDMA_FILES = frozenset({"board_id", "fw_ver", "hca_type", "node_desc", "node_guid", "node_type"})
PORT_FILES = frozenset({"lid", "link_layer", "phys_state", "rate", "sm_lid", "sm_sl", "state"})
SRIOV_FILES = frozenset({"node", "policy", "port"})
_LINKS = re.compile(r"driver|physfn|virtfn\d+|iommu_group")
_CELL = re.compile(r"node\d+")
_CPU = re.compile(r"cpu\d+")
_CHAR_CLASSES = ("infiniband_verbs", "infiniband_mad")
_ALWAYS = "config"  # every function has it, and nobody copies it by hand
_LIMIT = 64 << 10


class Tree(msgspec.Struct, frozen=True):
    """Values and last components of links, by path from the machine's root.

    `is_whole`: the folders of functions were there as the kernel shows them.
    """

    values: dict[str, str]
    links: dict[str, str]
    is_whole: bool


def read_tree(files: HostFs, *, root: str = "") -> Tree:
    """Read the functions of class 02, the character devices of RDMA, GPUs and NUMA nodes."""
    reader = _Reader(files, root)
    is_whole = True
    for address in reader.names(PCI):
        folder = f"{PCI}/{address}"
        names = reader.names(folder)
        if "class" in names:
            reader.value(f"{folder}/class")
            pci_class = reader.values.get(f"{folder}/class", "0x02")
            if is_display(pci_class):
                reader.some(folder, GPU_FILES)
            if not pci_class.startswith("0x02"):
                continue
        is_whole = is_whole and _ALWAYS in names
        reader.function(folder, names)
    for char_class in _CHAR_CLASSES:
        folder = f"sys/class/{char_class}"
        for name in reader.names(folder):
            reader.value(f"{folder}/{name}/ibdev")
    reader.cells()
    return Tree(values=reader.values, links=reader.links, is_whole=is_whole)


class _Reader:
    """Fills values and links; what the kernel refuses to show has no value."""

    def __init__(self, files: HostFs, root: str) -> None:
        self.values: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self._files = files
        self._front = f"{root}/" if root else ""

    def names(self, folder: str) -> tuple[str, ...]:
        try:
            return tuple(entry.name for entry in self._files.entries(self._front + folder))
        except ReadFault:
            return ()

    def value(self, path: str) -> None:
        try:
            data = self._files.read(self._front + path, limit=_LIMIT)
        except ReadFault:
            return
        self.values[path] = data.decode(errors="replace").strip()

    def link(self, path: str) -> None:
        try:
            target = self._files.readlink(self._front + path)
        except ReadFault:
            return
        self.links[path] = target.rstrip("/").rpartition("/")[2]

    def function(self, folder: str, names: tuple[str, ...]) -> None:
        for name in names:
            if _LINKS.fullmatch(name):
                self.link(f"{folder}/{name}")
        self._some(folder, names, wanted=FUNCTION_FILES)
        for netdev in self._folders(f"{folder}/net"):
            self._some(netdev, self.names(netdev), wanted=NET_FILES)
        for device in self._folders(f"{folder}/infiniband"):
            self._some(device, self.names(device), wanted=RDMA_FILES)
            for port in self._folders(f"{device}/ports"):
                self._some(port, self.names(port), wanted=PORT_FILES)
                self.value(f"{port}/gids/0")
                self.value(f"{port}/pkeys/0")
        for vf in self._folders(f"{folder}/sriov"):
            self._some(vf, self.names(vf), wanted=SRIOV_FILES)

    def cells(self) -> None:
        self.value(ONLINE)
        for name in self.names(NODES):
            if _CELL.fullmatch(name):
                self.some(f"{NODES}/{name}", CELL_FILES)
        for name in self.names(CPUS):
            if _CPU.fullmatch(name):
                self.value(f"{CPUS}/{name}/{SIBLINGS}")

    def some(self, folder: str, names: tuple[str, ...]) -> None:
        for name in names:
            self.value(f"{folder}/{name}")

    def _some(self, folder: str, names: tuple[str, ...], *, wanted: frozenset[str]) -> None:
        for name in names:
            if name in wanted:
                self.value(f"{folder}/{name}")

    def _folders(self, folder: str) -> Iterator[str]:
        try:
            entries = self._files.entries(self._front + folder)
        except ReadFault:
            return
        for entry in entries:
            if entry.kind is EntryKind.FOLDER:
                yield f"{folder}/{entry.name}"
