"""A node as the GPU Operator sets it up, where its own files were not collected.

What is said of it is assumed: somebody may have changed the node by hand.
"""

import msgspec

from podwire.facts.objects import Node
from podwire.model.evidence import NOWHERE, Answer, Known, Place, Unknown
from podwire.model.versions import Version
from podwire.peers.cdi import CdiDevice, Edits, Registry
from podwire.peers.gpu_operator import MANAGEMENT, TOOLKIT, Policy, ToolkitSetup
from podwire.peers.nvidia_toolkit import ToolkitConfig
from podwire.peers.runtime_config import CONTAINERD, Cdi, Handler, RuntimeConfig

_BINARY = "/usr/local/nvidia/toolkit/nvidia-container-runtime"
_CDI_SINCE = "2.0.0"  # containerd has CDI on by default


class AsSetUp(msgspec.Struct, frozen=True):
    """What a ClusterPolicy makes of a node."""

    name: str
    runtime: str
    version: Answer[Version]
    setup: Known[ToolkitSetup]

    @property
    def assumes(self) -> tuple[str, ...]:
        """What has to be true for all of it."""
        words = f"{self.name} is set up as the ClusterPolicy says (its own files were not read)"
        return (*self.setup.assumes, words)

    @property
    def toolkit(self) -> Known[ToolkitConfig]:
        """The configuration of NVIDIA's runtime."""
        setup = self.setup.value
        config = ToolkitConfig(
            accept_variable=setup.accepts_variable,
            accept_mounts=setup.accepts_mounts,
            mode=setup.mode,
            default_kind=setup.default_kind,
            written={"mode": ()},
        )
        return Known(value=config, places=self.setup.places, assumes=self.assumes)

    @property
    def containers(self) -> Known[RuntimeConfig]:
        """What starts containers: runc and NVIDIA's runtime."""
        place = self.setup.places[0] if self.setup.places else None
        name = self.setup.value.handler
        nvidia = Handler(name=name, binary=_BINARY, place=place)
        config = RuntimeConfig(
            runtime=self.runtime,
            handlers={"runc": Handler(name="runc"), name: nvidia},
            default_name=name if self.setup.value.is_default_runtime else "runc",
            cdi=self._cdi,
            default_place=place,
        )
        return Known(value=config, places=self.setup.places, assumes=self.assumes)

    @property
    def _cdi(self) -> Answer[Cdi]:
        version = self.version
        if isinstance(version, Known) and version.value.is_at_least(_CDI_SINCE):
            return Known(value=Cdi(is_on=True))
        return Unknown(
            reason=f"whether {self.runtime} on {self.name} has CDI on",
            give="nodes/<node>/etc/containerd/config.toml in a bundle",
            fact="the container runtime's configuration",
        )

    @property
    def specs(self) -> Known[Registry]:
        """The one spec that the toolkit writes: for the operator's own containers, with `all`."""
        name = f"{MANAGEMENT}=all"
        place = self.setup.places[0] if self.setup.places else Place(document=NOWHERE)
        device = CdiDevice(
            name=name,
            kind=MANAGEMENT,
            device="all",
            file="/var/run/cdi/management.nvidia.com-gpu.yaml",
            place=place,
            edits=Edits(),
            shared=Edits(),
        )
        registry = Registry(
            devices={name: device},
            conflicts={},
            faults={},
            kinds={MANAGEMENT: ("all",)},
            whole=Known(value=True, assumes=self.assumes),
        )
        return Known(value=registry, assumes=self.assumes)


def as_set_up(
    name: str, node: Node | None, policy: Policy | None, *, operator: Answer[Version]
) -> AsSetUp | None:
    """Say what the operator made of a node; None where it is not known to have its toolkit."""
    if node is None or policy is None or not policy.runs_toolkit:
        return None
    if node.metadata.labels.get(TOOLKIT) != "true":
        return None
    setup = policy.toolkit_setup(operator)
    runtime, _, version = node.status.node_info.container_runtime_version.partition("://")
    if isinstance(setup, Unknown) or runtime != CONTAINERD:
        return None
    try:
        known: Answer[Version] = Known(value=Version.parse(version))
    except ValueError:
        known = Unknown(reason=f"the version of {runtime} on {name}")
    return AsSetUp(name=name, runtime=runtime, version=known, setup=setup)
