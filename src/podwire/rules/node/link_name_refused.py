"""A .link file gives a name that udev drops, or one with braces that stand for nothing.

What you see
    The device keeps its name, and udev logs "Interface name is not valid or
    too long, ignoring assignment". Or one device is called vf{dev_port},
    braces and all, and the others have no name.

Why
    Name= and AlternativeName= are plain text: there is no {attr/...}, no
    $attr{...} and no %-specifier in them. A name has at most 15 bytes, an
    alternative one 127; neither may have a slash, a colon, a percent sign or
    a blank. An assignment with another name counts as not written.

Fix
    Use NamePolicy=path (without keep), which names each VF after its PF and
    its number, or write one file with a literal name for each VF.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.documents.text import printable
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.peers.systemd_link.records import LinkFile, Refused, Setting
    from podwire.wire.node_setup.links import NodeLink

_NAMES = {"Name", "AlternativeName"}
_SHOWN = 60
_BRACES = set("{}$")


def check(at: "NodeLink", _: Picture) -> Iterator[Finding]:
    """Read the names as udev does."""
    refused = [each for each in at.link.refused if each.key in _NAMES]
    literal = [s for s in _accepted(at.link) if _BRACES & set(s.value)]
    if not refused and not literal:
        return
    is_nameless = any(r.key == "Name" for r in refused) and not at.link.policies
    names = [f"{r.key}={printable(r.value, _SHOWN)} ({r.reason})" for r in refused]
    what = "udev drops " + " and ".join(names) if names else ""
    taken = (
        "udev takes " + " and ".join(f"{printable(s.value, _SHOWN)} as it stands" for s in literal)
        if literal
        else ""
    )
    message = f"{at.link.name} on {at.node}: {'; '.join(filter(None, (what, taken)))}"
    has_braces = bool(literal) or any(_BRACES & set(r.value) for r in refused)
    yield Finding(
        severity=Severity.ERROR if is_nameless or literal else Severity.WARNING,
        message=message + ("; braces stand for nothing in a .link file" if has_braces else ""),
        evidence=tuple(_evidence(refused, literal)),
        sees=_sees(refused),
        fix=(
            Fix(
                text="replace Name= by NamePolicy=path, without keep: VF 3 of the PF at bus 18 is "
                "ibp24s0v3, also after a rebind or a killed pod",
                breaks="whatever names the devices by their old names (pfNames, scripts)",
            ),
            Fix(
                text="or write one file for each VF: [Match] Path=pci-0000:18:00.2 and a literal "
                "Name= of at most 15 letters, digits, dots, dashes"
            ),
        ),
        group=alike(message, at.node),
    )


def _accepted(link: "LinkFile") -> "Iterator[Setting]":
    if link.given_name is not None:
        yield link.given_name
    yield from link.alternative_names


def _evidence(refused: "list[Refused]", literal: "list[Setting]") -> Iterator[Evidence]:
    for each in refused:
        yield Evidence(at=each.place, saw=each.reason)
    for setting in literal:
        yield Evidence(at=setting.place, saw="literal")


def _sees(refused: "list[Refused]") -> str:
    if not refused:
        return "one device at most gets the name, with the braces in it"
    return f'the names do not change; udev logs "{printable(refused[0].says, 120)}"'


RULE = Rule(
    id="PW902",
    slug="link-name-refused",
    title="Link file gives a name that is none",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "systemd v252.39 src/basic/socket-util.c ifname_valid_full",
        "systemd v252.39 src/shared/conf-parser.c config_parse_ifname",
    ),
    over=lambda picture: picture.node_setups.links if picture.node_setups else (),
    check=check,
)
