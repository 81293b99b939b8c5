"""What the CNI of each network is told, read once, and whether it needs a device."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from podwire.facts.objects import Network
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import Ref
from podwire.peers import ib_sriov
from podwire.peers.multus import CniConfig, Unreadable, read_network_config

# None: spec.config is empty, and Multus reads a file of the node.
Cni: TypeAlias = CniConfig | Unreadable | None


def cnis_of(networks: Iterable[Network]) -> Mapping[Ref, Cni]:
    """Read `spec.config` of every NAD."""
    return {nad.ref: read_network_config(nad.spec.config) for nad in networks}


def takes_rdma(cni: Cni) -> bool:
    """Say whether ib-sriov attaches the network, to a container and not to a virtual machine."""
    main = cni.main if isinstance(cni, CniConfig) else None
    return bool(main and main.type == ib_sriov.IB_SRIOV and not main.value("vfioPciMode"))


def needs_device(nad: Ref, cni: Cni) -> Answer[bool]:
    """Say whether the CNI of a NAD refuses to work without a device that Multus passes."""
    if isinstance(cni, Unreadable):
        return Known(value=False)  # It never comes so far: that is a finding of its own.
    if cni is None:
        return Unknown(
            reason=f"the CNI type of {nad}: it has no spec.config, Multus reads a file of the node",
            fact="the CNI type of networks without spec.config",
        )
    return ib_sriov.needs_device(cni.main)
