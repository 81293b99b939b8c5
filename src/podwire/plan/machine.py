"""What was observed of one machine, as far as making VFs needs it."""

import enum
from collections.abc import Mapping

import msgspec

from podwire.facts.link_layer import INFINIBAND
from podwire.facts.node import PCI
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known
from podwire.model.guids import Guid
from podwire.peers.mstconfig import Settings


class Way(enum.Enum):
    """How GUIDs and link policies of VFs are set."""

    NETLINK = "netlink"
    OFED = "OFED's files"
    NONE = "none"


class Identity(msgspec.Struct, frozen=True):
    """What tells this machine from others; empty: nobody could read it."""

    id: str = ""
    product: str = ""


class Vf(msgspec.Struct, frozen=True):
    """One VF. `policy` is `follow`, `up` or `down`; GUIDs are those of the running function.

    `is_elsewhere`: its net device lives in another network namespace.
    `is_down`: its port is down, while the PF's is not.
    """

    index: int
    address: PciAddress
    driver: str | None = None
    node_guid: Answer[Guid | None] = Known(None)
    port_guid: Answer[Guid | None] = Known(None)
    policy: Answer[str | None] = Known(None)
    mtu: int | None = None
    is_elsewhere: bool = False
    is_down: bool = False


class Pf(msgspec.Struct, frozen=True):
    """One PF. `total` is what its firmware allows; None: no SR-IOV, or nobody could read it.

    `autoprobe` is None on kernels that lack the attribute. `owners` are other programs that
    make this PF's VFs, each with its place. `is_elsewhere`: its net device lives in another
    network namespace.
    """

    address: PciAddress
    driver: str | None = None
    vendor: str = ""
    link_layer: str = ""
    netdev: str | None = None
    rdma: str | None = None
    guid: Guid | None = None
    total: int | None = None
    count: int = 0
    autoprobe: str | None = None
    way: Way = Way.NONE
    vfs: tuple[Vf, ...] = ()
    is_elsewhere: bool = False
    owners: tuple[str, ...] = ()

    @property
    def is_infiniband(self) -> bool:
        """Its VFs have GUIDs."""
        return self.link_layer == INFINIBAND

    @property
    def folder(self) -> str:
        """Where its attributes are, below the root."""
        return f"{PCI}/{self.address}"

    @property
    def name(self) -> str:
        """How people find it."""
        return f"{self.netdev} ({self.address})" if self.netdev else str(self.address)


class Machine(msgspec.Struct, frozen=True):
    """One machine.

    `holders` names who holds a VF; None: nobody looked. `unseen_holders` says where nobody
    could look.
    `modules` are those in the kernel, `module_kernels` the kernels that mlx5_core was built
    for, `log` the kernel's sentences about modules that it refused.
    """

    name: str
    identity: Identity = Identity()
    boot: str = ""
    kernel: str = ""
    modules: frozenset[str] = frozenset()
    module_kernels: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    pfs: tuple[Pf, ...] = ()
    others: tuple[PciAddress, ...] = ()
    holders: Mapping[PciAddress, tuple[str, ...]] | None = None
    unseen_holders: tuple[str, ...] = ()
    firmware: tuple[Settings, ...] = ()

    def settings_of(self, address: PciAddress) -> Settings | None:
        """Give what a PF's firmware is set to, where it was asked and answered."""
        found = (s for s in self.firmware if s.address == address and s.parameters)
        return next(found, None)

    def pf(self, address: PciAddress) -> Pf | None:
        """Find a PF."""
        return next((pf for pf in self.pfs if pf.address == address), None)
