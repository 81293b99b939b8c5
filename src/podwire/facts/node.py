"""What one machine has: PCI functions with their VFs, net and RDMA devices, from sysfs.

A sysfs attribute is a source of its own: what nobody collected is Unknown. `driver`, `net`,
`infiniband`, `physfn` and `virtfn*` of a function that is listed are complete.
"""

from collections.abc import Mapping

import msgspec

from podwire.model.addresses import PciAddress
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


class ContainerDevices(msgspec.Struct, frozen=True, gc=False):
    """What one container holds."""

    name: str = ""
    devices: tuple[Device, ...] = ()


class PodDevices(msgspec.Struct, frozen=True, gc=False):
    """What one pod holds."""

    name: str = ""
    namespace: str = ""
    containers: tuple[ContainerDevices, ...] = ()


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
    memory_manager_policy: str = "None"


class NodeFiles(msgspec.Struct, frozen=True, gc=False):
    """Everything that was read of one machine, beside its Node object.

    `functions` lists network functions (PCI class 02) completely. `default_routes` are the
    net devices that carry an IPv4 default route. `listings` are names in a folder, whole.
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
