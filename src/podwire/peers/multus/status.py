"""The annotation `k8s.v1.cni.cncf.io/network-status`: which interfaces a pod really has.

Source: network-attachment-definition-client v1.7.6 pkg/apis/k8s.cni.cncf.io/v1/types.go
NetworkStatus, DeviceInfo.
"""

import msgspec

from podwire.model.addresses import PciAddress


class Interface(msgspec.Struct, frozen=True, gc=False):
    """One interface; `network` is `namespace/name`, or the CNI's name for the default one."""

    network: str
    name: str = ""
    default: bool = False
    ips: tuple[str, ...] = ()
    mac: str = ""
    pci_address: PciAddress | None = None
    rdma_device: str = ""


class _Device(msgspec.Struct, frozen=True, gc=False, rename="kebab"):
    pci_address: str = ""
    rdma_device: str = ""


class _DeviceInfo(msgspec.Struct, frozen=True, gc=False, rename="kebab"):
    pci: _Device | None = None
    vdpa: _Device | None = None


class _Status(msgspec.Struct, frozen=True, gc=False, rename="kebab"):
    name: str = ""
    interface: str = ""
    ips: tuple[str, ...] | None = None
    mac: str = ""
    default: bool = False
    device_info: _DeviceInfo | None = None


def read_status(value: str) -> tuple[Interface, ...] | None:
    """Read what Multus wrote; None for anything that it would not write."""
    try:
        listed = msgspec.json.decode(value.encode(errors="replace"), type=tuple[_Status, ...])
    except (msgspec.MsgspecError, RecursionError):
        return None
    return tuple(_interface(status) for status in listed)


def _interface(status: _Status) -> Interface:
    info = status.device_info or _DeviceInfo()
    device = info.pci or info.vdpa or _Device()
    return Interface(
        network=status.name,
        name=status.interface,
        default=status.default,
        ips=status.ips or (),
        mac=status.mac,
        pci_address=_address(device.pci_address),
        rdma_device=device.rdma_device,
    )


def _address(text: str) -> PciAddress | None:
    try:
        return PciAddress.parse(text)
    except ValueError:
        return None
