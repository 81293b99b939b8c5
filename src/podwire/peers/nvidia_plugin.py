"""NVIDIA's device plugin: what it is told, which resources it serves, what Allocate hands over.

HAMi's plugin is a fork that reads the same settings and answers in the same form
(`peers.hami`). Source: NVIDIA/k8s-device-plugin v0.20.0 and v0.17.1,
api/config/v1/{config,flags,replicas,strategy}.go, cmd/nvidia-device-plugin/main.go,
internal/plugin/server.go, internal/cdi/cdi.go.
"""

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from podwire.model.evidence import Path
from podwire.model.names import ResourceName
from podwire.peers.go_text import is_true

COMPONENT = "k8s-device-plugin"
VARIABLE = "NVIDIA_VISIBLE_DEVICES"
VOLUME_MOUNTS_FOLDER = "/var/run/nvidia-container-devices"
KUBELET_FOLDER = "/var/lib/kubelet/device-plugins"
VENDOR = "k8s.device-plugin.nvidia.com"
KIND = f"{VENDOR}/gpu"
SPEC_FILE = "var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
GPU = ResourceName(prefix="nvidia.com", name="gpu")
_SHARED = ".shared"
_MIG = "mig-"
_REPLICA = "::"  # internal/rm AnnotatedID: what precedes it is the device


class Strategy(enum.StrEnum):
    """How the devices of a container are handed to what starts it."""

    ENVVAR = "envvar"
    VOLUME_MOUNTS = "volume-mounts"
    CDI_ANNOTATIONS = "cdi-annotations"
    CDI_CRI = "cdi-cri"

    @property
    def is_cdi(self) -> bool:
        """It names CDI devices, of the spec that the plugin itself writes."""
        return self in {Strategy.CDI_ANNOTATIONS, Strategy.CDI_CRI}


class Share(msgspec.Struct, frozen=True, gc=False):
    """One entry of `sharing`: `how` is timeSlicing or mps, `path` leads to it.

    `devices` is what the entry asks to be shared and the plugin throws away; None: all.
    """

    how: str
    resource: str
    replicas: int
    path: Path
    devices: Any = None

    @property
    def ignored(self) -> str:
        """The line of the plugin's log where `devices` is thrown away."""
        return (
            f"Customizing the 'devices' field in sharing.{self.how}.resources is not yet "
            "supported in the config. Ignoring..."
        )


class Settings(msgspec.Struct, frozen=True, gc=False):
    """What decides about the plugin, of flags, environment and file together.

    `written` says where the strategy came from; empty: it is the default. `refused` is why
    it does not start.
    """

    strategies: tuple[Strategy, ...] = (Strategy.ENVVAR,)
    by_index: bool = False
    mig: str = "none"
    shares: tuple[Share, ...] = ()
    renames: bool = False
    passes_device_nodes: bool = False
    annotation_prefix: str = "cdi.k8s.io/"
    written: str = ""
    refused: str = ""

    @property
    def strategy_text(self) -> str:
        """As it is written: `cdi-annotations,cdi-cri`."""
        return ",".join(self.strategies)

    @property
    def is_all_cdi(self) -> bool:
        """Nothing but CDI names is handed over."""
        return all(strategy.is_cdi for strategy in self.strategies)

    def serves(self, resource: ResourceName) -> bool:
        """Whether a resource is one of its own; which MIG profiles there are the GPUs say."""
        if resource.prefix != GPU.prefix:
            return False
        name = resource.name.removesuffix(_SHARED) if self.renames else resource.name
        return name == GPU.name or (self.mig == "mixed" and name.startswith(_MIG))


class Handed(msgspec.Struct, frozen=True, gc=False):
    """What kubelet passes to the runtime for one container.

    `variable` is the value of NVIDIA_VISIBLE_DEVICES, None where it is not set; `mounts` are
    names below `VOLUME_MOUNTS_FOLDER`; `annotated` and `named` are CDI names, in a
    container annotation and in CRI's own field.
    """

    variable: str | None = None
    mounts: tuple[str, ...] = ()
    annotated: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    has_device_nodes: bool = False


