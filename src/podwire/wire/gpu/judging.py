"""What comes of a container that is given GPUs on a node, step by step along the wire."""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.node import Card, PodDevices
from podwire.model.evidence import Answer, Known, Unknown, derived
from podwire.model.names import ResourceName
from podwire.peers import hami
from podwire.peers.cdi import TOOLKIT
from podwire.peers.nvidia_plugin import Handed, Settings, allocated
from podwire.peers.nvidia_toolkit import Outcome, Program
from podwire.peers.runtime_config import CRI_O, Cdi, Handler, RuntimeConfig
from podwire.wire.gpu.asked import ANNOTATION, NOTHING, asked_by
from podwire.wire.gpu.node_gpus import NodeGpus
from podwire.wire.gpu.registrants import Program as Whose
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.uses import GpuUse, Way

PROGRAMS: Mapping[str, Program] = {
    "": Program.CONFIGURED,
    "cdi": Program.FORCED_CDI,
    "legacy": Program.FORCED_LEGACY,
}


def way_of(use: GpuUse, node: NodeGpus, *, facts: Inventory) -> Answer[Way]:
    """Follow a container's GPUs on one node, for every GPU that it may be given."""
    runtime = node.runtime
    if isinstance(runtime, Unknown):
        return runtime
    handler = handler_of(use, runtime.value, facts=facts)
    if isinstance(handler, Unknown):
        return handler
    handed = handed_to(use, node)
    if isinstance(handed, Unknown):
        return handed
    ways = []
    for each in handed.value:
        way = _Step(use, node, runtime.value, handler.value, facts).way(each)
        if isinstance(way, Unknown):
            return way
        ways.append(way.value)
    first = msgspec.structs.replace(
        ways[0],
        plugin=use.plugin,
        is_example=len(ways) > 1,
        assumes=tuple(dict.fromkeys((*runtime.assumes, *handler.assumes, *ways[0].assumes))),
        places=handler.places,
    )
    if any(way.fault != first.fault for way in ways):
        return Unknown(
            reason=f"which GPU {use.full_name} has on {node.name}",
            give="nodes/<node>/podresources-list.json in a bundle",
            fact="which GPUs a container has",
        )
    return Known(value=first)


def handler_of(use: GpuUse, runtime: RuntimeConfig, *, facts: Inventory) -> Answer[Handler]:
    """Say what starts a pod's containers: by its RuntimeClass, or the default."""
    named = use.pod.spec.runtime_class_name
    name = ""
    if named:
        found = facts.runtime_classes.find(named)
        if isinstance(found, Unknown):
            return found
        if found.value is None:
            return Unknown(reason=f"RuntimeClass {named}, which does not exist")
        name = found.value.handler
    handler = runtime.handler(name)
    if handler is None:
        return Unknown(
            reason=f"what the handler {name or runtime.default_name} of {runtime.runtime} on "
            f"{use.node} is",
            give="nodes/<node>/etc/containerd/config.toml in a bundle",
            fact="the handler of a container runtime",
        )
    places = (handler.place,) if handler.place else ()
    return Known(value=handler, places=places)


def handed_to(use: GpuUse, node: NodeGpus) -> Answer[tuple[Handed, ...]]:
    """Give what the plugin answers: for the GPUs that the container has, else for each it may get.

    A container that asks for itself is handed nothing.
    """
    if use.plugin is None or use.resource is None:
        return Known(value=(NOTHING,))
    settings = use.plugin.settings
    if isinstance(settings, Unknown):
        return settings
    ids = ids_of(use, node)
    if isinstance(ids, Unknown):
        return ids
    known = settings.value
    return derived(ids, lambda found: tuple(allocated(known, each) for each in found))


def ids_of(use: GpuUse, node: NodeGpus) -> Answer[tuple[tuple[str, ...], ...]]:
    """Give the sets of devices that the container may have; one set where that is known."""
    own = _chosen(use) or tuple(_held(use, node))
    if own:
        return Known(value=(own,))
    cards = node.cards
    if isinstance(cards, Unknown):
        return cards
    settings = use.plugin.settings if use.plugin else None
    found = settings.value if isinstance(settings, Known) else Settings()
    every = tuple(names_of(_visible(cards.value, use.plugin), use.resource, found))
    if not every:
        return Unknown(
            reason=f"which devices of {use.resource} {node.name} has",
            give="nvidia-smi -L",
            fact="the list of GPUs of a node",
        )
    return Known(value=tuple((each,) for each in every), places=cards.places)


def _chosen(use: GpuUse) -> tuple[str, ...]:
    """Read HAMi's choice for the container; its list has init containers first, or not at all."""
    if use.plugin is None or use.plugin.program is not Whose.HAMI:
        return ()
    chosen = hami.chosen(use.pod.metadata.annotations)
    if chosen is None:
        return ()
    main = [c.name for c in use.pod.spec.containers]
    every = [*(c.name for c in use.pod.spec.init_containers), *main]
    names = main if len(chosen) == len(main) else every
    by_name = dict(zip(names, chosen, strict=False))
    return by_name.get(use.view.container.name, ())


def _held(use: GpuUse, node: NodeGpus) -> Iterator[str]:
    """Read kubelet's list of what the container holds."""
    held = node.files.held if node.files else None
    pods: tuple[PodDevices, ...] = held.value if isinstance(held, Known) else ()
    for pod in pods:
        if (pod.namespace, pod.name) != (use.pod.namespace, use.pod.metadata.name):
            continue
        for container in pod.containers:
            if container.name == use.view.container.name:
                for device in container.devices:
                    if device.resource_name == str(use.resource):
                        yield from device.ids


