"""GUIDs that a unit sets are no GUIDs, or the same on every machine.

What you see
    Setting them fails ("Invalid argument"), or two machines with the same
    GUIDs disturb one another: the subnet manager logs duplicate GUIDs and
    one of the ports loses its address again and again.

Why
    A GUID is eight octets, for ip link of two hexadecimal digits each; zero
    and all ones mean that there is none. It has to be unique in the subnet.
    One that a script makes of its loop's number and of a text such as
    00:11:22 is the same on every machine that runs the unit; with a text
    that may have been made for the machine the files of a second one tell.

Fix
    Make GUIDs from something of the machine, the GUID of the PF for
    example, set the local bit (02 in the first octet), and keep a map.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.documents.text import printable
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.node_setup.guid_texts import only_here
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.guid_texts import GuidTexts
    from podwire.wire.node_setup.setups import Setup
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Read the GUIDs that the script gives out."""
    texts = setup.guid_texts()
    if texts is None:
        return
    others = setup.sharing(texts)
    is_alike = texts.is_computed and not setup.has_twin
    parts = list(_parts(texts, others, is_alike=is_alike and texts.is_bare))
    if not parts:
        texts.all_known.need()
        if is_alike:
            only_here(setup).need()
        return
    message = (
        f"{setup.name} on {setup.node} sets GUIDs such as {printable(texts.sample.value, 60)}: "
        + ("; ".join(parts))
    )
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=tuple(_evidence(texts)),
        sees=_sees(texts, others),
        cause=Cause(text="the script makes them of its loops' numbers alone", proven=True)
        if texts.is_computed
        else None,
        fix=(
            Fix(
                text="derive each from the PF's own GUID and the VF's number, local bit set "
                "(02:...), the same text for node and port, and check them against other machines",
                breaks="partition membership by the old GUIDs",
            ),
        ),
        assumes=("the unit is used on more than one machine of the subnet",)
        if texts.is_computed and not others
        else (),
        also=tuple(other.ref for other in others[:3]),
        group=f"{setup.name} {texts.sample.value}",
    )


def _sees(texts: "GuidTexts", others: "tuple[Setup, ...]") -> str:
    parts = []
    if texts.malformed:
        parts.append("ip link refuses text that is not eight octets of two digits")
    if texts.is_unset:
        parts.append("the port of the VF stays down")
    if others or texts.twice or texts.is_computed:
        parts.append(
            "the subnet manager logs duplicate GUIDs, and their ports lose their addresses"
        )
    return "; ".join(parts)


def _parts(texts: "GuidTexts", others: "tuple[Setup, ...]", *, is_alike: bool) -> Iterator[str]:
    if texts.malformed:
        yield "it is not eight octets of two digits"
    if texts.is_unset:
        yield "to drivers and subnet managers that means that none is set"
    if texts.twice:
        yield "two VFs get it"
    if others:
        yield f"{others[0].node} has the same"
    elif is_alike:
        yield "nothing in it is of the machine, so every machine with this unit has the same"
    if texts.differ and (texts.malformed or texts.is_computed):
        yield "node and port GUID differ, which tools expect to be equal"


def _evidence(texts: "GuidTexts") -> Iterator[Evidence]:
    yield Evidence(at=texts.sample.done.place, saw=texts.sample.value)
    if texts.port is not None:
        yield Evidence(at=texts.port.done.place, saw=texts.port.value)


RULE = Rule(
    id="PW913",
    slug="unit-guid-not-unique",
    title="GUIDs of a unit are malformed, or the same on every machine",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.1 drivers/infiniband/hw/mlx5/ib_virt.c",
        "ib-kubernetes v1.1.0 pkg/guid/guid.go",
    ),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
