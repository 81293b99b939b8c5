"""A PF of the spec is not there.

What you see
    podwire node plan stops with a repair. The node offers fewer devices
    than planned, or none.

Why
    The card fell off the bus, sits in another slot, has another link layer
    than the spec says, or its driver is not loaded, so that nobody can tell
    its link layer.

Fix
    Compare lspci -D with the spec. A card that is gone comes back with a
    rescan of the bus or a cold start.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Place
from podwire.spec.meant import wanted_layer, written_addresses
from podwire.wire.fabric.wanted import WantedNode, wanted_nodes
from podwire.wire.picture import Picture


def check(node: WantedNode, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Look for each address that is named, or for any PF of the link layer."""
    functions = node.files.functions.need()
    pfs = node.wish.fabric.pfs
    named = written_addresses(pfs)
    here = {str(function.address) for function in functions.value if not function.is_vf}
    missing = [address for address in named if address not in here]
    if named and not missing:
        return
    if not named and any(node.wish.is_for(f, node.layer_of(f)) for f in functions.value):
        return
    wanted = f"PF {', '.join(missing)}" if missing else f"any {wanted_layer(pfs)} PF"
    yield Finding(
        severity=Severity.ERROR,
        message=f"the spec wants {wanted} on {node.name}, and there is none",
        evidence=(
            Evidence(
                at=node.wish.place("pfs", "pciAddresses") if pfs.pci_addresses else node.place,
                saw=wanted,
            ),
            *(Evidence(at=place, saw=_seen(here)) for place in _places(node)),
        ),
        sees="podwire node makes nothing before it is there; the node offers fewer devices",
        fix=(
            Fix(
                text=f"compare lspci -D on {node.name} with the spec; a card that is gone from the "
                "bus comes back with echo 1 > /sys/bus/pci/rescan, or a cold start"
            ),
            Fix(text="load the driver: without it nobody can tell a port's link layer"),
        ),
    )


def _seen(here: set[str]) -> str:
    return ", ".join(sorted(here)[:4]) or "no network function"


def _places(node: WantedNode) -> tuple[Place, ...]:
    return node.files.functions.need().places[:1]


RULE = Rule(
    id="PW416",
    slug="pf-missing",
    title="PF of the spec is not there",
    since="0.1",
    joint=Joint.SETUP,
    refs=("linux v6.12 Documentation/ABI/testing/sysfs-bus-pci",),
    over=wanted_nodes,
    check=check,
)