def allocated(settings: Settings, ids: Iterable[str]) -> Handed:
    """Say what Allocate answers for devices, by what the plugin calls them (UUID or index)."""
    devices = tuple(dict.fromkeys(physical(each) for each in ids))
    has = settings.strategies.__contains__
    names = tuple(f"{KIND}={device}" for device in devices)
    variable = ",".join(devices) if has(Strategy.ENVVAR) else None
    return Handed(
        variable=VOLUME_MOUNTS_FOLDER if has(Strategy.VOLUME_MOUNTS) else variable,
        mounts=devices if has(Strategy.VOLUME_MOUNTS) else (),
        annotated=names if has(Strategy.CDI_ANNOTATIONS) else (),
        named=names if has(Strategy.CDI_CRI) else (),
        has_device_nodes=settings.passes_device_nodes and not settings.is_all_cdi,
    )


def physical(device_id: str) -> str:
    """Give the device that one of kubelet's units is a share of."""
    return device_id.partition(_REPLICA)[0]


def is_config(tree: object) -> bool:
    """Tell a configuration of the plugin by its keys: people call the key in a ConfigMap any."""
    if not isinstance(tree, dict):
        return False
    sharing, flags = tree.get("sharing"), tree.get("flags")
    is_sharing = isinstance(sharing, dict) and bool({"timeSlicing", "mps"} & set(sharing))
    return is_sharing or (isinstance(flags, dict) and "version" in tree)


def read_settings(
    flag: Callable[[str], str | None], env: Mapping[str, str], config: object = None
) -> Settings:
    """Put flags, environment and file together; the first that says something counts.

    Args:
        flag: gives a flag of the command line.
        env: the container's variables.
        config: the file's tree, or None where there is no file.
    """
    tree = config if isinstance(config, dict) else {}
    flags = _mapping(tree.get("flags"))
    plugin = _mapping(flags.get("plugin"))

    def setting(name: str, written: object) -> object:
        given = flag(name)
        if given is None:
            given = env.get(name.upper().replace("-", "_"))
        return written if given is None else given

    listed = setting("device-list-strategy", plugin.get("deviceListStrategy"))
    strategies = _strategies(listed)
    sharing = _mapping(tree.get("sharing"))
    return Settings(
        strategies=strategies or (Strategy.ENVVAR,),
        by_index=setting("device-id-strategy", plugin.get("deviceIDStrategy")) == "index",
        mig=str(setting("mig-strategy", flags.get("migStrategy")) or "none"),
        shares=tuple(shares(tree)),
        renames=any(_mapping(each).get("renameByDefault") is True for each in sharing.values()),
        passes_device_nodes=_is_true(setting("pass-device-specs", plugin.get("passDeviceSpecs"))),
        annotation_prefix=str(
            setting("cdi-annotation-prefix", plugin.get("cdiAnnotationPrefix")) or "cdi.k8s.io/"
        ),
        written="" if listed is None else str(listed),
        refused="" if strategies is not None else f"invalid --device-list-strategy: {listed}",
    )


def shares(tree: Mapping[str, Any]) -> Iterator[Share]:
    """List what a configuration shares, each with the path that leads there."""
    for how in ("timeSlicing", "mps"):
        section = _mapping(_mapping(tree.get("sharing")).get(how))
        entries = section.get("resources")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                devices = entry.get("devices")
                replicas = entry.get("replicas")
                yield Share(
                    how=how,
                    resource=str(entry.get("name", "")),
                    replicas=replicas if isinstance(replicas, int) else 0,
                    path=("sharing", how, "resources", index),
                    devices=None if devices == "all" else devices,
                )


def _strategies(listed: object) -> tuple[Strategy, ...] | None:
    """Read a list of strategies; None where one does not exist, which ends the plugin."""
    if listed is None:
        return (Strategy.ENVVAR,)
    words = listed if isinstance(listed, list) else str(listed).split(",")
    known = {str(strategy): strategy for strategy in Strategy}
    found = [known.get(str(word).strip()) for word in words if str(word).strip()]
    if None in found:
        return None
    return tuple(strategy for strategy in found if strategy is not None)


def _mapping(tree: object) -> Mapping[str, Any]:
    return tree if isinstance(tree, dict) else {}


def _is_true(value: object) -> bool:
    """Read a flag as Go's ParseBool does."""
    return value is True or is_true(str(value))