def _visible(cards: tuple[Card, ...], plugin: Registrant | None) -> tuple[Card, ...]:
    """Leave out GPUs that an unprivileged plugin is not given; other names than theirs say less."""
    wanted = plugin.own_list if plugin is not None and not plugin.is_privileged else None
    named = set(wanted.devices) if wanted is not None else set()
    return tuple(c for c in cards if named & {str(c.index), str(c.uuid)}) or cards


def names_of(
    cards: tuple[Card, ...], resource: ResourceName | None, settings: Settings
) -> Iterator[str]:
    """Name what a resource may stand for on a node as the plugin names it.

    A GPU in parts is offered whole by strategy none alone, its parts by their profiles or, by
    strategy single, as GPUs (k8s-device-plugin v0.20.0 internal/rm/device_map.go).
    """
    name = resource.name if resource is not None else ""
    is_whole = not name.startswith("mig-")
    is_single = is_whole and settings.mig == "single"
    for card in cards:
        if is_whole and (not card.migs or settings.mig == "none"):
            yield str(card.index) if settings.by_index else str(card.uuid)
        for number, mig in enumerate(card.migs):
            profile = f"mig-{mig.profile.replace('+', '.')}"
            if is_single or name in {profile, f"{profile}.shared"}:
                yield f"{card.index}:{number}" if settings.by_index else str(mig.uuid)


class _Step(msgspec.Struct, frozen=True):
    """The last steps: what the container runtime and NVIDIA's make of what is handed over."""

    use: GpuUse
    node: NodeGpus
    runtime: RuntimeConfig
    handler: Handler
    facts: Inventory

    def way(self, handed: Handed) -> Answer[Way]:
        start = Way(node=self.node.name, handler=self.handler, handed=handed)
        names = handed.named or handed.annotated
        if names:
            cdi = self.runtime.cdi
            if isinstance(cdi, Unknown):
                return cdi
            way = self._by_runtime(start, names, cdi.value)
            if isinstance(way, Unknown) or way.value.says:
                return way
            start = way.value
        if self.handler.is_nvidia:
            return self._by_nvidia(start)
        if self.runtime.runtime == CRI_O and start.has_unread_variable:
            return Unknown(
                reason=f"whether an OCI hook of CRI-O on {self.node.name} reads the variable",
                give="ls /usr/share/containers/oci/hooks.d /etc/containers/oci/hooks.d",
                fact="the OCI hooks of CRI-O",
            )
        return Known(value=start)

    def _by_runtime(self, way: Way, names: tuple[str, ...], cdi: Cdi) -> Answer[Way]:
        """Let containerd or CRI-O look CDI names up, where that is on."""
        if not cdi.is_on:
            refusal = cdi.refusal(names) if way.handed.named else ""
            is_passed = not way.handed.named and self._passes_annotation
            unread = () if refusal or is_passed else names
            return Known(value=msgspec.structs.replace(way, says=refusal, unread=unread))
        specs = self.node.registry(self.runtime.runtime, cdi.spec_dirs)
        if isinstance(specs, Unknown):
            return specs
        found = specs.value.resolve(names)
        whole = found.whole
        if isinstance(whole, Unknown):
            return whole
        return Known(
            value=msgspec.structs.replace(
                way,
                unresolved=found.unresolved,
                offered=_offered(found.unresolved, specs.value.kinds),
                says=f"CDI device injection failed: {found.sentence}" if found.sentence else "",
                assumes=whole.assumes if found.unresolved else (),
            )
        )

    @property
    def _passes_annotation(self) -> bool:
        return self.handler.is_nvidia and self.handler.passes_of_container(ANNOTATION)

    def _by_nvidia(self, way: Way) -> Answer[Way]:
        """Let NVIDIA's runtime change the container."""
        config = self.node.toolkit
        if isinstance(config, Unknown):
            return config
        handed = way.handed
        if handed.annotated and not self._passes_annotation:
            handed = msgspec.structs.replace(handed, annotated=())
        asked = asked_by(
            self.use.pod,
            self.use.view,
            facts=self.facts,
            image_env=self.node.images(self.use.view.container.image),
            handed=handed,
        )
        if asked.gap is not None:
            return asked.gap
        program = PROGRAMS[self.handler.forced_mode]
        found = self.node.outcome(asked.request, config.value, program=program)
        if isinstance(found, Unknown):
            return found
        assumes = (*config.assumes, *asked.assumes)
        return self._told(way, found.value, config.value.spec_dirs, assumes)

    def _told(
        self, way: Way, found: Outcome, spec_dirs: tuple[str, ...], assumes: tuple[str, ...]
    ) -> Answer[Way]:
        if isinstance(found.says, Unknown):
            return found.says
        unresolved = found.cdi.unresolved if found.cdi else ()
        whole = found.cdi.whole if found.cdi and unresolved else None
        specs = self.node.registry(TOOLKIT, spec_dirs)
        kinds = specs.value.kinds if isinstance(specs, Known) else {}
        return Known(
            value=msgspec.structs.replace(
                way,
                outcome=found,
                unresolved=unresolved,
                offered=_offered(unresolved, kinds),
                says=found.says.value,
                assumes=(
                    *assumes,
                    *(whole.assumes if isinstance(whole, Known) else ()),
                ),
            )
        )


def _offered(unresolved: tuple[str, ...], kinds: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Name what the node has of the kinds that were asked for."""
    asked = dict.fromkeys(name.partition("=")[0] for name in unresolved)
    return tuple(name for kind in asked for name in kinds.get(kind, ()))
