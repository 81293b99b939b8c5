"""What containerd and CRI-O make of a container's capabilities.

Both add `ALL`, then drop `ALL`, then add the names, then drop the names; upper and lower case
are alike. No capability is ambient, so a process that is not root has the added ones in its
bounding set only.
Sources: containerd v2.4.2 internal/cri/opts/spec_opts.go WithCapabilities,
WithoutAmbientCaps; cri-o 03c46e4 internal/factory/container/container.go SpecSetupCapabilities.
"""

from podwire.facts.objects import Capabilities
from podwire.model.evidence import Answer, Known, Unknown

CONTAINERD = "containerd"
CRI_O = "cri-o"

_ALL = "ALL"


def runtime_of(version: str) -> str:
    """Read the name from a node's `containerRuntimeVersion` (`containerd://1.7.24`)."""
    return version.partition("://")[0]


def has(name: str, capabilities: Capabilities, *, runtime: str) -> Answer[bool]:
    """Say whether a container gets a capability (`IPC_LOCK`) beyond the runtime's defaults.

    Kubernetes wants the name without `CAP_`. containerd puts CAP_ before whatever is there, and
    the kernel knows no CAP_CAP_IPC_LOCK; CRI-O takes the name as it is. `runtime` may be empty.
    """
    adds = {each.upper() for each in capabilities.add}
    drops = {each.upper() for each in capabilities.drop}
    if name in drops:
        return Known(value=False)
    if name in adds or (_ALL in adds and _ALL not in drops):
        return Known(value=True)
    if f"CAP_{name}" not in capabilities.add or runtime == CONTAINERD:
        return Known(value=False)
    if runtime == CRI_O:
        return Known(value=True)
    return Unknown(
        reason=f"whether the container runtime takes CAP_{name} for {name}: containerd does not",
        give="kubectl get nodes -o json",
        fact="the container runtime of nodes",
    )
