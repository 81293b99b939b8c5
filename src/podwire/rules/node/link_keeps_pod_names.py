"""VFs keep the name that a killed pod gave them.

What you see
    After a pod was killed its VF is called net1 or dev67 on the host, and
    it stays so until the VFs are made anew. What selects by name misses it.

Why
    When a network namespace dies, the kernel moves the VF back with the
    name that it had in there. The policy keep, with which 99-default.link
    begins, leaves any name alone that user space gave. A CNI plugin that
    is called for the end restores the name; a killed node calls none.

Fix
    Let a .link file for the VFs come first, with NamePolicy=path and no
    keep, or with a literal Name= for each VF: udev gives the name back by
    itself.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import listed
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.naming import NodeNaming

_ASSUMES = "99-default.link lies in /usr/lib/systemd/network as systemd brings it"


def check(at: "NodeNaming", _: Picture) -> Iterator[Finding]:
    """Ask which file names the VFs, and whether it keeps names."""
    keeping = at.keeping()
    if not keeping:
        return
    link = keeping[0].link
    lost = [name for each in keeping for name in each.lost]
    file = "99-default.link" if link is None else link.link.name
    is_own = link is not None and link.is_for_mlx5 and not link.is_packaged
    yield Finding(
        severity=Severity.WARNING if is_own or lost else Severity.NOTE,
        message=f"{file} names {len(keeping)} {'VF' if len(keeping) == 1 else 'VFs'} of {at.node}"
        " and keeps any name that a pod left"
        + (f": {listed(lost)} {'is' if len(lost) == 1 else 'are'} such" if lost else ""),
        evidence=tuple(_evidence(at)),
        sees="after a pod is killed with its namespace its VF stays net1 or dev67 on the host",
        fix=(
            Fix(
                text="write /etc/systemd/network/70-vf.link with [Match] Driver=mlx5_core* and "
                "[Link] NamePolicy=path: a policy without keep gives the name back"
            ),
        ),
        assumes=(_ASSUMES,) if link is None else (),
        group=f"{file} {is_own} {bool(lost)}",
    )


def _evidence(at: "NodeNaming") -> Iterator[Evidence]:
    first = at.keeping()[0]
    if first.link is not None and first.link.link.policies_place is not None:
        saw = " ".join(first.link.link.policies or ())
        yield Evidence(at=first.link.link.policies_place, saw=saw)
    for each in at.keeping()[:3]:
        saw = f"called {', '.join(each.lost)}" if each.lost else f"VF {each.nic.address}"
        yield Evidence(at=each.nic.place, saw=saw)


RULE = Rule(
    id="PW903",
    slug="link-keeps-pod-names",
    title="VFs keep the name that a killed pod gave them",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "systemd v252.39 src/udev/net/link-config.c link_generate_new_name, seen with v257.13",
        "linux v6.1 net/core/dev.c default_device_exit_net",
    ),
    over=lambda picture: picture.node_setups.namings if picture.node_setups else (),
    check=check,
)
