"""Multus: what it reads from annotations and networks, and which device goes where.

Read in its sources at v4.0.2, v4.2.2 and v4.3.0, with what it takes from
network-attachment-definition-client v1.7.6. Which networks and devices exist is not asked
here: `wire` joins that.
"""

from podwire.peers.multus.annotation_keys import (
    DEFAULT_NETWORK,
    NETWORK_STATUS,
    NETWORKS,
    NODE_SELECTOR,
    OLD_STATUS,
    RESOURCE_NAME,
    near_miss_key,
)
from podwire.peers.multus.cni_config import CniConfig, Plugin, read_network_config
from podwire.peers.multus.devices import Handed, Lacking, devices_for
from podwire.peers.multus.networks import read_networks
from podwire.peers.multus.selection import Selection, Selections, Unreadable
from podwire.peers.multus.status import Interface, read_status

__all__ = [
    "DEFAULT_NETWORK",
    "NETWORKS",
    "NETWORK_STATUS",
    "NODE_SELECTOR",
    "OLD_STATUS",
    "RESOURCE_NAME",
    "CniConfig",
    "Handed",
    "Interface",
    "Lacking",
    "Plugin",
    "Selection",
    "Selections",
    "Unreadable",
    "devices_for",
    "near_miss_key",
    "read_network_config",
    "read_networks",
    "read_status",
]
