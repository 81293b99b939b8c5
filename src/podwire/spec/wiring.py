"""`kind: Wiring`, podwire's own file: what the owner of the machines wants.

Null means empty. What the schema does not know yet is refused, with the nearest known word.
"""

from typing import Any, Literal

import msgspec

from podwire.model.evidence import NOWHERE, Document, Path, Place, Step

API_VERSION = "podwire.io/v1alpha1"
KIND = "Wiring"


class _Part(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of the spec."""


class Gpus(_Part, frozen=True):
    """`nodes[].gpus`: UUIDs that never become pods' GPUs, and who serves the others."""

    reserve_for_host: tuple[str, ...] = ()
    served_by: str = ""


class LabelWish(_Part, frozen=True):
    """`nodes[].selector`."""

    match_labels: dict[str, str] = {}


class PfWish(_Part, frozen=True):
    """`fabric.pfs`: PFs by what they are, where they are, or the board's name."""

    link_layer: str = ""
    pci_addresses: tuple[str, ...] = ()
    board: str = ""


class GuidRange(_Part, frozen=True):
    """`guids.pool`: first and last GUID."""

    first: str = msgspec.field(default="", name="from")
    last: str = msgspec.field(default="", name="to")


class GuidWish(_Part, frozen=True):
    """`fabric.guids`, where they are not derived: out of a pool, or written in a file."""

    pool: GuidRange | None = None
    file: str = ""


class NameWish(_Part, frozen=True):
    """`fabric.names`, where they do not follow the path: by PCI address."""

    literal: dict[str, str] = {}


class FirmwareWish(_Part, frozen=True):
    """`fabric.firmware`."""

    link_type: str = ""
    vfs: int | None = None


class FabricWish(_Part, frozen=True):
    """`nodes[].fabric`: VFs of the machines' InfiniBand PFs."""

    pfs: PfWish = PfWish()
    vfs_per_pf: int | None = None
    guids: Literal["derived"] | GuidWish = "derived"
    names: Literal["path"] | NameWish = "path"
    link_policy: str = ""
    mtu: int | None = None
    firmware: FirmwareWish = FirmwareWish()


class KubeletWish(_Part, frozen=True):
    """`nodes[].kubelet`."""

    topology_manager_policy: str = ""
    topology_manager_scope: str = ""


class NodeWish(_Part, frozen=True):
    """`nodes[]`: machines by name or label, and what is wanted of them."""

    names: tuple[str, ...] = ()
    gpus: Gpus = Gpus()
    selector: LabelWish = LabelWish()
    fabric: FabricWish = FabricWish()
    kubelet: KubeletWish = KubeletWish()


class VfWish(_Part, frozen=True):
    """`pools[].vfs`: numbers of VFs, `0-7`."""

    per_pf: str | int = ""


class PoolWish(_Part, frozen=True):
    """`pools[]`: VFs under a resource's full name."""

    resource: str
    vfs: VfWish = VfWish()
    pfs: tuple[str, ...] = ()
    rdma: bool = False


class NetworkWish(_Part, frozen=True):
    """`networks[]`; `ipam` is kept as written."""

    name: str
    namespace: str = ""
    pool: str = ""
    ipam: dict[str, Any] = {}
    pkey: str = ""


class WorkloadWish(_Part, frozen=True):
    """`workloads[]`: what the pods of `of` (`Kind/namespace/name`) need."""

    of: str
    gpus: int | None = None
    networks: dict[str, int] = {}
    lock_memory: bool = False
    fail_fast: bool = False


class Guard(_Part, frozen=True):
    """`guard`: what the webhook does about each fault, `deny` or `warn`."""

    unrequested_gpu: str = ""
    impossible_topology: str = ""
    incomplete_wire: str = ""


class TierNodes(_Part, frozen=True):
    """`tiers[].nodes`: labels of the nodes."""

    selector: dict[str, str] = {}


class Tier(_Part, frozen=True):
    """`tiers[]`: who answers inference, in order."""

    name: str
    kind: str = ""
    nodes: TierNodes = TierNodes()
    service: str = ""
    model: str = ""
    max_parallel: int | None = None


class WiringMeta(_Part, frozen=True):
    """`metadata`."""

    name: str = ""


class Wiring(_Part, frozen=True):
    """The whole file; `components` gives versions (`{multus: v4.2.2}`)."""

    api_version: str = API_VERSION
    kind: str = KIND
    metadata: WiringMeta = WiringMeta()
    components: dict[str, str] = {}
    nodes: tuple[NodeWish, ...] = ()
    pools: tuple[PoolWish, ...] = ()
    networks: tuple[NetworkWish, ...] = ()
    workloads: tuple[WorkloadWish, ...] = ()
    guard: Guard = Guard()
    tiers: tuple[Tier, ...] = ()
    document: Document = msgspec.field(default=NOWHERE, name="podwire.io/document")

    def place(self, *path: Step, inner: Path | None = None) -> Place:
        """Name a value in the file."""
        return Place(document=self.document, path=path, inner=inner)
