"""systemd refuses a unit that makes VFs, and starts nothing of it.

What you see
    systemctl says "has a bad unit file setting"; no VF is made, and kubelet
    starts without them.

Why
    A service may have several ExecStart= lines only with Type=oneshot;
    without a type it is simple. It needs one at all, below [Service] and
    spelled like that. A program is named by an absolute path or by its bare
    name, and quotes have an end.

Fix
    Write Type=oneshot, or one ExecStart= line. systemd-analyze verify says
    what is wrong before the next boot does.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.evidence import Place
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Ask systemd's checks; what it refuses for a % or a quote has a rule of its own."""
    says = setup.refusal
    if says is None or any(each.command.is_fatal for each in setup.commands):
        return
    starts = setup.unit.listed("Service", "ExecStart")
    at = starts[1].place if len(starts) > 1 else Place(document=setup.unit.document)
    message = f"systemd refuses {setup.name} on {setup.node}: {says}"
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=(Evidence(at=at, saw=f"Type={setup.unit.kind}"),),
        sees=f'systemctl start says "Unit {setup.name} has a bad unit file setting"; no VF is made',
        fix=(
            Fix(text="write Type=oneshot in [Service]: it runs several commands one after another"),
            Fix(text="or put the steps into one script and start that"),
        ),
        group=alike(message, setup.node),
    )


RULE = Rule(
    id="PW919",
    slug="unit-refused",
    title="Unit that makes VFs is refused by systemd",
    since="0.1",
    joint=Joint.SETUP,
    refs=("systemd v252.39 src/core/service.c service_verify",),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
