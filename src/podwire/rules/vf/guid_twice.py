"""Two ports have one GUID.

What you see
    One of the two works, now this one and now that one: traffic of a pod
    stalls when the other's port comes up, and nothing is logged where the
    pod runs. The subnet manager's log speaks of duplicated GUIDs.

Why
    A GUID is a port's identity in its subnet. Scripts that count from the
    same start on each machine, and images of a machine that was already set
    up, give the same GUIDs to several machines.

Fix
    Derive GUIDs from something that each machine has for itself, such as the
    PF's own GUID, and set them anew on all machines but one.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.fabric.ports import Port
from podwire.wire.fabric.twins import Twins, is_one_subnet, twins
from podwire.wire.picture import Picture


def check(of: Twins, picture: Picture) -> Iterator[Finding]:
    """Ask whether the ports that share the GUID can meet."""
    subnet = is_one_subnet(of, picture).need()
    first, second, *more = of.ports
    rest = f" and {len(more)} more" if more else ""
    yield Finding(
        severity=Severity.ERROR if subnet.value else Severity.NOTE,
        message=f"{_name(first)} and {_name(second)}{rest} have one GUID, {of.guid}"
        + ("" if subnet.value else ", in different subnets"),
        evidence=tuple(
            Evidence(at=port.device.attributes.place("node_guid"), saw=str(of.guid))
            for port in of.ports[:3]
        ),
        sees="the subnet manager takes both for one port: whichever comes up last gets the traffic"
        if subnet.value
        else "nothing, until the two subnets are joined",
        fix=(
            Fix(
                text=f"give {_name(second)} another GUID, derived from its own PF's, and bind it "
                "again",
                breaks="partitions that list the old GUID have to be changed with it",
            ),
        ),
        also=tuple(port.ref for port in of.ports),
        group=" ".join(sorted({port.node for port in of.ports})),
    )


def _name(port: Port) -> str:
    return f"{port.ref.kind} {port.function.address} on {port.node}"


RULE = Rule(
    id="PW402",
    slug="guid-twice",
    title="Two ports have one GUID",
    since="0.1",
    joint=Joint.LINK,
    refs=("InfiniBand Architecture 1.7 volume 1, 14.2.5.2 (PortInfo and NodeInfo GUIDs)",),
    over=twins,
    check=check,
)
