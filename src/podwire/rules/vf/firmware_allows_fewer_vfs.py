"""A PF's firmware allows fewer VFs than the spec wants.

What you see
    Writing sriov_numvfs fails with "Numerical result out of range", or the
    attribute is not there at all.

Why
    sriov_totalvfs is what the firmware offers: NUM_OF_VFS where SRIOV_EN is
    set, else nothing. Both act at the next boot or firmware reset, not when
    they are set.

Fix
    Set SRIOV_EN and NUM_OF_VFS with mstconfig, then restart the machine. A
    card that shares its slot with others needs a cold start.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.peers.mstconfig import NUM_OF_VFS, SRIOV_EN
from podwire.wire.fabric.pfs import Pf, wanted_pfs
from podwire.wire.picture import Picture


def check(pf: Pf, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare the wish with sriov_totalvfs."""
    wanted = pf.wish.fabric.vfs_per_pf if pf.wish else None
    if not pf.wish or not wanted:
        return
    total = pf.total.need().value
    if total >= wanted:
        return
    yield Finding(
        severity=Severity.ERROR,
        message=f"PF {pf.function.address} on {pf.node} cannot have {wanted} VFs: its firmware "
        f"allows {total or 'none'}",
        evidence=(
            Evidence(at=pf.wish.place("vfsPerPf"), saw=str(wanted)),
            Evidence(at=pf.function.place("sriov_totalvfs"), saw=str(total) if total else "none"),
            *_settings(pf),
        ),
        sees="sriov_numvfs refuses the count (Numerical result out of range), so the node offers "
        f"{total or 'none'} of this PF's VFs",
        fix=_fixes(pf, wanted),
        also=(pf.node_ref,),
        group=f"{pf.node} {total} {_is_pending(pf, wanted)}",
        explains=(Symptom(slug="vf-count-differs", of=pf.ref),),
    )


def _settings(pf: Pf) -> Iterator[Evidence]:
    for name in (SRIOV_EN, NUM_OF_VFS):
        setting = pf.setting(name)
        if setting and pf.settings_at:
            saw = f"{name} now {setting.current or '?'}, next boot {setting.next_boot or '?'}"
            yield Evidence(at=pf.settings_at, saw=saw)


def _is_pending(pf: Pf, wanted: int) -> bool:
    """Say whether the next boot brings what is wanted."""
    on, count = pf.setting(SRIOV_EN), pf.setting(NUM_OF_VFS)
    if on is None or count is None:
        return False
    return on.next_boot == "1" and int(count.next_boot or 0) >= wanted


def _fixes(pf: Pf, wanted: int) -> tuple[Fix, ...]:
    drain = "the machine's pods have to leave for it"
    if _is_pending(pf, wanted):
        return (Fix(text="restart the machine: the settings are made already", breaks=drain),)
    return (
        Fix(
            text=f"mstconfig -d {pf.function.address} -y set SRIOV_EN=1 NUM_OF_VFS={wanted}, then "
            "restart the machine",
            breaks=drain,
        ),
    )


RULE = Rule(
    id="PW410",
    slug="firmware-allows-fewer-vfs",
    title="Firmware allows fewer VFs than the spec wants",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "linux v6.12 drivers/pci/iov.c sriov_numvfs_store",
        "mstflint 4.21.0 mlxconfig/mlxconfig_dbs",
    ),
    over=wanted_pfs,
    check=check,
)
