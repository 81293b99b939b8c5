"""A port that is to be InfiniBand is Ethernet.

What you see
    ibstat says "Link layer: Ethernet", there is no LID, and ib-sriov refuses
    the port's VFs.

Why
    A VPI port takes its protocol from the firmware's LINK_TYPE at boot. A
    firmware reset, or an operator that sets a link type of its own, leaves
    Ethernet behind; a driver does not change it.

Fix
    Set LINK_TYPE of that port to InfiniBand with mstconfig and restart the
    machine.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.mstconfig import ETHERNET, INFINIBAND, LINK_TYPE, LINK_TYPES, link_type_number
from podwire.wire.fabric.pfs import Pf, wanted_pfs
from podwire.wire.fabric.wishes import Wish
from podwire.wire.picture import Picture

_IS = LINK_TYPES[INFINIBAND]


def check(pf: Pf, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare the wish with the port, and with what the firmware will make of it."""
    if pf.wish is None or not (wanted := _wanted(pf.wish)):
        return
    if not pf.function.rdma:
        return  # Without a driver there is no port to look at.
    layer = pf.function.rdma[0].attributes.read("ports/1/link_layer").need()
    name = _parameter(pf)
    setting = pf.setting(name)
    later = setting.next_boot if setting else None
    is_lost = layer.value == _IS and later == ETHERNET
    if layer.value == _IS and not is_lost:
        return
    now = f"is {layer.value}" if not is_lost else "will be Ethernet after the next boot"
    yield Finding(
        severity=Severity.WARNING if is_lost else Severity.ERROR,
        message=f"port 1 of PF {pf.function.address} on {pf.node} {now}, and the spec wants {_IS}",
        evidence=(
            Evidence(at=pf.wish.place(*wanted), saw=_IS),
            *(Evidence(at=place, saw=str(layer.value)) for place in layer.places),
            *(
                (Evidence(at=pf.settings_at, saw=f"{name}, next boot {_text(later)}"),)
                if pf.settings_at
                else ()
            ),
        ),
        sees="no LID, no IPoIB device, and no InfiniBand VFs" if not is_lost else "nothing yet",
        fix=(Fix(text=_cure(pf, later)),),
        also=(pf.node_ref,),
        group=f"{pf.node} {now} {later}",
    )


def _wanted(wish: Wish) -> tuple[str, ...]:
    """Say where the spec asks for InfiniBand; empty: it does not."""
    if link_type_number(wish.fabric.firmware.link_type) == INFINIBAND:
        return ("firmware", "linkType")
    return ("pfs", "linkLayer") if wish.fabric.pfs.link_layer.casefold() == _IS.casefold() else ()


def _parameter(pf: Pf) -> str:
    """Name the parameter of the PF's port; a card that was not asked is taken to have one port."""
    return pf.settings.link_type_name(pf.function.address) if pf.settings else LINK_TYPE.format(1)


def _text(value: str | None) -> str:
    return LINK_TYPES.get(value or "", value or "not read")


def _cure(pf: Pf, later: str | None) -> str:
    if later == INFINIBAND:
        return "restart the machine: the setting is made already"
    return (
        f"mstconfig -d {pf.function.address} -y set {_parameter(pf)}=1, then restart the "
        "machine (a card with one port has no LINK_TYPE_P2: naming it fails the whole command)"
    )


RULE = Rule(
    id="PW412",
    slug="port-is-ethernet",
    title="Port that is to be InfiniBand is Ethernet",
    since="0.1",
    joint=Joint.SETUP,
    refs=("mstflint 4.21.0 mlxconfig/mlxcfg_generic_commander.cpp",),
    over=wanted_pfs,
    check=check,
)
