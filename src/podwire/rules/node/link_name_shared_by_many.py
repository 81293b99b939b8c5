"""A .link file gives one name to several devices.

What you see
    One of the devices has the name; the others are eth0, ib1 and so on, in
    the order in which they were found, and udev logs "File exists".

Why
    Two net devices of one namespace cannot have one name. A file with a
    literal Name= is meant for one device: whichever udev handles first gets
    it, and which that is changes from boot to boot.

Fix
    Write one file for each device, with its Path or hardware address in
    [Match], or use NamePolicy=path in place of Name=.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.evidence import Known
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.links import NodeLink


def check(at: "NodeLink", _: Picture) -> Iterator[Finding]:
    """Count the devices that the file fits and that no earlier one takes."""
    name = at.link.given_name
    if name is None or at.link.policies or at.is_fixed or at.is_packaged:
        return
    if at.is_for_mlx5:
        at.nics.need()
    answers = list(at.unclaimed())
    found = [nic for nic, answer in answers if isinstance(answer, Known) and answer.value]
    if len(found) < 2:
        for each in answers if at.is_for_mlx5 else ():
            each[1].need()
        return
    message = (
        f"{at.link.name} on {at.node} gives the one name {name.value} to {len(found)} devices, "
        f"{found[0].address}, {found[1].address}{' and others' if len(found) > 2 else ''}"
    )
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=(
            Evidence(at=name.place, saw=name.value),
            *(Evidence(at=nic.place, saw=nic.address, role="fits") for nic in found[:3]),
        ),
        sees="one of them is renamed, the others keep names in the order of their probe; udev logs "
        '"Failed to rename network interface ...: File exists"',
        fix=(
            Fix(text="replace Name= by NamePolicy=path, without keep"),
            Fix(text=f"or write a file for each, with Path=pci-{found[0].address} and so on"),
        ),
        group=alike(message, at.node),
    )


RULE = Rule(
    id="PW904",
    slug="link-name-shared-by-many",
    title="Link file gives one name to several devices",
    since="0.1",
    joint=Joint.SETUP,
    refs=("systemd v252.39 src/udev/net/link-config.c link_generate_new_name, seen with v257.13",),
    over=lambda picture: picture.node_setups.links if picture.node_setups else (),
    check=check,
)
