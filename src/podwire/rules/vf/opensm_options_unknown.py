"""OpenSM does not know options that its file sets.

What you see
    The ports of VFs stay Down. OpenSM starts all the same; its output says
    Unrecognized token: "virt_enabled".

Why
    Only NVIDIA's OpenSM (5.x, in MLNX_OFED, DOCA and UFM) serves virtual
    ports and knows virt_*. The package of Debian and Ubuntu is upstream's
    (3.3.x), which skips what it does not know.

Fix
    Run NVIDIA's OpenSM, or let the switch or UFM be the subnet manager. While
    another one is in charge of the subnet it is a note.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.opensm import Build
from podwire.wire.fabric.managers import OpenSm, is_idle, opensms
from podwire.wire.picture import Picture


def check(opensm: OpenSm, picture: Picture) -> Iterator[Finding]:
    """Compare the options with the build."""
    options = [option for option in opensm.options or () if option.is_of_nvidia]
    if not options:
        return
    build = opensm.build.need()
    if build.value is Build.NVIDIA:
        return
    names = ", ".join(option.name for option in options)
    yield Finding(
        severity=Severity.NOTE if is_idle(opensm, picture) else Severity.WARNING,
        message=f"opensm.conf on {opensm.node} sets {names}, which upstream OpenSM skips",
        evidence=(
            *(Evidence(at=opensm.place(o), saw=f"{o.name} {o.value}") for o in options),
            *(Evidence(at=place, saw="upstream") for place in build.places),
        ),
        sees=f'OpenSM prints Unrecognized token: "{options[0].name}" and goes on; where it is in '
        "charge of a subnet, the ports of VFs stay Down there",
        fix=(
            Fix(
                text=f"run NVIDIA's OpenSM on {opensm.node} (MLNX_OFED, DOCA), or leave the subnet "
                "to the switch or to UFM"
            ),
        ),
    )


RULE = Rule(
    id="PW407",
    slug="opensm-options-unknown",
    title="OpenSM does not know options of its file",
    since="0.1",
    joint=Joint.LINK,
    refs=("linux-rdma/opensm 3.3.23 opensm/osm_subnet.c",),
    over=opensms,
    check=check,
)
