"""NVIDIA's runtime gives a container other GPUs than its variables seem to say.

What you see
    nvidia-smi finds no device in a container that names one, or all of them
    in a container that asks for none. No event and no log says so.

Why
    A device that stands twice in NVIDIA_VISIBLE_DEVICES becomes a device
    without a name, which in mode jit-cdi means none since v1.18.2. In v1.18.0
    none itself became all there. In mode legacy, since v1.19.0, NVIDIA_GDS,
    NVIDIA_MOFED, NVIDIA_GDRCOPY or NVIDIA_NVSWITCH = enabled hides the GPUs
    from the hook that would give them.

Fix
    Name each device once; write void for none; take the feature's variable
    out, or let the runtime work in mode auto.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.peers.nvidia_toolkit import Outcome
    from podwire.wire.gpu.odd_requests import OddRequest

_FIXES = {
    "REPEATED": "name each device once",
    "NONE": "write void in place of none, or use another version of the toolkit",
    "FEATURE": "take the variable out, or set mode = auto for NVIDIA's runtime",
}


def check(odd: "OddRequest", picture: Picture) -> Iterator[Finding]:
    """Compare what the runtime gives with what was meant."""
    if picture.gpus is None:
        return
    way = picture.gpus.way(odd.use).need().value
    found = way.outcome
    if found is None or way.says or found.ignored or way.handed.named or way.handed.annotated:
        return
    count = len(found.gpus.need().value)
    if not _is_misread(odd, found, count):
        return
    name = odd.oddity.name
    gets = "no GPU" if count == 0 else f"{count} GPU{'s' if count > 1 else ''}"
    yield Finding(
        severity=Severity.WARNING if name == "NONE" else Severity.ERROR,
        message=f"{odd.use.full_name} gets {gets} on {way.node}: it {odd.oddity.value} "
        f"({odd.written}), which NVIDIA's runtime there does not take as it reads"
        + (f" (mode {found.mode.value})" if found.mode else ""),
        evidence=(Evidence(at=odd.use.place("env", odd.index), saw=odd.written),),
        sees="nvidia-smi lists no device, and nothing says why"
        if count == 0
        else "nvidia-smi lists GPUs that the container did not ask for",
        fix=(Fix(text=_FIXES[name]),),
        assumes=way.assumes,
        group=f"{picture.kin(odd.use.pod)} {odd.written} {way.node}",
    )


def _is_misread(odd: "OddRequest", found: "Outcome", count: int) -> bool:
    name = odd.oddity.name
    if name == "REPEATED":
        return count < len(odd.devices)
    if name == "NONE":
        return count > 0
    return bool(found.features) and count == 0


RULE = Rule(
    id="PW518",
    slug="gpu-variable-misread",
    title="NVIDIA's runtime takes a container's variables in another way than they read",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "nvidia-container-toolkit v1.18.0, v1.18.2 internal/config/image/devices.go",
        "nvidia-container-toolkit v1.19.0 internal/modifier/gated.go",
    ),
    over=lambda picture: picture.gpus.odd if picture.gpus else (),
    check=check,
)
