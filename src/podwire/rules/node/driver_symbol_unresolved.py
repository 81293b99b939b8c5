"""The kernel refused a module of the card's driver: it was built for another kernel.

What you see
    No RDMA device, no net device, VFs without a driver; lsmod lacks the
    module. dmesg has "Unknown symbol", or "disagrees about version of
    symbol".

Why
    A module that names a function which this kernel does not have is not
    loaded at all, whole or in part. strlcpy is gone since Linux 6.8: drivers
    from before that do not load on it. What else goes wrong on such a
    machine follows from that, except what needs a driver that runs, such as
    names that change.

Fix
    Install a driver for this kernel: the kernel's own, MLNX_OFED 24.10 LTS,
    or a DOCA-OFED that lists the kernel. There is no MLNX_OFED 25.01.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.names import Ref
from podwire.model.versions import Version
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.kernel_log import Refused

_GONE = {"strlcpy": "6.8"}  # linux d26270061ae6


def check(module: "Refused", _: Picture) -> Iterator[Finding]:
    """Tell modules without which there is no InfiniBand from those beside it."""
    message = f"{module.module} does not load on {module.node}: {_lacks(module)}"
    addresses = [address for address, _, _ in module.without_driver]
    if module.is_needed and addresses:
        message += f"; {', '.join(addresses[:3])} gets no driver"
    yield Finding(
        severity=Severity.ERROR if module.is_needed else Severity.NOTE,
        message=message if module.is_needed else f"{message}; InfiniBand does not need it",
        evidence=tuple(_evidence(module)),
        sees="no RDMA device and no VF that works; a driver that does not load changes no names: "
        "names that flap have another cause"
        if module.is_needed
        else "nothing, unless vDPA or what else the module is for is used",
        cause=Cause(text=_cause(module), proven=True),
        fix=tuple(_fixes(module)),
        also=tuple(Ref(kind="VF", name=f"{module.node}/{a}") for a in addresses),
        group=alike(message, module.node),
    )


def _lacks(module: "Refused") -> str:
    where = f"kernel {module.kernel}" if module.kernel else "its kernel"
    if module.is_of_driver:
        where = "the driver that is loaded"
    has = "another version of" if module.is_other_version else "no symbol"
    return f"{where} has {has} {module.symbol}{_since(module)}"


def _cause(module: "Refused") -> str:
    if module.is_of_driver:
        return "the module comes from another driver than the one that is loaded (kernel, OFED)"
    return "the module was built for another kernel"


def _since(module: "Refused") -> str:
    gone = _GONE.get(module.symbol)
    if gone is None:
        return ""
    try:
        is_later = not module.kernel or Version.parse(module.kernel).is_at_least(gone)
    except ValueError:
        return ""
    return f" (removed in {gone})" if is_later else ""


def _evidence(module: "Refused") -> Iterator[Evidence]:
    yield Evidence(at=module.place, saw=module.text)
    if module.kernel_place is not None:
        yield Evidence(at=module.kernel_place, saw=module.kernel, role="kernel")
    for _, place, text in module.without_driver[:2]:
        yield Evidence(at=place, saw=text)


def _fixes(module: "Refused") -> Iterator[Fix]:
    if not module.is_needed:
        yield Fix(text=f"none is needed; blacklist {module.module} to silence the log")
        return
    yield Fix(
        text="use the driver of the kernel itself: remove the other one, SR-IOV on InfiniBand "
        "needs no more"
    )
    yield Fix(
        text="or install MLNX_OFED 24.10 LTS or a DOCA-OFED that lists this kernel; dkms "
        "status and modinfo mlx5_core (vermagic) tell what is built"
    )


RULE = Rule(
    id="PW920",
    slug="driver-symbol-unresolved",
    title="Kernel refuses a module of the card's driver",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.8 commit d26270061ae6 (strlcpy removed)",
        "NVIDIA MLNX_OFED documentation v24.10 (the last one)",
    ),
    over=lambda picture: picture.node_setups.refused_modules if picture.node_setups else (),
    check=check,
)
