"""The GPU wire as it would be after some changes; the facts themselves stay as they are."""

import json
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec.structs import replace

from podwire.facts.inventory import Inventory, Objects
from podwire.facts.node import Card, NodeFiles, TextFile
from podwire.facts.objects import Node
from podwire.model.evidence import Answer, Document, Known, Origin, derived
from podwire.model.versions import Version
from podwire.peers.nvidia_plugin import KIND
from podwire.peers.nvidia_toolkit import ToolkitConfig
from podwire.peers.runtime_config import RuntimeConfig
from podwire.wire.doors.changes import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    DEFAULT_KIND,
    DEFAULT_RUNTIME,
    DROP,
    MANAGEMENT,
    MODE,
    OPERATOR,
    STRATEGY,
    Change,
)
from podwire.wire.gpu.as_set_up import AsSetUp
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.node_gpus import NodeGpus
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.serving import Plugins
from podwire.wire.joined.images import NVIDIA_TOOLKIT
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.pod_index import PodIndex
from podwire.wire.joined.program_index import ProgramIndex


class Changed(Gpus):
    """What `Gpus` is, with some settings replaced."""

    def __init__(
        self,
        facts: Inventory,
        changes: Iterable[Change],
        *,
        pods: PodIndex,
        programs: ProgramIndex,
        nodes: NodeIndex,
    ) -> None:
        self._changes = tuple(changes)
        changed = _without_classes(facts, {c.value for c in self._changes if c.key == DROP})
        super().__init__(changed, pods=pods, programs=programs, nodes=nodes)
        self.plugins = _Plugins(changed, self._changes, programs=programs, nodes=nodes)

    def node(self, name: str) -> NodeGpus:
        """Give a node with its changed settings."""
        if name not in self._node_gpus:
            self._node_gpus[name] = _Node(
                name,
                self._changes,
                node=self._nodes.node(name),
                files=self._with_specs(name),
                toolkit_version=self.plugins.version(NVIDIA_TOOLKIT, name),
                as_set_up=self.set_up_of(name),
            )
        return self._node_gpus[name]

    def _with_specs(self, name: str) -> NodeFiles | None:
        """Add the specs that the plugin and the operator's toolkit write after the changes."""
        files = self._nodes.files(name)
        if files is None or not isinstance(files.cards, Known):
            return files
        before = Gpus.node(self, name).specs_of_runtime
        del self._node_gpus[name]
        kinds = before.kinds if before is not None else {}
        wanted = dict(self._written(name, files.cards.value))
        new = {kind: names for kind, names in wanted.items() if kind not in kinds}
        added = {f"var/run/cdi/after-{n}.json": _spec(*each) for n, each in enumerate(new.items())}
        texts = {path: _file(path, text, of=name) for path, text in added.items()}
        return replace(files, files={**files.files, **texts}) if texts else files

    def _written(self, name: str, cards: tuple[Card, ...]) -> Iterator[tuple[str, list[str]]]:
        here = self.plugins.by_node.get(name, ())
        every = [at.plugin.settings for at in here]
        if any(s.is_cdi for e in every if isinstance(e, Known) for s in e.value.strategies):
            names = [text for card in cards for text in (str(card.uuid), str(card.index))]
            yield KIND, names + [str(mig.uuid) for card in cards for mig in card.migs]
        if any(c.key == DEFAULT_KIND and c.of == OPERATOR for c in self._changes):
            yield MANAGEMENT, ["all"]


def _spec(kind: str, names: list[str]) -> str:
    edits = {"deviceNodes": [{"path": "/dev/nvidiactl"}]}
    devices = [{"name": name, "containerEdits": edits} for name in names]
    return json.dumps({"cdiVersion": "0.5.0", "kind": kind, "devices": devices})


def _file(path: str, text: str, *, of: str) -> TextFile:
    return TextFile(document=Document(name=path, origin=Origin.NODE, owner=of), text=text)


def _without_classes(facts: Inventory, dropped: set[str]) -> Inventory:
    old = facts.runtime_classes
    if not dropped:
        return facts
    kept = Objects.of(
        old.kind,
        (each for each in old.items if each.metadata.name not in dropped),
        plural=old.plural,
        is_whole=True,
        lists=old.lists,
    )
    return replace(facts, runtime_classes=kept)


class _Plugins(Plugins):
    """The device plugins with another strategy."""

    def __init__(
        self,
        facts: Inventory,
        changes: tuple[Change, ...],
        *,
        programs: ProgramIndex,
        nodes: NodeIndex,
    ) -> None:
        super().__init__(facts, programs=programs, nodes=nodes)
        self._strategy = next((c for c in reversed(changes) if c.key == STRATEGY), None)

    @cached_property
    def registrants(self) -> tuple[Registrant, ...]:
        """Every device plugin, as it would be."""
        before = Plugins(self.facts, programs=self._programs, nodes=self._nodes).registrants
        return tuple(map(self._changed, before))

    def _changed(self, plugin: Registrant) -> Registrant:
        change = self._strategy
        if change is None or (change.of and change.of != plugin.program.name):
            return plugin
        settings = derived(
            plugin.settings,
            lambda old: replace(old, strategies=change.strategies, written=change.value),
        )
        return replace(plugin, settings=settings)


class _Node(NodeGpus):
    """A node with another configuration of the toolkit and of the container runtime."""

    def __init__(
        self,
        name: str,
        changes: tuple[Change, ...],
        *,
        node: Node | None,
        files: NodeFiles | None,
        toolkit_version: Answer[Version],
        as_set_up: AsSetUp | None,
    ) -> None:
        super().__init__(
            name, node=node, files=files, toolkit_version=toolkit_version, as_set_up=as_set_up
        )
        self._changes = changes
        self._before = NodeGpus(
            name, node=node, files=files, toolkit_version=toolkit_version, as_set_up=as_set_up
        )

    @cached_property
    def toolkit(self) -> Answer[ToolkitConfig]:
        """The configuration of NVIDIA's runtime, changed."""
        before = self._before.toolkit
        return derived(before, lambda config: _configured(config, self._changes))

    @cached_property
    def runtime(self) -> Answer[RuntimeConfig]:
        """What starts containers, changed."""
        before = self._before.runtime
        name = next((c.value for c in reversed(self._changes) if c.key == DEFAULT_RUNTIME), None)
        return before if name is None else derived(before, lambda c: replace(c, default_name=name))


def _configured(config: ToolkitConfig, changes: tuple[Change, ...]) -> ToolkitConfig:
    for change in changes:
        if change.key == ACCEPT_VARIABLE:
            config = replace(config, accept_variable=change.flag)
        elif change.key == ACCEPT_MOUNTS:
            config = replace(config, accept_mounts=change.flag)
        elif change.key == MODE:
            written = {**config.written, "mode": ("nvidia-container-runtime", "mode")}
            config = replace(config, mode=change.value, written=written)
        elif change.key == DEFAULT_KIND:
            config = replace(config, default_kind=change.value)
    return config
