"""A unit makes VFs on some PFs and sets GUIDs on others.

What you see
    Some VFs stay without a GUID: their ports do not come up, pods that get
    one have no fabric. For other PFs the journal has "No such file or
    directory".

Why
    The two loops of the script go over different PFs. Numbers of RDMA
    devices have gaps where other cards of the machine, for storage, lie
    between them.

Fix
    Let both loops go over one list, and name the PFs by PCI address.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike, listed
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Compare the PFs of both steps."""
    sets = setup.pf_sets().need().value
    if sets is None or sets.made == sets.given:
        return
    without, beside = sets.made - sets.given, sets.given - sets.made
    effects = []
    if without:
        effects.append(f"the VFs of {listed(without)} get none")
    if beside:
        effects.append(f"{listed(beside)} {'has' if len(beside) == 1 else 'have'} no VFs")
    message = (
        f"{setup.name} on {setup.node} makes VFs on {listed(sets.made)} and sets GUIDs on "
        f"{listed(sets.given)}: {', and '.join(effects)}"
    )
    yield Finding(
        severity=Severity.ERROR if without else Severity.WARNING,
        message=message,
        evidence=(
            Evidence(at=sets.makes.done.place, saw=listed(sets.made), role="VFs"),
            Evidence(at=sets.gives.done.place, saw=listed(sets.given), role="GUIDs"),
        ),
        sees="VFs without a GUID never reach Active; writes for PFs without VFs end in "
        '"No such file or directory"',
        fix=(
            Fix(
                text="let both steps go over one list of PFs, by PCI address "
                "(/sys/bus/pci/devices/0000:18:00.0)"
            ),
        ),
        group=alike(message, setup.node),
    )


RULE = Rule(
    id="PW911",
    slug="unit-pf-sets-differ",
    title="Unit makes VFs on other PFs than it sets GUIDs on",
    since="0.1",
    joint=Joint.SETUP,
    refs=("linux v6.1 drivers/pci/iov.c sriov_numvfs_store",),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
