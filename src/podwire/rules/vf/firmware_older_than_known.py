"""A card's firmware is older than what write-ups about SR-IOV name as their least.

What you see
    Nothing by itself.

Why
    Public write-ups name 28.43.1014 (ConnectX-7) and 32.43.1014
    (BlueField-3), of the 2024 LTS line, as the least that worked for them.
    No document of the vendor says that SR-IOV needs it.

Fix
    Update when you look for a fault that nothing else explains.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.model.versions import Version
from podwire.wire.fabric.pfs import Pf, pfs_with_vfs
from podwire.wire.picture import Picture

_LEAST = {28: "28.43.1014", 32: "32.43.1014"}  # by family


def check(pf: Pf, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare within the family."""
    firmware = pf.firmware
    text = (firmware.value or "").strip() if isinstance(firmware, Known) else ""
    try:
        version = Version.parse(text)
    except ValueError:
        return
    least = _LEAST.get(version.major)
    if least is None or version.is_at_least(least):
        return
    yield Finding(
        severity=Severity.NOTE,
        message=f"PF {pf.function.address} on {pf.node} runs firmware {text}, older than {least}, "
        "which write-ups name as the least that worked for them",
        evidence=(Evidence(at=pf.function.rdma[0].attributes.place("fw_ver"), saw=text),),
        sees="nothing by itself: no document of the vendor says that SR-IOV needs it",
        fix=(Fix(text="update when you look for a fault that nothing else explains"),),
        also=(pf.node_ref,),
        group=f"{pf.node} {text}",
    )


RULE = Rule(
    id="PW415",
    slug="firmware-older-than-known",
    title="Firmware is older than what write-ups name",
    since="0.1",
    joint=Joint.SETUP,
    refs=("MFT 4.30.1 LTS, supported adapter cards firmware versions",),
    over=pfs_with_vfs,
    check=check,
)
