"""A host has a configuration for OpenSM, and another subnet manager is in charge.

What you see
    Changes to the file change nothing: the ports of VFs stay as they are.

Why
    One subnet manager is master of a subnet; another one stands by, or is
    not running at all. On a fabric whose switches or UFM manage it, OpenSM
    on a host should not be started.

Fix
    Change the settings where the subnet manager in charge runs.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, all_of, derived
from podwire.wire.fabric.managers import OpenSm, in_charge_at, opensms
from podwire.wire.fabric.ports import infiniband_ports
from podwire.wire.picture import Picture


def check(opensm: OpenSm, picture: Picture) -> Iterator[Finding]:
    """Compare the port of the subnet manager with the host's own."""
    if opensm.options == ():
        return  # A file of comments, as the package brings it.
    guid = in_charge_at(opensm.node, picture).need()
    mine = [port for port in infiniband_ports(picture) if port.node == opensm.node]
    other = all_of(derived(port.port_guid, lambda g: g != guid.value) for port in mine)
    if not mine or not other.need().value:
        return
    known = [port for port in mine if isinstance(port.port_guid, Known)]
    yield Finding(
        severity=Severity.NOTE,
        message=f"opensm.conf on {opensm.node} changes nothing now: the subnet manager in charge "
        f"has the port GUID {guid.value}, which is none of {opensm.node}",
        evidence=(
            *(Evidence(at=place, saw=str(guid.value)) for place in guid.places),
            *(
                Evidence(at=port.place("gids/0"), saw="another GUID", role="its own port")
                for port in known[:1]
            ),
        ),
        sees=f"what this file sets has no effect while {opensm.node} is not the master",
        fix=(Fix(text="change the settings of the subnet manager in charge (sminfo names it)"),),
    )


RULE = Rule(
    id="PW409",
    slug="opensm-not-in-charge",
    title="OpenSM is configured where another subnet manager is in charge",
    since="0.1",
    joint=Joint.LINK,
    refs=("rdma-core v44.0 infiniband-diags/sminfo.c",),
    over=opensms,
    check=check,
)
