"""A .link file asks for a persistent hardware address of InfiniBand devices.

What you see
    Nothing changes. The address of an InfiniBand device is 20 octets, of
    which the last eight are its port GUID.

Why
    MACAddressPolicy=persistent makes an address for devices that have a
    random one. The kernel says of IPoIB devices that theirs is permanent,
    so udev leaves it. What identifies a VF is its GUID, which the PF gives.

Fix
    Leave the line out, and set GUIDs through the PF.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.links import NodeLink


def check(at: "NodeLink", _: Picture) -> Iterator[Finding]:
    """Look whether the file is for InfiniBand alone."""
    policy = at.link.address_policy
    if policy is None or policy.value != "persistent" or at.is_packaged or not at.is_for_mlx5:
        return
    nics = at.nics.need()
    if not nics.value or not all(nic.is_infiniband for nic in nics.value):
        return
    message = (
        f"{at.link.name} on {at.node}: MACAddressPolicy=persistent is meaningless on "
        "InfiniBand, where the address follows from the GUID"
    )
    yield Finding(
        severity=Severity.NOTE,
        message=message,
        evidence=(
            Evidence(at=policy.place, saw=policy.value),
            Evidence(at=nics.value[0].place, saw="InfiniBand"),
        ),
        sees="no address changes",
        fix=(Fix(text="leave the line out; set node and port GUID through the PF"),),
        group=alike(message, at.node),
    )


RULE = Rule(
    id="PW906",
    slug="link-address-policy-without-effect",
    title="Hardware address policy for InfiniBand devices",
    since="0.1",
    joint=Joint.SETUP,
    refs=("systemd v252.39 src/udev/net/link-config.c link_generate_new_hw_addr",),
    over=lambda picture: picture.node_setups.links if picture.node_setups else (),
    check=check,
)
