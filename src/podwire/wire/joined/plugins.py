"""The device plugins in sight: who runs them, where, and with which configuration.

`SOURCES` lists where pools come from; another way to configure one is one more function.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import ConfigMap, Container, Node, Pod
from podwire.facts.workloads import PodView, Stage, view_of
from podwire.model.evidence import Answer, Document, Known, Origin, Path, Place, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.model.versions import Version
from podwire.peers import scheduler
from podwire.peers.sriovdp.config import read_config
from podwire.peers.sriovdp.records import Config, Entry
from podwire.wire.joined.images import SRIOV_PLUGIN, Sighting

# Defaults of the flags: sriov-network-device-plugin 40b6f50 cmd/sriovdp/main.go.
_CONFIG_FILE = "/etc/pcidp/config.json"
_PREFIX = "intel.com"

_NO_VERSION = Unknown(reason="the version of the device plugin is not in sight")

# The version of a program on a node; any node where the second is empty.
Versions = Callable[[str, str], Answer[Version]]


class Text(msgspec.Struct, frozen=True, gc=False):
    """A configuration as written, and how to name a place in it.

    `owner` holds it: a ConfigMap, or the file itself. `is_applied` says that it was read
    from a cluster; a manifest may not be in force yet.
    """

    text: str
    owner: Ref
    place_at: Callable[[Path], Place]
    is_applied: bool = False


class Plugin(msgspec.Struct, frozen=True):
    """One device plugin: what configures it, its version, and where it runs.

    `text` is Unknown where the plugin is in sight and its configuration is not. `workload`
    is None where it is the other way round. `pods` are its living pods by node; where they
    were not listed, `template` decides the nodes. `is_one_of_many` says that nothing ties a
    configuration to one of several plugins.
    """

    text: Answer[Text]
    config: Answer[Config]
    version: Answer[Version] = _NO_VERSION
    prefix: str = _PREFIX
    container: str = ""
    workload: Ref | None = None
    template: PodView | None = None
    pods: Mapping[str, Pod] = {}
    are_pods_listed: bool = False
    is_one_of_many: bool = False

    @property
    def ref(self) -> Ref:
        """What holds its configuration, else what runs it."""
        if isinstance(self.text, Known):
            return self.text.value.owner
        return self.workload or Ref(kind="DaemonSet", name="?")

    @property
    def is_applied(self) -> bool:
        """Both what runs it and its configuration were read from a cluster, or are not known."""
        text = self.text.value.is_applied if isinstance(self.text, Known) else True
        made = self.template is None or _is_applied(self.template.of.document.origin)
        return text and made

    def runs_on(self, node: Node | None, *, name: str) -> Answer[bool]:
        """Say whether it runs on a node; `node` is None where only its files are in sight."""
        if name in self.pods:
            return Known(value=True, places=(self.pods[name].place("spec", "nodeName"),))
        if self.is_one_of_many:
            return Unknown(
                reason=f"which device plugin reads the configuration in {self.ref}",
                give="kubectl get daemonsets,pods -A -o json",
            )
        if self.template is None:
            sentence = f"a device plugin with the configuration in {self.ref} runs on {name}"
            return Known(value=True, assumes=(sentence,))
        if self.are_pods_listed and self.is_applied:
            return Known(value=False, places=(self.template.place(),))
        if node is None:
            return Unknown(
                reason=f"whether {self.workload} runs on {name}",
                give="kubectl get nodes,pods -A -o json",
                fact=f"the nodes of {self.workload}",
            )
        spec = self.template.spec
        found = scheduler.obstacles(spec, node, also_tolerates=scheduler.daemon_tolerations(spec))
        return Known(value=not found, places=(self.template.place("spec"),))

    def started_at(self, node: str) -> str | None:
        """When its container on a node last started, RFC 3339."""
        pod = self.pods.get(node)
        for status in pod.status.container_statuses if pod else ():
            if status.name == self.container and status.state.running is not None:
                return status.state.running.started_at
        return None


class Pool(msgspec.Struct, frozen=True):
    """One entry of a plugin's configuration."""

    plugin: Plugin
    text: Text
    entry: Entry

    @property
    def ref(self) -> Ref:
        """The pool, as a part of what holds its configuration."""
        return self.text.owner.at(self.entry.name)

    @property
    def resource(self) -> ResourceName | None:
        """The resource it makes; None where its name is not valid."""
        return self.entry.resource

    def place(self, key: str = "") -> Place:
        """Name the entry, or one of its keys by the plugin's spelling."""
        return self.text.place_at(self.entry.at(key) if key else self.entry.path)


def pools_of(plugin: Plugin) -> Iterator[Pool]:
    """List the entries of a configuration that can be read."""
    if isinstance(plugin.text, Known) and isinstance(plugin.config, Known):
        for entry in plugin.config.value.entries:
            yield Pool(plugin=plugin, text=plugin.text.value, entry=entry)


def sriov_plugins(
    facts: Inventory, *, seen: tuple[Sighting, ...], versions: Versions
) -> tuple[Plugin, ...]:
    """Find SR-IOV network device plugins: by their containers, then by configuration alone.

    A configuration that no visible workload mounts belongs to the only plugin whose own is
    not in sight; without such a plugin, to one that is not in sight itself; with several,
    to nobody that podwire can name.
    """
    runs = _runs([s for s in seen if s.component == SRIOV_PLUGIN])
    texts = [_mounted_text(run, facts) for run in runs]
    taken = {text.value.owner for text in texts if isinstance(text, Known)}
    loose = [text for text in _loose_texts(facts) if text.owner not in taken]
    without = [index for index, text in enumerate(texts) if isinstance(text, Unknown)]
    if len(loose) == 1 and len(without) == 1:
        texts[without.pop()] = Known(value=loose.pop())
    plugins = [
        _plugin(run, text, facts=facts, versions=versions)
        for run, text in zip(runs, texts, strict=True)
    ]
    is_one_of_many = len(loose) + len(without) > 1
    for text in loose:
        plugin = _plugin(None, Known(value=text), facts=facts, versions=versions)
        plugins.append(msgspec.structs.replace(plugin, is_one_of_many=is_one_of_many))
    return tuple(plugins)


