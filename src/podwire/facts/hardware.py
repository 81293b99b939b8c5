"""One machine's PFs, VFs and GPUs side by side, as people look at them.

Every value is text as the kernel or a tool writes it; None: nobody read it. The records are
what `podwire node show -o json` prints, and what `podwire node compare` reads back.
"""

import msgspec

SCHEMA_VERSION = 1


class ShownVf(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One VF. `holder` is a pod, a process or a namespace that has it."""

    index: int
    address: str
    netdev: str | None = None
    rdma: str | None = None
    driver: str | None = None
    node_guid: str | None = None
    port_guid: str | None = None
    link_policy: str | None = None
    state: str | None = None
    mtu: str | None = None
    holder: str | None = None


class ShownPf(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One PF. `pcie` is its link now, `pcie_most` what it could be.

    `nearest_gpus` are numbers of GPUs, `nearest_way` how the nearest is reached, in the words
    of `nvidia-smi topo`: PIX one switch, PXB several, PHB the host bridge, NODE, SYS.
    """

    address: str
    card: str | None = None
    netdev: str | None = None
    rdma: str | None = None
    driver: str | None = None
    guid: str | None = None
    firmware: str | None = None
    board: str | None = None
    link_layer: str | None = None
    link_layer_next_boot: str | None = None
    state: str | None = None
    phys_state: str | None = None
    rate: str | None = None
    pcie: str | None = None
    pcie_most: str | None = None
    numa_node: str | None = None
    nearest_gpus: tuple[int, ...] = ()
    nearest_way: str | None = None
    total_vfs: str | None = None
    owners: tuple[str, ...] = ()
    vfs: tuple[ShownVf, ...] = ()


class ShownGpu(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One GPU. `is_reserved` None: no spec was given. `holders` None: nobody looked."""

    index: int
    uuid: str
    address: str | None = None
    minor: str | None = None
    numa_node: str | None = None
    model: str | None = None
    is_reserved: bool | None = None
    holders: tuple[str, ...] | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything of one machine."""

    node: str
    schema_version: int = SCHEMA_VERSION
    kernel: str | None = None
    pfs: tuple[ShownPf, ...] = ()
    gpus: tuple[ShownGpu, ...] = ()
