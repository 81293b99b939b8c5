"""A unit that makes VFs has a time limit which may end it half-way.

What you see
    On a full machine the unit fails with "start operation timed out", some
    PFs have VFs and others none, and kubelet starts all the same.

Why
    TimeoutSec is a limit for the start too; a oneshot unit has none unless
    it is set. Making a VF takes up to some seconds, with its driver and
    udev. Nothing takes back what was done before the kill.

Fix
    Leave TimeoutSec out, or give it room: ten minutes for 64 VFs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup

_FOR_EACH_S = 2  # what a VF may well take; the lab's, with a small driver, take 0.8 s

_ENOUGH_S = 600


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Compare the limit with the number of VFs."""
    found = setup.limit
    if found is None or setup.unit.kind != "oneshot":
        return
    line, limit = found
    if limit >= _ENOUGH_S:
        return
    vfs = setup.vf_count().need().value
    if limit >= vfs * _FOR_EACH_S:
        return
    message = (
        f"{setup.name} on {setup.node} is killed {limit:g} s after its start, wherever it is with "
        f"its {vfs} VFs"
    )
    yield Finding(
        severity=Severity.WARNING,
        message=message,
        evidence=(Evidence(at=line.place, saw=line.value),),
        sees='"start operation timed out. Terminating." in the journal; some PFs have VFs and '
        "GUIDs, others none",
        fix=(
            Fix(text=f"leave {line.found.key} out: Type=oneshot has no limit of its own"),
            Fix(text="or set TimeoutStartSec=10min, and make the script safe to run again"),
        ),
        group=alike(message, setup.node),
    )


RULE = Rule(
    id="PW917",
    slug="unit-killed-midway",
    title="Unit that makes VFs may be killed half-way",
    since="0.1",
    joint=Joint.SETUP,
    refs=("systemd v252.39 src/core/load-fragment.c config_parse_service_timeout",),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
