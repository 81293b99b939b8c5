"""The link policy of a VF keeps its port down.

What you see
    The PF's port is Active and the VF has a GUID, but the VF's port is Down.
    It comes up at once when the policy is changed.

Why
    The PF decides for each VF whether its port follows the cable (Follow,
    in ip link: auto), is always up (Up, enable) or always down (Down,
    disable). Some firmware begins with Down, and nothing sets it but an
    explicit command, or link_state in the network.

Fix
    Set the policy to Follow when the VFs are made, or link_state to auto in
    the configuration of every network that attaches the VF.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.model.names import Ref
from podwire.wire.fabric.guid_givers import gives_guids, is_attached, raises_link
from podwire.wire.fabric.ports import Port, vf_ports
from podwire.wire.fabric.served import DOWN
from podwire.wire.picture import Picture


def check(port: Port, picture: Picture) -> Iterator[Finding]:
    """Read the policy of a port that is down; a network that sets it mends it at attach."""
    if port.state.need().value != DOWN:
        return
    policy = port.policy.need()
    if policy.value != "Down":
        return
    if _waits_for_guid(port, picture):
        return
    holder = _holder(port, picture)
    raised = None if holder else raises_link(port.function.address, port.node, picture).need()
    if raised is not None and raised.value:
        return
    pf = port.pf.address if port.pf else ""
    counts = holder is not None or is_attached(picture)
    yield Finding(
        severity=Severity.ERROR if counts else Severity.WARNING,
        message=f"VF {port.function.address} on {port.node} is kept down by its link policy, "
        "Down, whatever the cable does" + (f"; {holder} holds it" if holder else ""),
        evidence=tuple(Evidence(at=place, saw="Down") for place in policy.places[:1]),
        sees="a pod that gets the VF has an interface without a carrier: port Down",
        fix=(
            Fix(
                text=f"ip link set dev <PF {pf}> vf {port.index} state auto (OFED: echo Follow > "
                f"/sys/bus/pci/devices/{pf}/sriov/{port.index}/policy)"
            ),
            Fix(text='set "link_state": "auto" in the network\'s ib-sriov configuration'),
        ),
        assumes=raised.assumes if raised else (),
        also=(Ref(kind="Node", name=port.node), *((holder,) if holder else ())),
        group=f"{port.node} {pf} {bool(holder)}",
    )


def _waits_for_guid(port: Port, picture: Picture) -> bool:
    """A VF without a GUID is down anyway; ib-kubernetes' network gives it one when it attaches."""
    guid, gives = port.node_guid, gives_guids(picture)
    is_unset = isinstance(guid, Known) and guid.value is not None and not guid.value.is_set
    return is_unset and isinstance(gives, Known) and gives.value


def _holder(port: Port, picture: Picture) -> Ref | None:
    """Name the pod that has the VF attached: then its network has done what it does."""
    holders = picture.holders(port.node)
    mine = (h for h in holders if h.address == port.function.address and h.is_attached)
    held = next(mine, None)
    return held.pod if held else None


RULE = Rule(
    id="PW404",
    slug="vf-link-policy-down",
    title="Link policy of a VF keeps its port down",
    since="0.1",
    joint=Joint.LINK,
    refs=(
        "linux v6.12 drivers/infiniband/hw/mlx5/ib_virt.c mlx5_ib_set_vf_link_state",
        "ib-sriov-cni v1.3.0 pkg/sriov/sriov.go",
    ),
    over=vf_ports,
    check=check,
)
