"""Network functions of a node as udev's net devices: what .link files are asked about."""

from collections.abc import Iterator

import msgspec

from podwire.facts import lspci
from podwire.facts.node import GIVES_FUNCTIONS, Function, NodeFiles
from podwire.model.evidence import Answer, Document, Known, Place, Unknown
from podwire.peers.pci_ids import MELLANOX
from podwire.peers.systemd_link.records import LinkDevice

LSPCI = "lspci.txt"
# ethtool's driver of an IPoIB device: linux v6.1 mlx5/core/ipoib/ethtool.c
# mlx5i_get_drvinfo; the net device of Ethernet says mlx5_core.
IPOIB_DRIVER = "mlx5_core[ib_ipoib]"
ETHERNET_DRIVER = "mlx5_core"
_INFINIBAND_CLASS, _INFINIBAND_TYPE = "0x0207", "32"


class Nic(msgspec.Struct, frozen=True, gc=False):
    """A function that mlx5_core drives; `is_infiniband` None: nobody read the link layer."""

    node: str
    address: str
    place: Place
    is_vf: bool
    is_infiniband: bool | None
    netdevs: tuple[str, ...] = ()

    def device(self) -> LinkDevice:
        """Give its net device as far as the driver decides what it is."""
        known: dict[str, str | None] = {"Path": f"pci-{self.address}", "Kind": None}
        if self.is_infiniband is not None:
            known["Driver"] = IPOIB_DRIVER if self.is_infiniband else ETHERNET_DRIVER
            known["Type"] = "infiniband" if self.is_infiniband else "ether"
        # mlx5 sets no device type (linux v6.1, no SET_NETDEV_DEVTYPE in it).
        return LinkDevice(
            name=self.address, facts=known, properties={"DEVTYPE": None, "ID_PATH": known["Path"]}
        )


def nics_of(files: NodeFiles) -> Answer[tuple[Nic, ...]]:
    """Give all Mellanox functions, from sysfs or else from lspci."""
    if isinstance(files.functions, Known):
        found = tuple(_of_sysfs(files.functions.value, files.name))
        return Known(value=found, places=files.functions.places)
    listed = files.files.get(LSPCI)
    if listed is None:
        return Unknown(
            reason=f"which network functions {files.name} has was not read",
            give=f"lspci -nn > nodes/{files.name}/{LSPCI}, or {GIVES_FUNCTIONS}",
            fact="the network functions of a node",
        )
    found = tuple(_of_lspci(listed.text, files.name, listed.document))
    return Known(value=found, places=(Place(document=listed.document),))


def _of_sysfs(functions: tuple[Function, ...], node: str) -> Iterator[Nic]:
    for function in functions:
        if function.attributes.values.get("vendor", "").strip().removeprefix("0x") == MELLANOX:
            yield Nic(
                node=node,
                address=str(function.address),
                place=function.place(),
                is_vf=function.is_vf,
                is_infiniband=is_infiniband(function),
                netdevs=tuple(net.name for net in function.netdevs),
            )


def is_infiniband(function: Function) -> bool | None:
    """Say what a function's link layer is; None: nobody read it."""
    types = {net.attributes.values.get("type", "").strip() for net in function.netdevs} - {""}
    if types:
        return _INFINIBAND_TYPE in types
    layers = {
        value.strip()
        for device in function.rdma
        for name, value in device.attributes.values.items()
        if name.endswith("link_layer")
    }
    if layers:
        return "InfiniBand" in layers
    kind = function.attributes.values.get("class", "").strip()
    return kind.startswith(_INFINIBAND_CLASS) if kind else None


def _of_lspci(text: str, node: str, document: Document) -> Iterator[Nic]:
    for listed in lspci.network_functions(text):
        if listed.vendor == MELLANOX:
            yield Nic(
                node=node,
                address=str(listed.address),
                place=Place(document=document, path=(listed.line,)),
                is_vf=listed.is_vf,
                is_infiniband=listed.is_infiniband,
            )
