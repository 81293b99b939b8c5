"""opensm.conf holds a few options for virtual ports and nothing else.

What you see
    After a restart of OpenSM the subnet has other LIDs, another routing, or
    no partitions: whatever the file said before is gone.

Why
    OpenSM reads one file. What is not in it has its default: the port that
    it binds to, the routing engine, the partitions' file, the log. A file
    that was written anew for three options replaced all the others.

Fix
    Make a whole file with opensm -c, put the old settings back, and change
    the three options in it.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.opensm import DEFAULTS, Option
from podwire.wire.fabric.managers import OpenSm, opensms
from podwire.wire.picture import Picture


def check(opensm: OpenSm, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Look for a file that has nothing beside virt_*."""
    options = opensm.options or ()
    if not options or not all(option.is_of_nvidia for option in options):
        return
    yield Finding(
        severity=Severity.NOTE,
        message=f"opensm.conf on {opensm.node} sets {len(options)} option"
        f"{'s' if len(options) > 1 else ''} for virtual ports and nothing else: OpenSM takes "
        "defaults for everything that stood in the file before" + _unusual(options),
        evidence=tuple(Evidence(at=opensm.place(o), saw=f"{o.name} {o.value}") for o in options),
        sees="the port it binds to, routing, partitions and log are OpenSM's defaults",
        fix=(
            Fix(
                text="write a whole file with opensm -c <file>, and change these options in it "
                "beside the settings that the subnet had"
            ),
        ),
    )


def _unusual(options: tuple[Option, ...]) -> str:
    """Name values that differ from NVIDIA's defaults without a need."""
    other = [f"{o.name} is {o.value}" for o in options if DEFAULTS.get(o.name, o.value) != o.value]
    defaults = ", ".join(
        DEFAULTS[o.name] for o in options if DEFAULTS.get(o.name, o.value) != o.value
    )
    return f"; {', '.join(other)} (default {defaults})" if other else ""


RULE = Rule(
    id="PW408",
    slug="opensm-config-bare",
    title="OpenSM's file has options for virtual ports and nothing else",
    since="0.1",
    joint=Joint.LINK,
    refs=("linux-rdma/opensm 3.3.23 opensm/osm_subnet.c osm_subn_parse_conf_file",),
    over=opensms,
    check=check,
)
