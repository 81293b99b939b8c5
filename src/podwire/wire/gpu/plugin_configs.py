"""What a device plugin is told: configurations in ConfigMaps, and lists of GPUs."""

import re
from collections.abc import Iterator

import msgspec

from podwire.documents import yaml
from podwire.facts.inventory import Inventory
from podwire.facts.objects import ConfigMap, Container
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Path, Place, Unknown
from podwire.model.names import Ref
from podwire.peers import hami
from podwire.peers.nvidia_plugin import is_config
from podwire.wire.joined.command_line import flag
from podwire.wire.joined.gpu_sight import CONFIG_MARKS

# Where config-manager finds the files of which it copies one: the chart and the operator.
_AVAILABLE = "/available-configs"

_NO_LIST = frozenset({"", "all", "none", "void"})
_NUMBER = re.compile(r"\d+(?::\d+)?")  # 0, or 0:1 for a MIG device


class GpuList(msgspec.Struct, frozen=True):
    """GPUs that somebody listed for a plugin, in NVIDIA_VISIBLE_DEVICES; `owner` is who."""

    text: str
    devices: tuple[str, ...]
    place: Place
    owner: Ref

    @classmethod
    def of(cls, text: str, *, place: Place, owner: Ref) -> "GpuList | None":
        """Read it; None where it is no list but a word for all or none."""
        devices = tuple(word.strip() for word in text.split(",") if word.strip())
        if not devices or not _NO_LIST.isdisjoint(devices):
            return None
        return cls(text=text, devices=devices, place=place, owner=owner)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those that are numbers, whose card may change."""
        return tuple(d for d in self.devices if _NUMBER.fullmatch(d))


class ConfigText(msgspec.Struct, frozen=True):
    """One configuration: its tree, and where each value of it stands."""

    config_map: ConfigMap
    key: str
    tree: object

    @property
    def ref(self) -> Ref:
        """The key, as a part of the ConfigMap."""
        return self.config_map.ref.at(self.key)

    def place(self, *path: str | int) -> Place:
        """Name a value in it."""
        inner: Path | None = path or None
        return self.config_map.place("data", self.key, inner=inner)


def config_texts(facts: Inventory) -> Iterator[ConfigText]:
    """Find configurations by what is in them: people call the key any, default or by a card."""
    for config_map in facts.config_maps.items:
        for key, text in config_map.data.items():
            tree = _tree(text) if any(mark in text for mark in CONFIG_MARKS) else None
            if is_config(tree):
                yield ConfigText(config_map=config_map, key=key, tree=tree)


def config_of(pod: PodView, container: Container, facts: Inventory) -> Answer[object]:
    """Read the file that a plugin is started with; Known(None): it is started without one.

    With config-manager beside it the node's label picks one of several: Unknown, unless
    there is one only.
    """
    env = {v.name: v.value for v in container.env if v.value_from is None}
    path = flag(container, "config-file") or env.get("CONFIG_FILE", "")
    every = (*pod.spec.containers, *pod.spec.init_containers)
    mounts = {m.mount_path.rstrip("/"): m.name for c in every for m in c.volume_mounts}
    folder = path.rpartition("/")[0]
    if not path and _AVAILABLE not in mounts:
        return Known(value=None)
    maps = {v.name: v.config_map.name for v in pod.spec.volumes if v.config_map is not None}
    volume = mounts.get(path.rstrip("/")) or mounts.get(folder)
    name = maps.get(volume or "") or maps.get(mounts.get(_AVAILABLE, ""))
    found = facts.config_maps.by_name.get((pod.namespace, name)) if name else None
    texts = tuple(found.data.items()) if found else ()
    if found is not None and len(texts) == 1:
        key, text = texts[0]
        return Known(value=_tree(text), places=(found.place("data", key),))
    return Unknown(
        reason=f"which configuration {pod} reads",
        give="kubectl get configmaps,nodes -A -o json",
        fact="the configuration of NVIDIA's device plugin",
    )


def _tree(text: str) -> object:
    loaded = next(iter(yaml.load(text)), None)
    return None if loaded is None else loaded.value


def hami_setup(facts: Inventory, *, force: str | None) -> Known[hami.Setup]:
    """Read how HAMi is set up; where its device configuration is not in sight that is assumed."""
    for config_map in facts.config_maps.items:
        text = config_map.data.get(hami.CONFIG_KEY)
        if text is not None:
            setup = hami.read_setup(_tree(text), force)
            return Known(value=setup, places=(config_map.place("data", hami.CONFIG_KEY),))
    return Known(value=hami.read_setup(None, force), assumes=(hami.DEFAULT_NAMES,))
