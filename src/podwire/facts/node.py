"""What one machine has: PCI functions with their VFs, net and RDMA devices, from sysfs.

A sysfs attribute is a source of its own: what nobody collected is Unknown. `driver`, `net`,
`infiniband`, `physfn` and `virtfn*` of a function that is listed are complete.
"""

from collections.abc import Mapping

import msgspec

from podwire.model.addresses import GpuUuid, PciAddress
from podwire.model.evidence import Answer, Document, Known, Place, Unknown

PCI = "sys/bus/pci/devices"
GIVES_FUNCTIONS = "nodes/<node>/sysfs.txt in a bundle, or --node-root / on the node"


class Attributes(msgspec.Struct, frozen=True, gc=False):
    """The files below one folder of sysfs, by relative path.

    `is_whole` says that the folder itself was read (a real tree), so that a file which is
    not there does not exist.
    """

    document: Document
    folder: str
    values: Mapping[str, str]
    is_whole: bool = False

    def read(self, name: str) -> Answer[str | None]:
        """Read one file; None: it does not exist."""
        value = self.values.get(name)
        if value is None and not self.is_whole:
            path = f"/{self.folder}/{name}"
            return Unknown(
                reason=f"{path} of node {self.document.owner} was not collected",
                give=f"cat {path}",
                fact=f"the sysfs attribute {name}",
            )
        return Known(value=value, places=(self.place(name),))

    def place(self, name: str) -> Place:
        """Name a file, also one that is absent."""
        return Place(document=self.document, path=(f"{self.folder}/{name}",))


class NetDevice(msgspec.Struct, frozen=True, gc=False):
    """A network interface of a function; `type` 32 is InfiniBand, 1 Ethernet."""

    name: str
    attributes: Attributes


class RdmaDevice(msgspec.Struct, frozen=True, gc=False):
    """An RDMA device with its character devices (`uverbs2`, `umad2`, `issm2`)."""

    name: str
    attributes: Attributes
    char_nodes: tuple[str, ...] = ()


class Function(msgspec.Struct, frozen=True, gc=False):
    """A PCI function: a PF, a VF, or a card without SR-IOV."""

    node: str
    address: PciAddress
    attributes: Attributes
    driver: str | None = None
    physfn: PciAddress | None = None
    virtfns: tuple[tuple[int, PciAddress], ...] = ()
    netdevs: tuple[NetDevice, ...] = ()
    rdma: tuple[RdmaDevice, ...] = ()

    @property
    def is_vf(self) -> bool:
        """It has a PF."""
        return self.physfn is not None

    @property
    def device_id(self) -> str:
        """Its PCI device id without `0x` (`101e`); empty where that was not collected."""
        return self.attributes.values.get("device", "").strip().removeprefix("0x")

    def place(self, name: str = "") -> Place:
        """Name an attribute, or the function's folder."""
        return (
            self.attributes.place(name)
            if name
            else Place(document=self.attributes.document, path=(self.attributes.folder,))
        )


class Device(msgspec.Struct, frozen=True, gc=False, rename={"ids": "device_ids"}):
    """One entry of `devices` in an answer of kubelet's PodResources service."""

    resource_name: str
    ids: tuple[str, ...] = ()
    topology: "Topology | None" = None


class NumaNode(msgspec.Struct, frozen=True, gc=False):
    """A NUMA node by its number."""

    id: int = msgspec.field(default=0, name="ID")


class Topology(msgspec.Struct, frozen=True, gc=False):
    """The NUMA nodes that a device is near to."""

    nodes: tuple[NumaNode, ...] = ()


class MemoryBlock(msgspec.Struct, frozen=True, gc=False):
    """Bytes of one type of memory on NUMA nodes, `memory` or `hugepages-2Mi`."""

    memory_type: str = ""
    size: int = 0
    topology: Topology | None = None


class ContainerDevices(msgspec.Struct, frozen=True, gc=False):
    """What one container holds."""

    name: str = ""
    devices: tuple[Device, ...] = ()
    cpu_ids: tuple[int, ...] = ()
    memory: tuple[MemoryBlock, ...] = ()


class PodDevices(msgspec.Struct, frozen=True, gc=False):
    """What one pod holds; `cpu_ids` and `memory` of its own are for all of its containers."""

    name: str = ""
    namespace: str = ""
    containers: tuple[ContainerDevices, ...] = ()
    cpu_ids: tuple[int, ...] = ()
    memory: tuple[MemoryBlock, ...] = ()


class Allocatable(msgspec.Struct, frozen=True, gc=False):
    """What kubelet gives to pods in all: healthy devices, CPUs and memory it does not reserve."""

    devices: tuple[Device, ...] = ()
    cpu_ids: tuple[int, ...] = ()
    memory: tuple[MemoryBlock, ...] = ()