SOURCES: Sequence[Callable[..., tuple[Plugin, ...]]] = (sriov_plugins,)


class _Run(msgspec.Struct):
    """A workload's container, or a lone pod's, with its pods by node."""

    sighting: Sighting
    pods: dict[str, Pod]


def _runs(sightings: Sequence[Sighting]) -> list[_Run]:
    """Put pods under the workload that made them; pods of one unseen owner together."""
    runs: dict[tuple[str, str, str], _Run] = {}
    for sighting in sorted(sightings, key=lambda s: not s.pod.is_template):
        pod = sighting.pod.of
        owner = next((o for o in pod.metadata.owner_references if o.controller), None)
        is_made = owner is not None and isinstance(pod, Pod)
        by = (owner.kind, owner.name) if owner and is_made else (pod.kind, pod.metadata.name)
        run = runs.setdefault((sighting.pod.namespace, *by), _Run(sighting=sighting, pods={}))
        if isinstance(pod, Pod) and sighting.node and view_of(pod).stage is not Stage.OVER:
            run.pods[sighting.node] = pod
    return list(runs.values())


def _plugin(
    run: _Run | None, text: Answer[Text], *, facts: Inventory, versions: Versions
) -> Plugin:
    container = run.sighting.container if run else None
    prefix = _flag(container, "resource-prefix") or _PREFIX
    version = run.sighting.version if run else versions(SRIOV_PLUGIN, "")
    if isinstance(version, Unknown) or SRIOV_PLUGIN in facts.assumed_versions:
        version = versions(SRIOV_PLUGIN, "")
    config: Answer[Config] = (
        text
        if isinstance(text, Unknown)
        else Known(
            value=read_config(text.value.text, default_prefix=prefix, version=version),
            places=(text.value.place_at(()),),
        )
    )
    if run is None:
        return Plugin(text=text, config=config, version=version, prefix=prefix)
    return Plugin(
        text=text,
        config=config,
        version=version,
        prefix=prefix,
        container=run.sighting.container.name,
        workload=run.sighting.pod.ref,
        template=run.sighting.pod,
        pods=run.pods,
        are_pods_listed=facts.pods.is_complete(run.sighting.pod.namespace),
    )


def _flag(container: Container | None, name: str) -> str | None:
    """Read a Go flag from command and args: `-f v`, `--f v`, `-f=v`, `--f=v`."""
    words = (*container.command, *container.args) if container else ()
    for index, word in enumerate(words):
        flag, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and flag == name:
            if equals:
                return value
            return words[index + 1] if index + 1 < len(words) else None
    return None


def _mounted_text(run: _Run, facts: Inventory) -> Answer[Text]:
    """Follow `--config-file` through the mount and the volume to a ConfigMap's key."""
    container, pod = run.sighting.container, run.sighting.pod
    path = _flag(container, "config-file") or _CONFIG_FILE
    if "$(" in path:
        return Unknown(
            reason=f"{pod.ref} reads one configuration for each node ({path}), "
            "which podwire does not follow yet",
        )
    volumes = {v.name: v for v in pod.spec.volumes}
    for mount in container.volume_mounts:
        folder = mount.mount_path.rstrip("/") + "/"
        source = volumes[mount.name].config_map if mount.name in volumes else None
        if source is None or not (path + "/").startswith(folder):
            continue
        file = path[len(folder) :] or mount.sub_path
        key = next((i.key for i in source.items if i.path == file), None if source.items else file)
        found = facts.config_maps.find(source.name, namespace=pod.namespace)
        if isinstance(found, Unknown):
            return Unknown(
                reason=f"ConfigMap {pod.namespace}/{source.name}, which configures {pod.ref}, "
                "was not given",
                give=f"kubectl get configmap {source.name} -n {pod.namespace} -o json",
            )
        if found.value is not None and key in found.value.data:
            return Known(value=_text_of(found.value, key))
    return Unknown(
        reason=f"the configuration of {pod.ref} ({path}) is in no ConfigMap in sight",
        give=f"kubectl get configmaps -n {pod.namespace} -o json",
    )


def _text_of(config_map: ConfigMap, key: str) -> Text:
    return Text(
        text=config_map.data[key],
        owner=config_map.ref,
        place_at=lambda path: config_map.place("data", key, inner=path),
        is_applied=_is_applied(config_map.document.origin),
    )


def _is_applied(origin: Origin) -> bool:
    return origin is Origin.CLUSTER


def _loose_texts(facts: Inventory) -> Iterator[Text]:
    for config_map in facts.config_maps.items:
        for key, value in config_map.data.items():
            if '"resourcelist"' in value.lower():
                yield _text_of(config_map, key)
    yield from (
        _file_text(plugin_file.file.document, plugin_file.file.text)
        for plugin_file in facts.plugin_files
    )


def _file_text(document: Document, text: str) -> Text:
    return Text(
        text=text,
        owner=Ref(kind="File", name=document.name),
        place_at=lambda path: Place(document=document, path=path),
    )
