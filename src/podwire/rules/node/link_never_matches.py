"""A .link file has a condition that no net device of the machine satisfies.

What you see
    Names do not change. udevadm test-builtin net_setup_link names another
    file, mostly 99-default.link, as the one that applies.

Why
    All lines of [Match] have to fit. The driver of an InfiniBand net device
    is mlx5_core[ib_ipoib], so Driver=mlx5_core fits Ethernet only; square
    brackets in a pattern are a set of characters, not themselves. DEVTYPE
    is what the kernel calls a kind of device (vlan, bridge): it knows no vf.

Fix
    Write Driver=mlx5_core* with Type=infiniband, and tell VFs by their
    Path. Ask udevadm test-builtin net_setup_link afterwards.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.evidence import Known, Unknown
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.peers.systemd_link.records import Condition
    from podwire.wire.node_setup.links import NodeLink


_IPOIB = "mlx5_core[ib_ipoib]"


def check(at: "NodeLink", _: Picture) -> Iterator[Finding]:
    """Look for conditions that are false of every device they can be about."""
    found = at.dead()
    certain = {c: answer for c, answer in found.items() if isinstance(answer, Known)}
    if not certain:
        for answer in found.values():
            answer.need()
        return
    name = f"{at.link.name} on {at.node}"
    message = f"{name} fits no net device: " + "; ".join(map(_says, certain))
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=tuple(_evidence(at, certain)),
        sees="the file is read and never applied: names stay as the next file that fits, mostly "
        "99-default.link, makes them",
        fix=tuple(Fix(text=text) for text in dict.fromkeys(map(_fix, certain))),
        group=alike(message, at.node),
    )


def _says(condition: "Condition") -> str:
    pattern = " ".join(condition.patterns)
    if condition.key == "Driver":
        return f"Driver={pattern} is not the driver of InfiniBand net devices, {_IPOIB}"
    return f"{condition.key}={pattern} is true of no device: the kernel knows no such DEVTYPE"


def _fix(condition: "Condition") -> str:
    if condition.key == "Driver":
        return "write Driver=mlx5_core* and Type=infiniband"
    return (
        "drop that line; select VFs by Path= (pci-0000:18:00.2), or let one file with "
        "NamePolicy=path and no keep name PFs and VFs alike"
    )


def _evidence(at: "NodeLink", certain: "dict[Condition, Known[bool]]") -> Iterator[Evidence]:
    for condition, answer in certain.items():
        yield Evidence(at=condition.places[0], saw=" ".join(condition.patterns))
        for place in answer.places[:1]:
            if place not in condition.places:
                yield Evidence(at=place, saw="InfiniBand", role="the first device")
    unsure = at.open_property()
    if isinstance(unsure, Unknown):
        place = next(c.places[0] for c in at.link.conditions if c.key == "Property")
        yield Evidence(at=place, saw=f"not decided, and without weight: {unsure.reason}")


RULE = Rule(
    id="PW901",
    slug="link-never-matches",
    title="Link file fits no net device",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "systemd v252.39 src/shared/net-condition.c net_match_config",
        "linux v6.1 drivers/net/ethernet/mellanox/mlx5/core/ipoib/ethtool.c mlx5i_get_drvinfo",
    ),
    over=lambda picture: picture.node_setups.links if picture.node_setups else (),
    check=check,
)
