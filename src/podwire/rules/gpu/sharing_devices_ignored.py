"""A sharing configuration picks GPUs, and the device plugin shares all of them.

What you see
    The node offers replicas of every GPU, not of the ones listed. The
    plugin's log says "Customizing the 'devices' field in
    sharing.timeSlicing.resources is not yet supported in the config.
    Ignoring...".

Why
    The configuration has a key for it, and the plugin throws it away when
    it starts. No key and no flag of it hides a GPU or leaves one unshared.

Fix
    Take the key out. To keep a GPU for something else, use a plugin that
    knows an allow-list, or take the GPU away from the nvidia driver.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import SharedEntry


def check(entry: "SharedEntry", _picture: Picture) -> Iterator[Finding]:
    """Look whether the entry asks for anything but all."""
    share = entry.share
    if share.devices is None:
        return
    written = (
        ", ".join(map(str, share.devices))
        if isinstance(share.devices, list)
        else (str(share.devices))
    )
    yield Finding(
        severity=Severity.WARNING,
        message=f"devices ({written}) under sharing.{share.how} of {entry.config.ref} selects "
        f"nothing: the device plugin ignores it and shares every GPU as {share.resource}",
        evidence=(Evidence(at=entry.config.place(*share.path, "devices"), saw=written),),
        sees=f"each GPU of the node counts {share.replicas} times; the plugin's log says: "
        f"{share.ignored}",
        fix=(
            Fix(text="take devices out: the plugin does the same without it"),
            Fix(
                text="to leave a GPU out, serve the others by a plugin with an allow-list "
                "(HAMi's filterdevices, podwire's agent), or unbind that GPU from the driver"
            ),
        ),
        group=str(entry.config.ref),
    )


RULE = Rule(
    id="PW501",
    slug="sharing-devices-ignored",
    title="Sharing picks GPUs, which the device plugin ignores",
    since="0.1",
    joint=Joint.SERVER,
    refs=("k8s-device-plugin v0.20.0 api/config/v1/replicas.go, config.go",),
    over=lambda picture: picture.gpus.shared if picture.gpus else (),
    check=check,
)
