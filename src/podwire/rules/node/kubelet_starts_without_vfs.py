"""Nothing keeps kubelet from starting before, or without, the VFs of its node.

What you see
    After some reboots the node counts no VF, or fewer: the device plugin
    looked before they were there, and looks once. Pods that held VFs fail
    with UnexpectedAdmissionError.

Why
    Before= puts two units into an order and nothing else: kubelet starts
    also when the unit failed, and without Before= at the same time.
    After=network-pre.target waits for neither the driver nor the cards.

    What would happen only if the unit failed is a note; a race of each boot
    is a warning, and an error where no VF was seen.

Fix
    [Unit] Before=kubelet.service and [Install] RequiredBy=kubelet.service;
    After= the unit that loads the driver, or a loop that waits for the PFs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.model.names import Ref
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.sight import VfSetup
    from podwire.wire.node_setup.start import Start


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Ask systemd's order, what holds kubelet back, and what the unit itself waits for."""
    if not setup.is_about_vfs.need().value:
        return
    start = setup.start()
    held = start.is_held
    is_held = bool(held.need().value)
    order = start.is_ordered.need()
    is_ordered = order.value
    parts = list(_parts(start, is_ordered=is_ordered, is_held=is_held))
    if not parts:
        return
    message = f"{setup.name} on {setup.node}: {'; '.join(parts)}"
    yield Finding(
        severity=_severity(setup, start, is_ordered=is_ordered),
        message=message,
        evidence=tuple(_evidence(setup, start, is_held=is_held)),
        sees="the device plugin finds no VFs, or some, and does not look again: the node counts "
        "too few, pods stay Pending or fail after a reboot",
        fix=tuple(_fixes(start, is_ordered=is_ordered, is_held=is_held)),
        assumes=tuple(dict.fromkeys((*order.assumes, *held.need().assumes))),
        also=(Ref(kind="Node", name=setup.node),),
        group=alike(message, setup.node),
    )


def _severity(setup: "VfSetup", start: "Start", *, is_ordered: bool) -> Severity:
    """Weigh a race of each boot above what matters only when the unit fails."""
    if not is_ordered:
        return Severity.WARNING if setup.has_vfs else Severity.ERROR
    return Severity.NOTE if start.waits_for_driver else Severity.WARNING


def _parts(start: "Start", *, is_ordered: bool, is_held: bool) -> Iterator[str]:
    if not is_ordered:
        yield f"{start.kubelet} does not wait for it"
    if not is_held:
        yield f"{start.kubelet} starts even if it fails" + (
            ", for Before= is an order and no condition" if start.before else ""
        )
    if not start.waits_for_driver:
        after = "" if start.after is None else f" (After={start.after.value} does not)"
        yield f"it waits for neither the driver nor the cards{after}"


def _fixes(start: "Start", *, is_ordered: bool, is_held: bool) -> Iterator[Fix]:
    lines = []
    if not is_ordered:
        lines.append(f"Before={start.kubelet} in [Unit]")
    if not is_held:
        lines.append(f"RequiredBy={start.kubelet} in [Install], then systemctl reenable")
    if lines:
        breaks = "" if is_held else "a node whose VFs cannot be made does not join the cluster"
        yield Fix(text="write " + " and ".join(lines), breaks=breaks)
    if not start.waits_for_driver:
        yield Fix(
            text="After=openibd.service (MLNX_OFED) or systemd-udev-settle.service, or wait in the "
            "script until every PF is there"
        )


def _evidence(setup: "VfSetup", start: "Start", *, is_held: bool) -> Iterator[Evidence]:
    place = start.place(setup)
    if start.before is not None:
        yield Evidence(at=start.before.place, saw=start.before.value, role="order")
    else:
        yield Evidence(at=place, saw=f"no Before={start.kubelet}")
    if not is_held:
        at = start.install.place if start.install else place
        yield Evidence(at=at, saw=f"no RequiredBy={start.kubelet}", role="requirement")
    if not start.waits_for_driver and start.after is not None:
        yield Evidence(at=start.after.place, saw=start.after.value, role="driver")


RULE = Rule(
    id="PW918",
    slug="kubelet-starts-without-vfs",
    title="VFs may be missing when kubelet starts",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "systemd v252.39 man/systemd.unit.xml (Before=, Requires=)",
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go (devices are looked for once)",
    ),
    over=lambda picture: picture.node_setups.every if picture.node_setups else (),
    check=check,
)
