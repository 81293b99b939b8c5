"""Read the toolkit's config.toml as the runtime reads it.

Source: api/config/v1/{config,runtime,features,cli,toml}.go (v1.20.2; internal/config before
v1.19), pelletier/go-toml v1.9.5 marshal.go for the spelling of keys and for types.
"""

import enum
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from podwire.documents import toml
from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Path, Place

ACCEPT_VARIABLE: Final[Path] = ("accept-nvidia-visible-devices-envvar-when-unprivileged",)
ACCEPT_MOUNTS: Final[Path] = ("accept-nvidia-visible-devices-as-volume-mounts",)
_RUNTIME: Final = "nvidia-container-runtime"
_HOOK: Final = "nvidia-container-runtime-hook"
_CLI: Final = "nvidia-container-cli"
_CDI: Final[Path] = (_RUNTIME, "modes", "cdi")
MODE: Final[Path] = (_RUNTIME, "mode")
DEFAULT_KIND: Final[Path] = (*_CDI, "default-kind")
ANNOTATION_PREFIXES: Final[Path] = (*_CDI, "annotation-prefixes")
SPEC_DIRS: Final[Path] = (*_CDI, "spec-dirs")
LDCONFIG: Final[Path] = (_CLI, "ldconfig")
CAPABILITIES: Final = ("compat32", "compute", "display", "graphics", "ngx", "utility", "video")
LOADING: Final = "error loading config: "

# Field, where it stands, and the type that Go wants there.
_KEYS: Final[Mapping[str, tuple[Path, type]]] = {
    "accept_variable": (ACCEPT_VARIABLE, bool),
    "accept_mounts": (ACCEPT_MOUNTS, bool),
    "disable_require": (("disable-require",), bool),
    "swarm_resource": (("swarm-resource",), str),
    "supported_capabilities": (("supported-driver-capabilities",), str),
    "mode": (MODE, str),
    "runtimes": ((_RUNTIME, "runtimes"), list),
    "default_kind": (DEFAULT_KIND, str),
    "annotation_prefixes": (ANNOTATION_PREFIXES, list),
    "spec_dirs": (SPEC_DIRS, list),
    "skip_mode_detection": ((_HOOK, "skip-mode-detection"), bool),
    "root": ((_CLI, "root"), str),
    "ldconfig": (LDCONFIG, str),
    "ignore_imex": (("features", "ignore-imex-channel-requests"), bool),
    "allow_container_ldconfig": (("features", "allow-ldconfig-from-container"), bool),
}
_GO: Final[Mapping[type, str]] = {bool: "bool", str: "string", list: "[]string(slice)"}


class FaultKind(enum.Enum):
    """Why no container of this runtime starts."""

    NO_TOML = "no TOML"
    WRONG_TYPE = "value of another type"
    LDCONFIG_OF_CONTAINER = "ldconfig of the container"


class ConfigFault(msgspec.Struct, frozen=True):
    """What ends the runtime for every container; `...` stands for what is not repeated."""

    kind: FaultKind
    path: Path
    says: str


class ToolkitConfig(msgspec.Struct, frozen=True):
    """The settings that decide what a container gets; absent keys have the toolkit's defaults.

    `written` gives the path of each field that the file sets.
    """

    accept_variable: bool = True
    accept_mounts: bool = False
    disable_require: bool = False
    swarm_resource: str = ""
    supported_capabilities: str = ",".join(CAPABILITIES)
    mode: str = "auto"
    runtimes: tuple[str, ...] = ("runc", "crun")
    default_kind: str = "nvidia.com/gpu"
    annotation_prefixes: tuple[str, ...] = ("cdi.k8s.io/",)
    spec_dirs: tuple[str, ...] = ("/etc/cdi", "/var/run/cdi")
    skip_mode_detection: bool = False
    root: str = ""
    ldconfig: str = "@/sbin/ldconfig"
    ignore_imex: bool = False
    allow_container_ldconfig: bool = False
    document: Document | None = None
    written: Mapping[str, Path] = {}
    fault: ConfigFault | None = None

    def place(self, path: Path) -> Place | None:
        """Name where a setting stands, or the file where it does not; None without a file."""
        if self.document is None:
            return None
        spelt = {_KEYS[field][0]: each for field, each in self.written.items()}
        return Place(document=self.document, path=spelt.get(path, ()))

    @property
    def swarm_variables(self) -> tuple[str, ...]:
        """The variables that go before NVIDIA_VISIBLE_DEVICES."""
        parts = (part.strip() for part in self.swarm_resource.split(","))
        return tuple(part for part in parts if part)


def read_config(file: TextFile | None) -> ToolkitConfig:
    """Read a file; without one the toolkit has its defaults."""
    if file is None:
        return ToolkitConfig()
    loaded = toml.load(file.text)
    if loaded.problem is not None or not isinstance(loaded.value, dict):
        fault = ConfigFault(kind=FaultKind.NO_TOML, path=(), says=f"{LOADING}...")
        return ToolkitConfig(document=file.document, fault=fault)
    values: dict[str, Any] = {}
    written: dict[str, Path] = {}
    for field, (path, wanted) in _KEYS.items():
        try:
            spelt, value = _find(loaded.value, path)
            values[field] = _converted(value, wanted, spelt)
            written[field] = spelt
        except _AbsentError:
            continue
        except _WrongTypeError as error:
            fault = ConfigFault(kind=FaultKind.WRONG_TYPE, path=error.path, says=str(error))
            return ToolkitConfig(document=file.document, fault=fault)
    read = ToolkitConfig(document=file.document, written=written, **values)
    return msgspec.structs.replace(read, fault=_ldconfig_fault(read))


def _ldconfig_fault(config: ToolkitConfig) -> ConfigFault | None:
    if config.ldconfig.startswith("@") or config.allow_container_ldconfig:
        return None
    says = (
        f'{LOADING}nvidia-container-cli.ldconfig value "{config.ldconfig}" is not host-relative '
        "(does not start with a '@')\ninvalid config value"
    )
    return ConfigFault(kind=FaultKind.LDCONFIG_OF_CONTAINER, path=LDCONFIG, says=says)


class _AbsentError(Exception):
    """The file does not have the key."""


class _WrongTypeError(Exception):
    """Go cannot put the value into its field."""

    def __init__(self, value: object, wanted: str, path: Path) -> None:
        shown = _go_text(value)
        super().__init__(
            f"{LOADING}failed to unmarshal config: ...: Can't convert {shown} to {wanted}"
        )
        self.path = path


def _find(tree: Mapping[str, Any], path: Path) -> tuple[Path, Any]:
    """Go down; a key also counts in capitals, where it does not stand as it should."""
    value: Any = tree
    spelt: list[str] = []
    for step in path:
        if not isinstance(value, dict):
            raise _WrongTypeError(value, "...", tuple(spelt))
        key = next((k for k in (str(step), str(step).upper()) if k in value), None)
        if key is None:
            raise _AbsentError
        spelt.append(key)
        value = value[key]
    return tuple(spelt), value


def _converted(value: object, wanted: type, path: Path) -> object:
    if wanted is list and isinstance(value, list):
        return tuple(_converted(each, str, path) for each in value)
    if type(value) is wanted:
        return value
    raise _WrongTypeError(value, _GO[wanted], path)


def _go_text(value: object) -> str:
    """Write a value with its type, as Go does."""
    if isinstance(value, bool):
        return f"{str(value).lower()}(bool)"
    if isinstance(value, int):
        return f"{value}(int64)"
    if isinstance(value, str):
        return f"{value}(string)"
    return "..."
