"""A port with a good cable waits for a subnet manager.

What you see
    ibstat says Initializing over LinkUp, LID 0 or 65535, and nothing goes
    through the port or through its VFs.

Why
    The hardware brings the link up by itself; the subnet manager then gives
    the port a LID and makes it Active. That did not happen: none runs in the
    subnet, or none reaches the port.

Fix
    See that a subnet manager runs, on the switch, in UFM or as OpenSM on one
    host of the subnet, and that its log names this port. A port that the spec
    leaves out, or whose VFs are in no pool, is a note.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.names import Ref
from podwire.wire.fabric.offered import is_out_of_use
from podwire.wire.fabric.ports import Port, infiniband_ports
from podwire.wire.fabric.served import INIT, LINK_UP
from podwire.wire.picture import Picture


def check(port: Port, picture: Picture) -> Iterator[Finding]:
    """Read both states of a PF's port: only together do they tell the cable from the manager."""
    if port.function.is_vf or port.state.need().value != INIT:
        return
    if port.phys_state.need().value != LINK_UP:
        return
    vfs = len(port.function.virtfns)
    beside = [p for p in infiniband_ports(picture) if p.node == port.node]
    yield Finding(
        severity=_severity(port, picture),
        message=f"port {port.number} of {port.device.name} ({port.function.address}) on "
        f"{port.node} has link, but no subnet manager made it active",
        evidence=(
            Evidence(at=port.place("state"), saw="INIT"),
            Evidence(at=port.place("phys_state"), saw="LinkUp", role="the cable is good"),
        ),
        sees="no LID and no traffic on this port" + (f", nor on its {vfs} VFs" if vfs else ""),
        fix=(
            Fix(
                text=f"see that a subnet manager runs in the subnet of {port.device.name}: "
                f"sminfo -C {port.device.name} on {port.node}"
            ),
        ),
        also=(Ref(kind="Node", name=port.node),),
        group=port.node if len(beside) > 1 else "",
    )


def _severity(port: Port, picture: Picture) -> Severity:
    """A port of which nobody is to get anything is worth knowing, no more."""
    if is_out_of_use(port.function, port.node, picture):
        return Severity.NOTE
    return Severity.ERROR if port.function.virtfns else Severity.WARNING


RULE = Rule(
    id="PW405",
    slug="port-waits-for-manager",
    title="Port with a good cable waits for a subnet manager",
    since="0.1",
    joint=Joint.LINK,
    refs=("linux v6.12 drivers/infiniband/core/sysfs.c state_show, phys_state_show",),
    over=infiniband_ports,
    check=check,
)
