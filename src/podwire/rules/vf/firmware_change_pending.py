"""Firmware settings of a card change at the next boot.

What you see
    mstconfig shows other values under "Next Boot" than under "Current". The
    machine behaves as before until somebody restarts it, perhaps months
    later and for another reason.

Why
    The card reads SRIOV_EN, NUM_OF_VFS and LINK_TYPE when it starts.

Fix
    Restart the machine while you remember why the settings were made, or
    set them back.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.mstconfig import LINK_TYPE, NUM_OF_VFS, SRIOV_EN
from podwire.wire.fabric.pfs import Pf, pfs
from podwire.wire.picture import Picture

_NAMES = (SRIOV_EN, NUM_OF_VFS, LINK_TYPE.format(1), LINK_TYPE.format(2))


def check(pf: Pf, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare the two columns."""
    settings = ((name, pf.setting(name)) for name in _NAMES)
    pending = [(name, s) for name, s in settings if s is not None and s.is_pending]
    if not pending or pf.settings_at is None:
        return
    changes = ", ".join(f"{name} {s.current} -> {s.next_boot}" for name, s in pending)
    yield Finding(
        severity=Severity.NOTE,
        message=f"the next boot of {pf.node} changes PF {pf.function.address}: {changes}",
        evidence=(Evidence(at=pf.settings_at, saw=changes),),
        sees="nothing until the machine is restarted",
        fix=(Fix(text=f"restart {pf.node} at a time of your choice, or set the old values again"),),
        also=(pf.node_ref,),
        group=f"{pf.node} {changes}",
    )


RULE = Rule(
    id="PW413",
    slug="firmware-change-pending",
    title="Firmware settings change at the next boot",
    since="0.1",
    joint=Joint.SETUP,
    refs=("mstflint 4.21.0 mlxconfig/mlxcfg_ui.cpp queryDevCfg",),
    over=pfs,
    check=check,
)
