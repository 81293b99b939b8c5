"""Device plugins and their pools, whichever program it is: what configures one, where it runs."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from podwire.facts.objects import Node, Pod
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Origin, Path, Place, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.model.versions import Version
from podwire.peers import scheduler
from podwire.peers.sriovdp.records import Config, Entry

_NO_VERSION = Unknown(reason="the version of the device plugin is not in sight")

# Reads a configuration as a version of the program does.
Reader = Callable[[str, Answer[Version]], Config]


class Text(msgspec.Struct, frozen=True, gc=False):
    """A configuration as written, and how to name a place in it.

    `owner` holds it: a ConfigMap, or the file itself. `is_applied` says that it was read
    from a cluster; a manifest may not be in force yet. `missing` names the key that the
    plugin reads, where the owner lacks it and this is what it has instead.
    """

    text: str
    owner: Ref
    place_at: Callable[[Path], Place]
    is_applied: bool = False
    missing: str = ""


class Plugin(msgspec.Struct, frozen=True):
    """One device plugin: what configures it, its version, and where it runs.

    `component` names the program, `read` reads a configuration as it does, `key` tells it
    from every other plugin in sight. `config` is `text` as its own version reads it; both
    are Unknown where the plugin is in sight and its configuration is not. `workload` is None
    where it is the other way round. `pods` are its living pods by node; where they were not
    listed, `template` decides the nodes. `is_one_of_many` says that nothing ties a
    configuration to one of several plugins, `only_on` names the node whose file this is
    (empty: any), `assumes` what is taken for granted where nobody saw the command line.
    """

    component: str
    read: Reader
    key: str
    text: Answer[Text]
    config: Answer[Config]
    version: Answer[Version] = _NO_VERSION
    container: str = ""
    workload: Ref | None = None
    template: PodView | None = None
    pods: Mapping[str, Pod] = {}
    are_pods_listed: bool = False
    is_one_of_many: bool = False
    only_on: str = ""
    assumes: tuple[str, ...] = ()

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
        made = self.template is None or is_applied(self.template.of.document.origin)
        return text and made

    def config_as(self, version: Answer[Version]) -> Answer[Config]:
        """Read the configuration as a version does: that on one node may be another."""
        return read_text(self.text, read=self.read, version=version)

    def is_for(self, node: str) -> bool:
        """Whether its configuration is for a node, should it run there."""
        return self.only_on in {"", node}

    def runs_on(self, node: Node | None, *, name: str) -> Answer[bool]:
        """Say whether it runs on a node; `node` is None where only its files are in sight."""
        if not self.is_for(name):
            return Known(value=False)
        return self._runs_on(node, name)

    def _runs_on(self, node: Node | None, name: str) -> Answer[bool]:
        if name in self.pods:
            return Known(value=True, places=(self.pods[name].place("spec", "nodeName"),))
        if self.is_one_of_many:
            return Unknown(
                reason=f"which device plugin reads the configuration in {self.ref}",
                give="kubectl get daemonsets,pods -A -o json",
            )
        if self.template is None:
            sentence = f"a device plugin with the configuration in {self.ref} runs on {name}"
            return Known(value=True, assumes=(sentence, *self.assumes))
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


def read_text(text: Answer[Text], *, read: Reader, version: Answer[Version]) -> Answer[Config]:
    """Read a configuration, where it is in sight."""
    if isinstance(text, Unknown):
        return text
    config = read(text.value.text, version)
    return Known(value=config, places=(text.value.place_at(()),))


def is_applied(origin: Origin) -> bool:
    """Whether an object was read from a cluster: a manifest may not be in force yet."""
    return origin is Origin.CLUSTER


class Pool(msgspec.Struct, frozen=True):
    """One entry of a plugin's configuration."""

    plugin: Plugin
    text: Text
    entry: Entry

    @property
    def ref(self) -> Ref:
        """The pool, as a part of what holds its configuration."""
        return self.text.owner.at(f"{self.plugin.only_on} {self.entry.name}".lstrip())

    @property
    def has_assumed_prefix(self) -> bool:
        """It has no prefix of its own, and nobody saw what the plugin is started with."""
        return bool(self.plugin.assumes) and "resourcePrefix" not in dict(self.entry.written)

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
