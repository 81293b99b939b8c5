"""What a node's container runtime is set up to do: its handlers, and CDI."""

from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Answer, Place
from podwire.peers.go_paths import matches

_NVIDIA = "nvidia-container-runtime"
# The wrapped programs pass a mode on that the toolkit's own configuration does not change.
# Source: nvidia-container-toolkit v1.17.8 and v1.20.2 cmd/nvidia-container-runtime.*/main.go.
_FORCED = {".cdi": "cdi", ".legacy": "legacy"}


class Handler(msgspec.Struct, frozen=True):
    """A runtime by the name that a RuntimeClass gives as its handler.

    `binary` is the OCI runtime, a path or a name; empty: the runtime's own default. `place` is
    None for what is built in. Annotations are patterns; those of pods and of containers that
    match one reach the OCI runtime.
    """

    name: str
    binary: str = ""
    runtime_type: str = ""
    pod_annotations: tuple[str, ...] = ()
    container_annotations: tuple[str, ...] = ()
    privileged_without_host_devices: bool = False
    place: Place | None = None

    @property
    def is_nvidia(self) -> bool:
        """NVIDIA's runtime gets containers before the OCI runtime does."""
        return self._program.startswith(_NVIDIA)

    @property
    def forced_mode(self) -> str:
        """The mode that this program of NVIDIA's is bound to; empty: what its settings say."""
        return _FORCED.get(self._program.removeprefix(_NVIDIA), "") if self.is_nvidia else ""

    def passes(self, annotation: str) -> bool:
        """Say whether a pod's annotation reaches the OCI runtime, by its key."""
        return any(matches(pattern, annotation) for pattern in self.pod_annotations)

    def passes_of_container(self, annotation: str) -> bool:
        """Say whether a container's own annotation (a device plugin's) reaches it."""
        patterns = self.container_annotations
        return any(matches(pattern, annotation) for pattern in patterns)

    @property
    def _program(self) -> str:
        return self.binary.rpartition("/")[2]


class Cdi(msgspec.Struct, frozen=True):
    """Whether the runtime itself injects CDI devices, and from which folders.

    Where it does not, `refuses` says that a container is not made for which kubelet names one
    in CRI's own field; else, and for `cdi.k8s.io/*` annotations, it starts without the device,
    and nobody says so.
    """

    is_on: bool
    spec_dirs: tuple[str, ...] = ("/etc/cdi", "/var/run/cdi")
    refuses: bool = False
    place: Place | None = None

    def refusal(self, names: tuple[str, ...]) -> str:
        """Give containerd's sentence for a request while CDI is off; empty: it is ignored."""
        if self.is_on or not self.refuses:
            return ""
        listed = ", ".join(names)
        return f"CDI devices ({listed}) requested but CDI support is explicitly disabled"


class RuntimeConfig(msgspec.Struct, frozen=True):
    """The configuration of one node's containerd or CRI-O, all files together."""

    runtime: str
    handlers: Mapping[str, Handler]
    default_name: str
    cdi: Answer[Cdi]
    default_place: Place | None = None

    @property
    def default(self) -> Handler | None:
        """What runs pods without a RuntimeClass; None: named, but not configured."""
        return self.handlers.get(self.default_name)

    def handler(self, name: str) -> Handler | None:
        """Give what a RuntimeClass asks for; an empty name is the default's."""
        return self.handlers.get(name) if name else self.default
