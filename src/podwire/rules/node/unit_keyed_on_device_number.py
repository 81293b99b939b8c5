"""A unit finds its PFs by the number in mlx5_N.

What you see
    It works until a card is added, moved or fails: then VFs are made on
    another card, or on none. On machines where rdma-core names RDMA devices
    after their place, mlx5_0 does not exist at all.

Why
    The kernel numbers RDMA devices in the order in which their driver was
    bound. rdma-core's udev rule may rename them to ibp24s0.

Fix
    Name PFs by PCI address: /sys/bus/pci/devices/0000:18:00.0.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike, listed
from podwire.model.evidence import Known
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Look at the names of PFs in paths, and whether the machine has such devices."""
    found = setup.numbered()
    if not found:
        return
    names = sorted(n for n, item in found.items() if item.is_certain and not n.endswith("N"))
    absent = [name for name in names if name not in have] if (have := _devices(setup)) else []
    message = f"{setup.name} on {setup.node} finds PFs by number"
    message += (
        f": {listed(absent)} {'does' if len(absent) == 1 else 'do'} not exist there"
        if absent
        else f", {listed(found)}, which follows the order in which the driver was bound"
    )
    first = found[(absent or list(found))[0]]
    yield Finding(
        severity=Severity.ERROR if absent else Severity.NOTE,
        message=message,
        evidence=(Evidence(at=first.done.place, saw=(absent or list(found))[0]),),
        sees="with another card, another slot or rdma-core's persistent names the VFs are made "
        "elsewhere or not at all",
        fix=(Fix(text="name PFs by PCI address: /sys/bus/pci/devices/0000:18:00.0/sriov_numvfs"),),
        group=alike(message, setup.node),
    )


def _devices(setup: "VfSetup") -> frozenset[str]:
    """Give the RDMA devices of the machine, where any were read."""
    functions = setup.files.functions
    if not isinstance(functions, Known):
        return frozenset()
    return frozenset(device.name for f in functions.value for device in f.rdma)


RULE = Rule(
    id="PW916",
    slug="unit-keyed-on-device-number",
    title="Unit finds its PFs by the number in mlx5_N",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.1 drivers/infiniband/core/device.c alloc_name",
        "rdma-core v64.0 kernel-boot/rdma-persistent-naming.rules",
    ),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
