"""A .link file comes after one that fits the same devices, and is never applied.

What you see
    The file is right in itself and changes nothing. udevadm test-builtin
    net_setup_link names the other file as the one that applies.

Why
    udev sorts the files of /etc, /run and /usr/lib by name and takes the
    first that fits; only that one. 99-default.link fits every device, so
    99-vf.link and zz-vf.link come too late; a file that netplan wrote, or a
    policy for all devices, may come earlier as well.

Fix
    Give the file a name that sorts before the other, 70-vf.link for example.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.evidence import Place
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.links import NodeLink


def check(at: "NodeLink", _: Picture) -> Iterator[Finding]:
    """Look for an earlier file that takes every device of this one."""
    found = None if at.is_packaged else at.shadowed_by()
    if found is None:
        return
    file, name = found
    message = (
        f"{at.link.name} on {at.node} is never applied: {name} sorts before it and fits the "
        "same devices"
    )
    places = [Place(document=at.link.document)]
    if file is not None and file.conditions:
        places.append(file.conditions[0].places[0])
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=tuple(
            Evidence(at=place, saw=saw)
            for place, saw in zip(places, ("too late", name), strict=False)
        ),
        sees="the names stay as the earlier file makes them",
        fix=(Fix(text=f"rename it so that it sorts before {name}, to 10-vf.link for example"),),
        assumes=()
        if file is not None
        else ("99-default.link lies in /usr/lib/systemd/network as systemd brings it",),
        group=alike(message, at.node),
    )


RULE = Rule(
    id="PW905",
    slug="link-shadowed",
    title="Link file comes after one that fits the same devices",
    since="0.1",
    joint=Joint.SETUP,
    refs=("systemd v252.39 src/udev/net/link-config.c link_get_config, seen with v257.13",),
    over=lambda picture: picture.node_setups.links if picture.node_setups else (),
    check=check,
)
