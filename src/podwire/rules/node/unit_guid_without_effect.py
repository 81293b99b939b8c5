"""A unit sets GUIDs where no VF reads them.

What you see
    The unit ends, and node_guid of every VF is 0000:0000:0000:0000; ports
    stay down. Or the journal has "No such file or directory" for each VF.

Why
    The kernel takes GUIDs of VFs over netlink (ip link set PF vf N node_guid).
    MLNX_OFED and DOCA-OFED add the files node and port below
    device/sriov/N of the PF; node_guid and port_guid exist nowhere. A
    driver reads its GUIDs when it is bound: a VF that was bound when it was
    made has to be unbound and bound again, or made again: mlx5 keeps what
    the PF was told. udevadm settle waits for what
    happened before it, not for what comes after.

Fix
    Write 0 to sriov_drivers_autoprobe before the VFs are made, set GUIDs and
    link state, write 1, bind each VF by drivers_probe, then settle.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.guid_steps import GuidSteps
    from podwire.wire.node_setup.sight import VfSetup

_ORDER = (
    "0 to sriov_drivers_autoprobe, the count to sriov_numvfs, GUIDs and link state, 1 to "
    "sriov_drivers_autoprobe, each VF's address to /sys/bus/pci/drivers_probe, udevadm settle"
)
_FILES = (
    "ip link set dev PF vf N node_guid GUID port_guid GUID (kernel), or echo GUID into "
    ".../device/sriov/N/node and port (MLNX_OFED, DOCA-OFED)"
)


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Follow the GUIDs from the write to the driver that reads them."""
    steps = setup.guid_steps()
    if steps is None:
        return
    if not steps.nowhere:
        steps.is_bound_again.need()
    effects = list(_effects(steps))
    if not effects:
        return
    message = f"{setup.name} on {setup.node}: " + "; ".join(effects)
    is_lost = bool(steps.nowhere) or not _is_bound(steps)
    yield Finding(
        severity=Severity.ERROR if is_lost else Severity.NOTE,
        message=message,
        evidence=tuple(_evidence(steps)),
        sees="node_guid and port_guid of the VFs stay zero and their ports down, also when all "
        "of the script ran"
        if is_lost
        else "names and devices are looked at before udev is done with them",
        fix=(
            *((Fix(text=f"set GUIDs where they are read: {_FILES}"),) if steps.nowhere else ()),
            Fix(text=f"keep this order, which needs no second bind: {_ORDER}"),
        ),
        group=alike(message, setup.node),
    )


def _is_bound(steps: "GuidSteps") -> bool:
    answer = steps.is_bound_again
    return bool(getattr(answer, "value", True))


def _effects(steps: "GuidSteps") -> Iterator[str]:
    if steps.nowhere:
        names = dict.fromkeys(item.attribute for item in steps.nowhere)
        yield f"sriov/N/{' and '.join(names)} exist in no kernel and no driver"
    if not _is_bound(steps):
        yield "no VF is bound again after its GUID was set, and a driver reads GUIDs at its bind"
    if steps.early_settle is not None:
        yield "udevadm settle runs before the last change, not after it"


def _evidence(steps: "GuidSteps") -> Iterator[Evidence]:
    places = dict.fromkeys((i.done.place, i.attribute) for i in steps.nowhere)
    for place, attribute in list(places)[:2]:
        yield Evidence(at=place, saw=f"sriov/N/{attribute}")
    if not _is_bound(steps):
        yield Evidence(at=steps.last.done.place, saw="the last GUID; no bind follows")
    if steps.early_settle is not None:
        yield Evidence(at=steps.early_settle.done.place, saw="udevadm settle")


RULE = Rule(
    id="PW912",
    slug="unit-guid-without-effect",
    title="Unit sets GUIDs where no VF reads them",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.1 drivers/infiniband/hw/mlx5/ib_virt.c mlx5_ib_set_vf_guid",
        "ib-sriov-cni v1.3.0 pkg/sriov/sriov.go (rebind after the GUID)",
    ),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
