"""SR-IOV network device plugins in sight: by their containers, and by configuration alone."""

from collections.abc import Iterator, Sequence

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Pod
from podwire.facts.workloads import Stage, view_of
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.sriovdp.config import read_config, without_file
from podwire.wire.joined.command_line import flag
from podwire.wire.joined.images import SRIOV_PLUGIN, Sighting, Versions
from podwire.wire.joined.plugins import Plugin, Reader, Text, read_text
from podwire.wire.joined.sriov_configs import Reading, loose_texts, reading_of

# Default of --resource-prefix: sriov-network-device-plugin 40b6f50 cmd/sriovdp/main.go.
_PREFIX = "intel.com"
_ASSUMES = f"--resource-prefix is {_PREFIX}"
_UNTOLD = Unknown(reason="the version of the device plugin that reads a loose configuration")


class _Run(msgspec.Struct):
    """A workload's container, or a lone pod's, with its pods by node."""

    sighting: Sighting
    pods: dict[str, Pod]


def sriov_plugins(
    facts: Inventory, *, seen: tuple[Sighting, ...], versions: Versions
) -> tuple[Plugin, ...]:
    """Find SR-IOV network device plugins: by their containers, then by configuration alone.

    A configuration that no visible workload mounts belongs to the only plugin whose own is
    not in sight; without such a plugin, to one that is not in sight itself; with several,
    to nobody that podwire can name. Where all plugins are in sight, and what they read, it
    is left over from another time.
    """
    runs = _runs([s for s in seen if s.component == SRIOV_PLUGIN])
    readings = [reading_of(run.sighting, facts) for run in runs]
    loose = _loose(readings, facts)
    without = [index for index, reading in enumerate(readings) if reading.unknown]
    if len(loose) == 1 and len(without) == 1 and _may_read(readings[without[0]], loose[0][1]):
        readings[without.pop()] = Reading(texts=(loose.pop(),))
    plugins = [
        plugin
        for run, reading in zip(runs, readings, strict=True)
        for plugin in _plugins(run, reading, facts=facts, versions=versions)
    ]
    is_one_of_many = len(loose) + len(without) > 1 or bool(runs and not without)
    is_told = len(without) == len(runs) or SRIOV_PLUGIN in facts.assumed_versions
    version = versions(SRIOV_PLUGIN, "") if is_told else _UNTOLD
    alone = (_alone(each, version, is_one_of_many=is_one_of_many) for each in loose)
    return (*plugins, *alone)


def _may_read(reading: Reading, text: Text) -> bool:
    """Whether a configuration can be a plugin's: a pod mounts ConfigMaps of its own namespace."""
    mounted = reading.config_map
    return mounted is None or text.owner.namespace in {"", mounted.namespace}


def _loose(readings: Sequence[Reading], facts: Inventory) -> list[tuple[str, Text]]:
    """List the configurations that nobody in sight reads and that somebody may read."""
    read = {reading.config_map for reading in readings}
    daemons = facts.workloads.get("DaemonSet")
    is_known = bool(readings) and not any(reading.unknown for reading in readings)
    return [
        (node, text)
        for node, text in loose_texts(facts)
        if text.owner not in read
        and not (is_known and daemons and daemons.is_complete(text.owner.namespace))
    ]


def _runs(sightings: Sequence[Sighting]) -> list[_Run]:
    """Put pods under the workload that made them; pods of one unseen owner together."""
    runs: dict[tuple[str, str, str], _Run] = {}
    for sighting in sorted(sightings, key=lambda s: not s.pod.is_template):
        pod = sighting.pod.of
        owner = pod.metadata.controller
        is_made = owner is not None and isinstance(pod, Pod)
        by = (owner.kind, owner.name) if owner and is_made else (pod.kind, pod.metadata.name)
        run = runs.setdefault((sighting.pod.namespace, *by), _Run(sighting=sighting, pods={}))
        if isinstance(pod, Pod) and sighting.node and view_of(pod).stage is not Stage.OVER:
            run.pods[sighting.node] = pod
    return list(runs.values())


def _plugins(
    run: _Run, reading: Reading, *, facts: Inventory, versions: Versions
) -> Iterator[Plugin]:
    """Give the plugin of a workload: one for each node where each has its own file."""
    if reading.unknown is not None:
        yield _plugin(run, reading.unknown, facts=facts, versions=versions)
    for node, text in reading.texts:
        plugin = _plugin(run, Known(value=text), facts=facts, versions=versions)
        yield msgspec.structs.replace(plugin, only_on=node)


def _plugin(run: _Run, text: Answer[Text], *, facts: Inventory, versions: Versions) -> Plugin:
    pod, container = run.sighting.pod, run.sighting.container
    version = run.sighting.version
    if isinstance(version, Unknown) or SRIOV_PLUGIN in facts.assumed_versions:
        version = versions(SRIOV_PLUGIN, "")
    prefix = flag(container, "resource-prefix") or _PREFIX
    is_sure = "$" not in prefix
    plugin = _read(text, version, prefix=prefix if is_sure else _PREFIX)
    return msgspec.structs.replace(
        plugin,
        key=f"{plugin.key} {pod.ref} {container.name}",
        container=container.name,
        workload=pod.ref,
        template=pod,
        pods=run.pods,
        are_pods_listed=facts.pods.is_complete(pod.namespace),
        assumes=() if is_sure else _assumed(plugin),
    )


def _alone(loose: tuple[str, Text], version: Answer[Version], *, is_one_of_many: bool) -> Plugin:
    """Give the plugin that reads a configuration and is not in sight itself."""
    node, text = loose
    plugin = _read(Known(value=text), version, prefix=_PREFIX)
    return msgspec.structs.replace(
        plugin,
        is_one_of_many=is_one_of_many and not node,
        only_on=node,
        assumes=_assumed(plugin),
    )


def _assumed(plugin: Plugin) -> tuple[str, ...]:
    """Take the default of a flag that nobody saw, where an entry depends on it."""
    entries = plugin.config.value.entries if isinstance(plugin.config, Known) else ()
    return (_ASSUMES,) if any("resourcePrefix" not in dict(e.written) for e in entries) else ()


def _read(text: Answer[Text], version: Answer[Version], *, prefix: str) -> Plugin:
    read = _reader(prefix, missing=text.value.missing if isinstance(text, Known) else "")
    return Plugin(
        component=SRIOV_PLUGIN,
        read=read,
        key=str(text.value.place_at(())) if isinstance(text, Known) else "",
        text=text,
        config=read_text(text, read=read, version=version),
        version=version,
    )


def _reader(prefix: str, *, missing: str) -> Reader:
    if not missing:
        return lambda text, version: read_config(text, default_prefix=prefix, version=version)
    return lambda text, version: without_file(
        read_config(text, default_prefix=prefix, version=version)
    )
