"""A port that has VFs finds nobody at the other end of its cable.

What you see
    The PF's port is Down and Polling, and with it the ports of all its VFs.
    The node still offers the VFs: a pod that gets one has no carrier.

Why
    Polling means that the port looks for a partner and finds none: no cable,
    a broken one, a switch port that is off. Disabled means that somebody
    turned the port off. The device plugin does not look at link state.

Fix
    Look at the cable and at the switch's port. Until then keep pods off the
    PF's VFs. Where no pool has them, or the spec means other PFs, it is a
    note.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.names import Ref
from podwire.wire.fabric.offered import is_out_of_use
from podwire.wire.fabric.ports import Port, infiniband_ports
from podwire.wire.fabric.served import DOWN
from podwire.wire.picture import Picture

_MEANINGS = {
    "Polling": "finds no partner at the other end of its cable",
    "Sleep": "is asleep",
    "Disabled": "is turned off",
}
_LEAVE_OUT = Fix(
    text="until then leave this PF out of the pool (pfNames), and restart the plugin",
    breaks="the node offers fewer devices",
)


def check(port: Port, picture: Picture) -> Iterator[Finding]:
    """Read both states; a port without VFs may well have no cable."""
    vfs = len(port.function.virtfns)
    if port.function.is_vf or not vfs or port.state.need().value != DOWN:
        return
    phys = port.phys_state.need().value or ""
    if phys not in _MEANINGS:
        return
    addresses = {address for _, address in port.function.virtfns}
    is_out = is_out_of_use(port.function, port.node, picture)
    holders = [h for h in picture.holders(port.node) if h.address in addresses]
    pods = tuple(dict.fromkeys(h.pod for h in holders))
    yield Finding(
        severity=Severity.NOTE if is_out else Severity.ERROR,
        message=f"port {port.number} of PF {port.function.address} ({port.device.name}) on "
        f"{port.node} {_MEANINGS[phys]}, and has {vfs} VF{'s' if vfs > 1 else ''}",
        evidence=(
            Evidence(at=port.place("state"), saw="DOWN"),
            Evidence(at=port.place("phys_state"), saw=phys),
        ),
        sees="nothing, for no pod is to get one of its VFs, whose ports are Down with it"
        if is_out
        else "the ports of its VFs are Down with it; the SR-IOV device plugin offers them all the "
        "same, and a pod that gets one has an interface without a carrier",
        fix=(Fix(text=_cure(phys, port)), *(() if is_out else (_LEAVE_OUT,))),
        also=(Ref(kind="Node", name=port.node), *pods),
    )


def _cure(phys: str, port: Port) -> str:
    if phys == "Disabled":
        return f"turn the port on: ibportstate of {port.device.name}, and the switch's port"
    return "look at the cable, at its transceiver, and at the switch's port"


RULE = Rule(
    id="PW406",
    slug="port-without-partner",
    title="Port that has VFs finds no partner",
    since="0.1",
    joint=Joint.LINK,
    refs=(
        "linux v6.12 drivers/infiniband/core/sysfs.c phys_state_show",
        "sriov-network-device-plugin v3.11.0 pkg/resources/pool_stub.go Probe",
    ),
    over=infiniband_ports,
    check=check,
)
