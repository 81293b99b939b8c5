"""What has to be repaired before VFs can be made: driver, modules, devices."""

from collections.abc import Iterable, Iterator

from podwire.peers.pci_ids import MELLANOX
from podwire.plan.machine import Machine, Pf, Way
from podwire.plan.step import Repair

# By PCI vendor; of others nobody can say which module drives them.
_MODULES = {MELLANOX: "mlx5_core"}


def repairs(pfs: Iterable[Pf], machine: Machine) -> Iterator[Repair]:
    """Name what is missing, once each, in the order in which to mend it."""
    found: dict[Repair, None] = {}
    for pf in pfs:
        for repair in (*_driver(pf, machine), *_devices(pf, machine)):
            found[repair] = None
    yield from found


def _driver(pf: Pf, machine: Machine) -> Iterator[Repair]:
    if pf.driver is not None:
        return
    module = _MODULES.get(pf.vendor)
    if module is None:
        yield Repair(
            text=f"PF {pf.name} has no driver", fix="load its driver; lspci -k names the modules"
        )
        return
    refused = _refused(module, machine)
    if refused is not None:
        yield refused
    elif module in machine.modules:
        yield Repair(
            text=f"PF {pf.name} has no driver, although {module} is loaded",
            fix=f"dmesg names the reason; then echo {pf.address} > "
            f"/sys/bus/pci/drivers/{module}/bind",
        )
    elif machine.module_kernels and machine.kernel not in machine.module_kernels:
        kernels = ", ".join(machine.module_kernels)
        yield Repair(
            text=f"{module} is built for {kernels}, and kernel {machine.kernel} runs",
            fix=f"build it for {machine.kernel} (dkms autoinstall), or boot the other kernel",
        )
    else:
        yield Repair(text=f"{module} is not loaded", fix=f"modprobe {module}")


def _refused(module: str, machine: Machine) -> Repair | None:
    """Say why the kernel did not take a module, where its log does."""
    lines = [line for line in machine.log if line.startswith(f"{module}:")]
    if not lines:
        return None
    return Repair(
        text=f"the kernel {machine.kernel} refused {module}: {lines[-1].partition(': ')[2]}",
        fix=f"install a driver that is built for this kernel (dkms status; modinfo {module}), "
        "or use the kernel's own: apt or dnf reinstall of its modules package",
    )


def _devices(pf: Pf, machine: Machine) -> Iterator[Repair]:
    """An InfiniBand PF needs its RDMA device for its GUID, and one way to set its VFs'."""
    if pf.driver is None or not pf.is_infiniband:
        return
    if pf.rdma is None:
        missing = Repair(text=f"PF {pf.name} has no RDMA device", fix="modprobe mlx5_ib")
        yield _refused("mlx5_ib", machine) or missing
    if pf.way is Way.NONE and pf.is_elsewhere:
        yield Repair(
            text=f"the net device of PF {pf.name} is in another network namespace",
            fix="bring it back: ip netns exec NAME ip link set DEVICE netns 1",
        )
    elif pf.way is Way.NONE:
        yield _refused("ib_ipoib", machine) or Repair(
            text=f"PF {pf.name} has no net device on which GUIDs of its VFs could be set",
            fix="modprobe ib_ipoib",
        )
