"""The link layer of a function: what its port says, else its net device, else its class.

A port says it only while the driver is bound; the class of a VPI card follows its link type
(linux v6.12 include/linux/pci_ids.h: 0x0207 InfiniBand, 0x0200 Ethernet).
"""

from podwire.facts.node import Function

INFINIBAND = "InfiniBand"
ETHERNET = "Ethernet"
IPOIB = "32"  # linux v6.12 include/uapi/linux/if_arp.h ARPHRD_INFINIBAND
_TYPES = {IPOIB: INFINIBAND, "1": ETHERNET}
_CLASSES = {"0x0207": INFINIBAND, "0x0200": ETHERNET}


def link_layer_of(function: Function) -> str:
    """Give `InfiniBand` or `Ethernet`; empty: nothing that was read says it."""
    for device in function.rdma:
        layer = device.attributes.values.get("ports/1/link_layer", "").strip()
        if layer in {INFINIBAND, ETHERNET}:
            return layer
    for netdev in function.netdevs:
        layer = _TYPES.get(netdev.attributes.values.get("type", "").strip(), "")
        if layer:
            return layer
    return _CLASSES.get(function.attributes.values.get("class", "")[:6], "")
