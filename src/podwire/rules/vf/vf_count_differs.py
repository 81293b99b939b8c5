"""A PF has another number of VFs than the spec wants.

What you see
    The node offers fewer devices than planned, after a boot or a restart of
    the driver perhaps none.

Why
    VFs do not survive a boot, a restart of the driver or a reset of the
    card: something has to make them again each time, before the device
    plugin looks.

Fix
    podwire node plan shows the writes that would close the gap; podwire node
    apply makes them.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.fabric.pfs import Pf, wanted_pfs
from podwire.wire.picture import Picture


def check(pf: Pf, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare the wish with sriov_numvfs."""
    wanted = pf.wish.fabric.vfs_per_pf if pf.wish else None
    if not pf.wish or wanted is None:
        return
    count = pf.count
    if count == wanted:
        return
    has = f"{count or 'no'} VF{'' if count == 1 else 's'}"
    yield Finding(
        severity=Severity.ERROR if count < wanted else Severity.WARNING,
        message=f"PF {pf.function.address} on {pf.node} has {has}, and the spec wants {wanted}",
        evidence=(
            Evidence(at=pf.wish.place("vfsPerPf"), saw=str(wanted)),
            Evidence(at=pf.function.place("sriov_numvfs"), saw=str(count)),
        ),
        sees=f"the node offers {wanted - count} devices of this PF less than planned"
        if count < wanted
        else "the node may offer more devices than planned",
        fix=(
            Fix(
                text="podwire node plan --spec FILE on the node, then podwire node apply",
                breaks="VFs that are there are made anew: pods that hold one lose it, so apply "
                "refuses while any does"
                if count
                else "",
            ),
        ),
        also=(pf.node_ref,),
        group=f"{pf.node} {count}",
    )


RULE = Rule(
    id="PW411",
    slug="vf-count-differs",
    title="PF has another number of VFs than the spec wants",
    since="0.1",
    joint=Joint.SETUP,
    refs=("linux v6.12 Documentation/ABI/testing/sysfs-bus-pci sriov_numvfs",),
    over=wanted_pfs,
    check=check,
    is_symptom=True,
)
