"""A unit makes InfiniBand VFs and sets no link policy.

What you see
    The PF's port is Active, the VF has a GUID and a driver, and its port is
    Down.

Why
    Whether a VF's port follows the cable is decided for each VF by the PF:
    the policy is Follow, Up or Down. NVIDIA's own procedure sets Follow
    explicitly; what firmware begins with is not documented. Where ports of
    VFs were seen Active, or the unit leaves GUIDs to the network as well,
    nothing is said.

Fix
    ip link set dev PF vf N state auto, or echo Follow into
    device/sriov/N/policy with MLNX_OFED and DOCA-OFED; or let the network
    do it, with link_state in ib-sriov's configuration.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.evidence import Known
from podwire.wire.fabric.guid_givers import raises_links
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup

_NO_NETWORK = "no network sets link_state when it attaches a VF"


def check(setup: "VfSetup", picture: Picture) -> Iterator[Finding]:
    """Look for a policy among what the unit does to VFs of InfiniBand."""
    made = [i for i in setup.counts if i.value != "0"]
    is_infiniband = any(i.pf and i.pf[0] == "infiniband" for i in made) or setup.guids
    if not is_infiniband or setup.policies or setup.needs_no_policy:
        return
    raised = raises_links(picture)
    if isinstance(raised, Known) and raised.value:
        return
    if not setup.guids:
        raised.need()  # What gives the GUIDs may raise the links as well.
    setup.no_other().need()
    first = (made or setup.guids)[0]
    message = f"{setup.name} on {setup.node} sets no link policy for the VFs that it makes"
    yield Finding(
        severity=Severity.WARNING,
        message=message,
        evidence=(Evidence(at=first.done.place, saw="VFs, and no state or policy after it"),),
        sees="ports of VFs may stay Down while the PF's is Active; a pod has an interface without "
        "a carrier",
        fix=(
            Fix(
                text="after the GUIDs: ip link set dev PF vf N state auto, or echo Follow > "
                ".../device/sriov/N/policy (MLNX_OFED, DOCA-OFED)"
            ),
            Fix(text='or "link_state": "auto" in the network\'s ib-sriov configuration'),
        ),
        assumes=raised.assumes if isinstance(raised, Known) else (_NO_NETWORK,),
        group=alike(message, setup.node),
    )


RULE = Rule(
    id="PW915",
    slug="unit-without-link-policy",
    title="Unit makes InfiniBand VFs and sets no link policy",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.1 drivers/infiniband/hw/mlx5/ib_virt.c mlx5_ib_set_vf_link_state",
        "NVIDIA MLNX_OFED documentation v24.10, SR-IOV for InfiniBand",
    ),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
