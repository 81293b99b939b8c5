"""A quick look at sysfs: what `podwire node show` prints, and nothing else.

`read_tree` reads everything that a rule may ask for, some twenty files a function; with 512
VFs that is too much for a glance. A VF is known by its PF's links, so its class is not read.
"""

from podwire.collect.sysfs import Tree
from podwire.facts.node import PCI
from podwire.ports.hostfs import HostFs, ReadFault

_OF_PF = (
    "device",
    "vendor",
    "numa_node",
    "sriov_totalvfs",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
)
_OF_PF_DEVICE = (
    "node_guid",
    "fw_ver",
    "board_id",
    "ports/1/link_layer",
    "ports/1/state",
    "ports/1/phys_state",
    "ports/1/rate",
)
_OF_VF_DEVICE = ("node_guid", "ports/1/state", "ports/1/gids/0")
_NETWORK = "0x02"
_LIMIT = 4096  # a page: no attribute is longer


def glance(files: HostFs) -> Tree:
    """Read the network functions of a machine."""
    looker = _Looker(files)
    vfs: set[str] = set()
    for address in looker.names(PCI):
        if address in vfs:
            continue
        folder = f"{PCI}/{address}"
        looker.read(folder, ("class",))
        if looker.values.get(f"{folder}/class", "").startswith(_NETWORK):
            vfs.update(looker.pf(folder))
    return Tree(values=looker.values, links=looker.links, is_whole=True)


class _Looker:
    def __init__(self, files: HostFs) -> None:
        self.values: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self._files = files

    def names(self, folder: str) -> tuple[str, ...]:
        try:
            return tuple(entry.name for entry in self._files.entries(folder))
        except ReadFault:
            return ()

    def read(self, folder: str, names: tuple[str, ...]) -> None:
        for name in names:
            path = f"{folder}/{name}"
            try:
                self.values[path] = self._files.read(path, limit=_LIMIT).decode().strip()
            except (ReadFault, UnicodeDecodeError):
                continue

    def pf(self, folder: str) -> list[str]:
        """Read a PF and its VFs; give the VFs' addresses."""
        self.read(folder, _OF_PF)
        self._devices(folder, rdma=_OF_PF_DEVICE)
        found = []
        for name in self.names(folder):
            if name.startswith("virtfn"):
                target = self._link(f"{folder}/{name}")
                found.append(target)
                self._vf(f"{PCI}/{target}")
        self._policies(folder, count=len(found))
        return found

    def _vf(self, folder: str) -> None:
        self._link(f"{folder}/physfn")
        self._devices(folder, rdma=_OF_VF_DEVICE)

    def _devices(self, folder: str, *, rdma: tuple[str, ...]) -> None:
        self._link(f"{folder}/driver")
        for name in self.names(f"{folder}/net"):
            self.read(f"{folder}/net/{name}", ("mtu",))
            self.values.setdefault(f"{folder}/net/{name}/mtu", "")
        for name in self.names(f"{folder}/infiniband"):
            self.read(f"{folder}/infiniband/{name}", rdma)

    def _policies(self, folder: str, *, count: int) -> None:
        """OFED's files: where the first is not there, none is."""
        self.read(folder, ("sriov/0/policy",) if count else ())
        if f"{folder}/sriov/0/policy" in self.values:
            self.read(folder, tuple(f"sriov/{n}/policy" for n in range(1, count)))

    def _link(self, path: str) -> str:
        try:
            target = self._files.readlink(path).rstrip("/").rpartition("/")[2]
        except ReadFault:
            return ""
        self.links[path] = target
        return target
