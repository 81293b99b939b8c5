"""A unit writes a number of VFs without writing 0 first.

What you see
    After a change of the number, or when another program made VFs before,
    the unit runs and the number stays. dmesg has "VFs already enabled.
    Disable before enabling".

Why
    The kernel answers EBUSY when another number of VFs is set than 0. In a
    loop the error goes unnoticed: its status is that of the last command.

Fix
    Read sriov_numvfs; where it is another number, write 0 first. That takes
    VFs away from pods that hold them: look before.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Look for a 0, or a condition, before each number."""
    reset = set()
    bare = []
    for item in setup.counts:
        if item.value == "0" or item.is_conditional:
            reset.add(item.pf)
        elif item.pf not in reset:
            bare.append(item)
    if not bare:
        return
    setup.no_other().need()
    message = (
        f"{setup.name} on {setup.node} writes {bare[0].value} to sriov_numvfs and never 0 before: "
        "where another number is set the kernel answers EBUSY and the number stays"
    )
    yield Finding(
        severity=Severity.WARNING,
        message=message,
        evidence=(Evidence(at=bare[0].done.place, saw=f"{bare[0].value} > sriov_numvfs"),),
        sees='"Device or resource busy" in the journal, "VFs already enabled. Disable before '
        'enabling" in dmesg; a loop goes on and the unit succeeds',
        fix=(
            Fix(
                text="read sriov_numvfs; if it is neither 0 nor the wanted number, write 0 first; "
                "stop at an error (set -e)",
                breaks="pods that hold VFs of that PF lose them",
            ),
        ),
        group=alike(message, setup.node),
    )


RULE = Rule(
    id="PW914",
    slug="unit-vf-count-not-reset",
    title="Unit sets a number of VFs without resetting it",
    since="0.2",
    joint=Joint.SETUP,
    refs=("linux v6.1 drivers/pci/iov.c sriov_numvfs_store",),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
