"""The configurations of SR-IOV network device plugins: those that containers read, and others."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import ConfigMap, ConfigMapSource, VolumeMount
from podwire.facts.workloads import PodView
from podwire.model.evidence import Document, Place, Unknown
from podwire.model.names import Ref
from podwire.peers.go_json import NotJson, Object, parse
from podwire.wire.joined.command_line import flag
from podwire.wire.joined.images import SRIOV_PLUGIN, Sighting
from podwire.wire.joined.plugins import Text, is_applied

# Default of the flag: sriov-network-device-plugin 40b6f50 cmd/sriovdp/main.go.
_CONFIG_FILE = "/etc/pcidp/config.json"
_LIST = "resourcelist"
_OPERATORS = "device-plugin-config"  # sriov-network-operator v1.6.0: a key for each node
# What people call a configuration that podwire would not know by what is in it.
_NAMED = re.compile(r"sriov|device-?plugin|pcidp", re.IGNORECASE)


class Reading(msgspec.Struct, frozen=True):
    """What one container reads: `texts` by the node they are for, empty for every node.

    `config_map` is what holds them, where its name is known; `unknown` says why there are
    none.
    """

    texts: tuple[tuple[str, Text], ...] = ()
    config_map: Ref | None = None
    unknown: Unknown | None = None


def reading_of(sighting: Sighting, facts: Inventory) -> Reading:
    """Follow `--config-file` through the mount and the volume to a ConfigMap's key."""
    container, pod = sighting.container, sighting.pod
    path = flag(container, "config-file") or _CONFIG_FILE
    volumes = {v.name: v.config_map for v in pod.spec.volumes}
    for mount in sorted(container.volume_mounts, key=lambda mount: -len(mount.mount_path)):
        source = volumes.get(mount.name)
        if source is not None and (path + "/").startswith(mount.mount_path.rstrip("/") + "/"):
            return _of_volume(source, path, mount=mount, pod=pod, facts=facts)
    return Reading(
        unknown=Unknown(
            reason=f"the configuration of {pod} ({path}) is in no ConfigMap in sight",
            give=f"kubectl get configmaps -n {pod.namespace} -o json",
        )
    )


def _of_volume(
    source: ConfigMapSource, path: str, *, mount: VolumeMount, pod: PodView, facts: Inventory
) -> Reading:
    ref = Ref(kind="ConfigMap", name=source.name, namespace=pod.namespace)
    found = facts.config_maps.find(source.name, namespace=pod.namespace)
    file = path[len(mount.mount_path.rstrip("/")) + 1 :] or mount.sub_path
    if isinstance(found, Unknown) or found.value is None or not file:
        return Reading(
            config_map=ref,
            unknown=Unknown(
                reason=f"{ref}, which configures {pod}, is not in sight",
                give=f"kubectl get configmap {source.name} -n {pod.namespace} -o json",
            ),
        )
    keys = {item.path: item.key for item in source.items} or {k: k for k in found.value.data}
    if "$(" in file:
        return _by_node(found.value, file, keys=keys, pod=pod)
    key = keys.get(file, file)
    if key in found.value.data:
        return Reading(texts=(("", text_of(found.value, key)),), config_map=ref)
    return Reading(texts=(("", _without(found.value, key)),), config_map=ref)


def _by_node(config_map: ConfigMap, file: str, *, keys: dict[str, str], pod: PodView) -> Reading:
    """Give each node its file: sriov-network-operator v1.6.0 writes one for each."""
    before, after = re.split(r"\$\(\w+\)", file, maxsplit=1)
    pattern = re.compile(f"{re.escape(before)}(?P<node>.+){re.escape(after)}")
    found = ((pattern.fullmatch(name), key) for name, key in keys.items())
    texts = tuple(
        (match["node"], text_of(config_map, key))
        for match, key in found
        if match and key in config_map.data
    )
    missing = Unknown(reason=f"{config_map.ref} has no file of the form {file} for {pod}")
    return Reading(texts=texts, config_map=config_map.ref, unknown=None if texts else missing)


def _without(config_map: ConfigMap, key: str) -> Text:
    """Show a ConfigMap that lacks the key which is read, by the configuration that it has."""
    beside = [k for k, text in config_map.data.items() if is_config(text, named=k)]
    text = text_of(config_map, beside[0] if len(beside) == 1 else key)
    return msgspec.structs.replace(text, missing=key)


def text_of(config_map: ConfigMap, key: str) -> Text:
    """Give the text under a key."""
    path = ("data", key) if key in config_map.data else ("data",)
    return Text(
        text=config_map.data.get(key, ""),
        owner=config_map.ref,
        place_at=lambda inner: config_map.place(*path, inner=inner if len(path) > 1 else None),
        is_applied=is_applied(config_map.document.origin),
    )


def is_config(text: str, *, named: str) -> bool:
    """Tell a configuration by its list of resources; where it cannot be read, by its name too."""
    if _LIST not in text.lower():
        return False
    try:
        top = parse(text)
    except NotJson:
        return text.lstrip().startswith("{") and bool(_NAMED.search(named))
    if not isinstance(top, Object):
        return False
    values = [value for key, value in top.members if key.casefold() == _LIST]
    return bool(values) and (isinstance(values[-1], list) or bool(_NAMED.search(named)))


def config_keys(config_map: ConfigMap) -> Iterator[str]:
    """Give the keys of a ConfigMap that hold a configuration."""
    for key, text in config_map.data.items():
        if is_config(text, named=f"{config_map.metadata.name} {key}"):
            yield key


def loose_texts(facts: Inventory) -> Iterator[tuple[str, Text]]:
    """List every configuration in sight, whoever reads it, by the node that it is for."""
    for config_map in facts.config_maps.items:
        is_by_node = config_map.metadata.name == _OPERATORS
        for key in config_keys(config_map):
            node = key if is_by_node and not key.endswith(".json") else ""
            yield node, text_of(config_map, key)
    for plugin_file in facts.plugin_files:
        yield "", _file_text(plugin_file.file.document, plugin_file.file.text)


def _file_text(document: Document, text: str) -> Text:
    return Text(
        text=text,
        owner=Ref(kind="File", name=document.name),
        place_at=lambda path: Place(document=document, path=path),
    )


def unnamed_plugins(
    views: Iterable[PodView], *, facts: Inventory, named: Iterable[Sighting]
) -> Iterator[Sighting]:
    """Recognise a plugin whose image has a name of its own by the configuration that it mounts."""
    held = {
        (config_map.metadata.namespace, config_map.metadata.name)
        for config_map in facts.config_maps.items
        if any(config_keys(config_map))
    }
    known = {(s.pod.of.ref, s.component) for s in named}
    for view in views if held else ():
        mounted = {(view.namespace, v.config_map.name) for v in view.spec.volumes if v.config_map}
        if view.of.kind not in {"DaemonSet", "Pod"} or mounted.isdisjoint(held):
            continue
        if (view.of.ref, SRIOV_PLUGIN) not in known:
            yield from (s for s in _sightings(view) if _reads_any(reading_of(s, facts)))


def _reads_any(reading: Reading) -> bool:
    return any(not text.missing for _, text in reading.texts)


def _sightings(view: PodView) -> Iterator[Sighting]:
    for each in view.containers():
        yield Sighting(
            component=SRIOV_PLUGIN,
            pod=view,
            container=each.container,
            node=view.spec.node_name,
            place=view.place(*each.path, "image"),
            is_named=False,
        )