class GpuFunction(msgspec.Struct, frozen=True, gc=False):
    """A PCI function of a GPU of NVIDIA; `numa_node` None: on none in particular."""

    address: str
    numa_node: int | None = None


class NumaCell(msgspec.Struct, frozen=True, gc=False):
    """A NUMA node with its CPUs; `distances` as in sysfs, None where they were not collected.

    `cores` has the CPUs of each core; None too where that was not collected of every CPU.
    """

    id: int
    cpus: tuple[int, ...] = ()
    distances: tuple[int, ...] | None = None
    cores: tuple[tuple[int, ...], ...] | None = None


NO_CELLS = Unknown(
    reason="the NUMA nodes of the machine and their CPUs were not read",
    give="sys/devices/system/node/ in nodes/<node>/sysfs.txt, or --node-root / on the node",
    fact="the NUMA nodes of a machine and their CPUs",
)
NO_GPUS = Unknown(
    reason="the GPUs of the machine were not read from sysfs",
    give="PCI functions of class 03 in nodes/<node>/sysfs.txt, or --node-root / on the node",
    fact="the GPUs of a machine",
)
NO_CPU_IDS = Unknown(
    reason="the CPUs that kubelet gives to pods were not read",
    give="nodes/<node>/podresources-allocatable.json with its cpu_ids, in a bundle",
    fact="the CPUs that kubelet gives to pods",
)
NO_MEMORY = Unknown(
    reason="the memory that kubelet gives to pods was not read",
    give="nodes/<node>/podresources-allocatable.json with its memory, in a bundle",
    fact="the memory that kubelet gives to pods",
)


class Mig(msgspec.Struct, frozen=True, gc=False):
    """A MIG device of a GPU."""

    profile: str
    uuid: GpuUuid


class Card(msgspec.Struct, frozen=True, gc=False):
    """One GPU as `nvidia-smi -L` lists it; its number may change with the next boot."""

    index: int
    model: str
    uuid: GpuUuid
    migs: tuple[Mig, ...] = ()


class TextFile(msgspec.Struct, frozen=True, gc=False):
    """A file as it is, for whoever knows its form."""

    document: Document
    text: str


class KubeletConfig(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """KubeletConfiguration, as far as podwire reads it; absent keys have kubelet's defaults."""

    topology_manager_policy: str = "none"
    topology_manager_scope: str = "container"
    topology_manager_policy_options: dict[str, str] = {}
    cpu_manager_policy: str = "none"
    cpu_manager_policy_options: dict[str, str] = {}
    reserved_system_cpus: str = msgspec.field(default="", name="reservedSystemCPUs")
    memory_manager_policy: str = "None"


class NodeFiles(msgspec.Struct, frozen=True, gc=False):
    """Everything that was read of one machine, beside its Node object.

    `functions` lists network functions (PCI class 02) completely. `default_routes` are the
    net devices that carry an IPv4 default route. `listings` are names in a folder, whole.
    `images` are variables of images by their names; `cards` the GPUs, `gpus` their PCI functions
    (class 03, completely where there is one). `cells` are all NUMA nodes; `allocatable_cpus` and
    `allocatable_memory` what static managers give to pods in all.
    """

    name: str
    functions: Answer[tuple[Function, ...]]
    default_routes: Answer[frozenset[str]]
    allocatable: Answer[tuple[Device, ...]]
    held: Answer[tuple[PodDevices, ...]]
    kubelet: Answer[KubeletConfig]
    rdma_mode: Answer[str]
    listings: Mapping[str, tuple[str, ...]] = {}
    files: Mapping[str, TextFile] = {}
    cards: Answer[tuple[Card, ...]] = Unknown(reason="nvidia-smi -L of a node was not read")
    images: Mapping[str, tuple[str, ...]] = {}
    gpus: Answer[tuple[GpuFunction, ...]] = NO_GPUS
    cells: Answer[tuple[NumaCell, ...]] = NO_CELLS
    allocatable_cpus: Answer[tuple[int, ...]] = NO_CPU_IDS
    allocatable_memory: Answer[tuple[MemoryBlock, ...]] = NO_MEMORY

    def file(self, name: str) -> Answer[TextFile]:
        """Give a file by its name in the bundle (`uname.txt`, `etc/opensm/opensm.conf`)."""
        found = self.files.get(name)
        if found is None:
            return Unknown(reason=f"{name} of node {self.name} was not collected")
        return Known(value=found, places=(Place(document=found.document),))


class PodFiles(msgspec.Struct, frozen=True, gc=False):
    """Output of commands in one pod, by the name that the bundle gives it."""

    namespace: str
    name: str
    files: Mapping[str, TextFile] = {}

    def file(self, name: str) -> Answer[TextFile]:
        """Give a file by its name (`dev-infiniband.txt`)."""
        found = self.files.get(name)
        if found is None:
            return Unknown(reason=f"{name} of pod {self.namespace}/{self.name} was not collected")
        return Known(value=found, places=(Place(document=found.document),))
