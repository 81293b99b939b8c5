"""What a container asks of the toolkit, and what it gets."""

import enum
from collections.abc import Mapping

import msgspec

from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Path
from podwire.peers.cdi.records import Resolution

# CAP_SYS_ADMIN in the bounding set is what the toolkit takes for a privileged container
# (internal/config/image/privileged.go).
_PRIVILEGE = "CAP_SYS_ADMIN"


class Program(enum.Enum):
    """Which of the runtime's three programs the container runtime starts."""

    CONFIGURED = "nvidia-container-runtime"
    FORCED_CDI = "nvidia-container-runtime.cdi"
    FORCED_LEGACY = "nvidia-container-runtime.legacy"

    @classmethod
    def at(cls, path: str) -> "Program | None":
        """Tell one by its path, as container runtimes are configured with; None: another."""
        name = path.rpartition("/")[2]
        return next((each for each in cls if each.value == name), None)


class Mode(enum.Enum):
    """How the runtime changes a container."""

    LEGACY = "legacy"
    CSV = "csv"
    CDI = "cdi"
    JIT_CDI = "jit-cdi"


class Door(enum.Enum):
    """By which way the request came."""

    ENVIRONMENT = "environment variable"
    IMAGE = "environment variable of the image"
    OLD_IMAGE = "CUDA_VERSION of an old image, which asks for all GPUs"
    VOLUME_MOUNT = "mount below /var/run/nvidia-container-devices"
    ANNOTATION = "CDI annotation"


class Mount(msgspec.Struct, frozen=True, gc=False):
    """A mount of the container, as the OCI specification has it."""

    source: str
    destination: str


class Request(msgspec.Struct, frozen=True):
    """A container as the low-level runtime is given it, as far as the toolkit looks.

    `env` has what kubelet passes on, in its order: the plugin's variables, then the pod's own;
    of a name that stands twice the last one counts. `image_env` has the image's, which
    those override. `capabilities` is the bounding set, with `CAP_`.
    """

    env: tuple[str, ...] = ()
    image_env: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()
    capabilities: frozenset[str] = frozenset()
    annotations: Mapping[str, str] = {}

    @property
    def is_privileged(self) -> bool:
        """What the toolkit calls privileged."""
        return _PRIVILEGE in self.capabilities

    @property
    def key(self) -> tuple[object, ...]:
        """Everything that decides about the outcome: requests with one key fare alike."""
        annotations = tuple(sorted(self.annotations.items()))
        return self.env, self.image_env, self.mounts, self.capabilities, annotations


class Sight(msgspec.Struct, frozen=True):
    """What the toolkit saw in a container, before it looked at any device.

    `names` are devices as they were asked for; empty: none are, or the request was `ignored`.
    `lets` leads to the setting that let the request in; empty where the container's privilege
    did. `variables` are those that were read.
    """

    names: tuple[str, ...] = ()
    door: Door | None = None
    lets: Path = ()
    variables: tuple[str, ...] = ()
    ignored: bool = False
    notes: tuple[str, ...] = ()


class Stage(enum.Enum):
    """When a container is refused."""

    RUNTIME = "the runtime, before the container is made"
    HOOK = "the hook that the runtime inserted, before the container's program starts"
    CLI = "nvidia-container-cli, which the hook calls"


class Outcome(msgspec.Struct, frozen=True):
    """What becomes of a container.

    `says` is the sentence of a refusal, empty where the container starts; it is Unknown where
    the node's GPUs or CDI specs decide and were not read. `asked` are the devices as the
    toolkit names them: qualified CDI names, or what it hands to nvidia-container-cli. `gpus` are
    those that the container gets; `cdi` what the names resolved to. `features` are things
    beside GPUs that the variables NVIDIA_GDS, NVIDIA_MOFED, NVIDIA_GDRCOPY and NVIDIA_NVSWITCH
    turn on: `mofed` gives every device of /dev/infiniband. `notes` are lines of the log.
    `mode` and `notes` are empty where versions differ in nothing else.
    """

    says: Answer[str]
    gpus: Answer[tuple[GpuUuid, ...]]
    mode: Mode | None = None
    stage: Stage | None = None
    door: Door | None = None
    lets: Path = ()
    asked: tuple[str, ...] = ()
    cdi: Resolution | None = None
    ignored: bool = False
    variables: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    imex: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_all(self) -> bool:
        """It asks for every GPU of the node, whichever they are."""
        return any(name.rpartition("=")[2] == "all" for name in self.asked)
