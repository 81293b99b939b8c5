"""A VF has no GUID.

What you see
    The VF's port stays Down, and a pod that gets the VF stays in
    ContainerCreating: ib-sriov says "VF ... GUID is not valid".

Why
    A new VF has a GUID of zeros until somebody gives it one through its PF,
    and the driver reads it when the VF is bound. ib-sriov leaves all ones
    behind when it takes a GUID back. The subnet manager serves neither.

Fix
    Give each VF a GUID of its own before it is bound, or bind it again
    afterwards. Where ib-kubernetes gives GUIDs to pods, a free VF needs none,
    and this rule is silent.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.model.guids import Guid
from podwire.model.names import Ref
from podwire.wire.fabric.guid_givers import gives_guids, is_attached
from podwire.wire.fabric.ports import Port, vf_ports
from podwire.wire.fabric.wishes import is_meant
from podwire.wire.picture import Picture


def check(port: Port, picture: Picture) -> Iterator[Finding]:
    """Read the GUID from the VF's own device."""
    guid = port.node_guid.need()
    if guid.value is None or guid.value.is_set:
        return
    is_wanted = is_meant(port.pf, port.node, picture)
    gives = gives_guids(picture)
    given = gives.need() if isinstance(gives, Known) or not is_wanted else None
    if given is not None and given.value:
        return  # ib-kubernetes' network gives it one when it attaches it.
    counts = is_wanted or is_attached(picture)
    pf = port.pf.address if port.pf else port.function.physfn
    yield Finding(
        severity=Severity.ERROR if counts else Severity.WARNING,
        message=f"VF {port.function.address} on {port.node} has the GUID {guid.value}, which "
        f"means none: {_meaning(guid.value)}",
        evidence=(
            Evidence(at=port.device.attributes.place("node_guid"), saw=str(guid.value)),
            Evidence(at=port.place("state"), saw=_state(port), role="its port"),
        ),
        sees="its port stays Down; a pod that gets the VF stays in ContainerCreating, for ib-sriov "
        'refuses it: "GUID is not valid"',
        fix=(
            Fix(
                text=f"set node and port GUID of each VF of {pf} through the PF (ip link set dev "
                "<pf> vf <n> node_guid ..., port_guid ...), then unbind and bind the VF"
            ),
            Fix(text="describe the machine in a spec (nodes[].fabric, guids: derived)"),
        ),
        assumes=given.assumes if given else (),
        also=(Ref(kind="Node", name=port.node),),
        group=f"{port.node} {pf}",
    )


def _meaning(guid: Guid) -> str:
    if guid.number == 0:
        return "nobody gave it one since the VF was made"
    return "a GUID was taken back from it"


def _state(port: Port) -> str:
    return port.device.attributes.values.get(f"ports/{port.number}/state", "not read")


RULE = Rule(
    id="PW401",
    slug="vf-guid-unset",
    title="VF has no GUID",
    since="0.1",
    joint=Joint.LINK,
    refs=(
        "linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/sriov.c",
        "ib-sriov-cni v1.3.0 cmd/ib-sriov-cni/main.go",
    ),
    over=vf_ports,
    check=check,
)
