"""The subnet manager leaves the ports of VFs alone.

What you see
    The PF's port is Active. The ports of its VFs are Down although their
    link is up, and they have no LID (65535). Pods that get such a VF have
    the interface, without a carrier.

Why
    To the fabric a VF is a virtual port, which the subnet manager has to
    bring up apart from the physical one. NVIDIA's OpenSM does that with
    virt_enabled 2; upstream OpenSM cannot.

Fix
    Set virt_enabled to 2 where the subnet manager runs, and restart it. Edit
    its file: a new one would drop all other settings.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import Ref
from podwire.peers.opensm import VIRT_ENABLED, Build
from podwire.wire.fabric.managers import OpenSm, manager_of
from podwire.wire.fabric.ports import Port, vf_ports
from podwire.wire.fabric.served import is_left_down
from podwire.wire.picture import Picture

_FIX = (
    "set virt_enabled to 2 in opensm.conf {}, and restart OpenSM; edit the file, for a new one "
    "drops every other setting"
)


def check(port: Port, picture: Picture) -> Iterator[Finding]:
    """Exclude what else keeps a VF's port down, then ask the subnet manager's set-up."""
    if not is_left_down(port).need().value:
        return
    found = manager_of(port.node, picture)
    served = found.value.serves_virtual_ports if isinstance(found, Known) else found
    if isinstance(served, Known) and served.value:
        return  # Something else is wrong, which nobody read.
    sm = found.value if isinstance(found, Known) else None
    yield Finding(
        severity=Severity.ERROR,
        message=_message(port, sm if isinstance(served, Known) else None),
        evidence=(
            Evidence(at=port.place("state"), saw="DOWN"),
            Evidence(at=port.place("phys_state"), saw="LinkUp"),
            *_of_manager(sm),
        ),
        sees="pods that get such a VF have an interface without a carrier: port Down, LID 65535",
        cause=_cause(served),
        fix=_fixes(sm),
        also=(Ref(kind="Node", name=port.node), *((sm.ref.whole,) if sm else ())),
        group=sm.node if sm else port.node,
    )


def _message(port: Port, sm: OpenSm | None) -> str:
    """Blame the manager where its set-up was read; else say what was excluded."""
    vf = f"VF {port.function.address} on {port.node}"
    pf = port.pf.address if port.pf else ""
    rest = f"its PF {pf} is ACTIVE, its own link is up, GUID and link policy are in order"
    if sm is None:
        return f"{vf} is Down although {rest}"
    return f"the subnet manager (OpenSM on {sm.node}) leaves {vf} Down: {rest}{_setting(sm)}"


def _setting(sm: OpenSm) -> str:
    values = {option.name: option.value for option in sm.options or ()}
    value = values.get(VIRT_ENABLED)
    return f"; {VIRT_ENABLED} is {value}" if value else ""


def _of_manager(sm: OpenSm | None) -> Iterator[Evidence]:
    for option in (sm.options or ()) if sm else ():
        if sm and option.name == VIRT_ENABLED:
            yield Evidence(at=sm.place(option), saw=f"{option.name} {option.value}")


def _cause(served: Answer[bool]) -> Cause:
    text = "the subnet manager does not serve virtual ports, which VFs have (virtualization)"
    return Cause(text=text, proven=isinstance(served, Known))


def _fixes(sm: OpenSm | None) -> tuple[Fix, ...]:
    build = sm.build if sm else Unknown(reason="no subnet manager in sight")
    if sm and isinstance(build, Known) and build.value is Build.UPSTREAM:
        return (
            Fix(
                text=f"run NVIDIA's OpenSM (or UFM) in place of upstream OpenSM on {sm.node}, with "
                "virt_enabled 2: upstream's has no virtualization"
            ),
        )
    where = f"on {sm.node}" if sm else "where the subnet manager runs (sminfo names its port)"
    return (Fix(text=_FIX.format(where)),)


RULE = Rule(
    id="PW403",
    slug="vf-port-not-served",
    title="Subnet manager leaves the ports of VFs alone",
    since="0.1",
    joint=Joint.LINK,
    refs=(
        "Mellanox/network-operator v1.0.0, issue 249",
        "linux-rdma/opensm 3.3.23 opensm/osm_subnet.c",
    ),
    over=vf_ports,
    check=check,
)
