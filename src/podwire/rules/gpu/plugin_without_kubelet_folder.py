"""A device plugin for GPUs cannot reach kubelet's socket.

What you see
    The plugin's pod runs or restarts, its log says that it could not
    register, and the node offers no GPU.

Why
    A plugin registers at kubelet.sock in /var/lib/kubelet/device-plugins and
    puts its own socket beside it. Without that folder of the host in the
    container there is nobody to talk to.

Fix
    Mount the folder: hostPath /var/lib/kubelet/device-plugins, or where this
    kubelet has it, at /var/lib/kubelet/device-plugins in the container.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.registrants import Registrant

_FOLDER = "/var/lib/kubelet/device-plugins"


def check(plugin: "Registrant", _picture: Picture) -> Iterator[Finding]:
    """Look for the folder among the container's mounts from the host."""
    if plugin.container is None or plugin.reaches_kubelet:
        return
    name = plugin.container.container.name
    yield Finding(
        severity=Severity.ERROR,
        message=f"{plugin.ref}: container {name} does not mount {_FOLDER} of the host, so the "
        "device plugin cannot register with kubelet",
        evidence=(
            Evidence(
                at=plugin.place("volumeMounts")
                if plugin.container.container.volume_mounts
                else plugin.place("name"),
                saw="no such mount",
            ),
        ),
        sees="the plugin's log says that it could not contact kubelet; the nodes offer no "
        "nvidia.com/gpu of it",
        fix=(Fix(text=f"add a hostPath volume of {_FOLDER} and mount it at {_FOLDER}"),),
    )


RULE = Rule(
    id="PW503",
    slug="plugin-without-kubelet-folder",
    title="Device plugin for GPUs cannot reach kubelet's socket",
    since="0.1",
    joint=Joint.SERVER,
    refs=(
        "k8s-device-plugin v0.20.0 internal/plugin/server.go Register",
        "kubelet v1.37.2 pkg/apis/deviceplugin/v1beta1/constants.go",
    ),
    over=lambda picture: picture.gpus.plugins.registrants if picture.gpus else (),
    check=check,
)
