"""Where a PF's VFs are, or will be: the kernel numbers them from two attributes of the PF.

Source: linux v6.12 drivers/pci/iov.c pci_iov_virtfn_bus, pci_iov_virtfn_devfn.
"""

from podwire.model.addresses import PciAddress
from podwire.node.reading import word_of
from podwire.plan.machine import Pf
from podwire.ports.hostfs import HostFs


def vf_addresses(pf: Pf, count: int, files: HostFs) -> tuple[PciAddress, ...]:
    """Give the addresses of the first `count` VFs; fewer where nobody can tell.

    VFs that are there tell themselves; others follow from `sriov_offset` and `sriov_stride`.
    """
    offset = word_of(files, f"{pf.folder}/sriov_offset")
    stride = word_of(files, f"{pf.folder}/sriov_stride")
    if not (offset.isdecimal() and stride.isdecimal()):
        return tuple(vf.address for vf in sorted(pf.vfs, key=lambda vf: vf.index)[:count])
    every = (numbered(pf.address, n, int(offset), int(stride)) for n in range(count))
    return tuple(vf for vf in every if PciAddress.is_one(str(vf)))  # a domain ends at bus ff


def numbered(pf: PciAddress, index: int, offset: int, stride: int) -> PciAddress:
    """Count on from the PF's routing ID: 8 bits of bus, 5 of device, 3 of function."""
    domain, bus, rest = str(pf).split(":")
    device, function = rest.split(".")
    routing = (int(bus, 16) << 8) + (int(device, 16) << 3) + int(function)
    routing += offset + stride * index
    return PciAddress(text=f"{domain}:{routing >> 8:02x}:{routing >> 3 & 31:02x}.{routing & 7}")
