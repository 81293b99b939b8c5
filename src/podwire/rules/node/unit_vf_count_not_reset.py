"""A unit writes a number of VFs without writing 0 first.

What you see
    After a change of the number, or when another program made VFs before,
    the unit runs and the number stays. dmesg has "VFs already enabled.
    Disable before enabling".

Why
    The kernel answers EBUSY when another number of VFs is set than 0. In a
    loop the error goes unnoticed: its status is that of the last command.

    Right after a boot the number is 0, and the unit works: a note, unless
    another number stands there now.

Fix
    Read sriov_numvfs; where it is another number, write 0 first. That takes
    VFs away from pods that hold them: look before.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.documents.text import printable
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.items import Item
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
    stuck = next((item for item in bare if _other_number(item, setup)), None)
    first = stuck or bare[0]
    now = "" if stuck is None else f"; it is {_other_number(stuck, setup)} now"
    message = (
        f"{setup.name} on {setup.node} writes {printable(first.value, 20)} to sriov_numvfs and "
        "never 0 before: where another number is set the kernel answers EBUSY and the number "
        f"stays{now}"
    )
    yield Finding(
        severity=Severity.NOTE if stuck is None else Severity.WARNING,
        message=message,
        evidence=(
            Evidence(at=first.done.place, saw=f"{printable(first.value, 20)} > sriov_numvfs"),
        ),
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


def _other_number(item: "Item", setup: "VfSetup") -> str:
    """Give the number of VFs that stands in the way on this machine; empty: none is known."""
    function = setup.function_of(item)
    have = "" if function is None else function.attributes.values.get("sriov_numvfs", "").strip()
    return have if have.isdigit() and item.value.isdigit() and have not in {"0", item.value} else ""


RULE = Rule(
    id="PW914",
    slug="unit-vf-count-not-reset",
    title="Unit sets a number of VFs without resetting it",
    since="0.1",
    joint=Joint.SETUP,
    refs=("linux v6.1 drivers/pci/iov.c sriov_numvfs_store",),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
