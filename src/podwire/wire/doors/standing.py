"""Which changes are made already: what they would set is so on every node in sight."""

from podwire.model.evidence import Known
from podwire.peers.nvidia_toolkit import ToolkitConfig
from podwire.wire.doors.changes import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    DEFAULT_KIND,
    DEFAULT_RUNTIME,
    MODE,
    STRATEGY,
    Change,
)
from podwire.wire.doors.doors import Doors
from podwire.wire.gpu.node_gpus import NodeGpus


def is_made(change: Change, doors: Doors) -> bool:
    """Tell whether a change changes nothing; what is not known of one node is not so."""
    gpus = doors.gpus
    if change.key == STRATEGY:
        every = [plugin.settings for plugin in gpus.plugins.registrants]
        return bool(every) and all(
            isinstance(each, Known) and each.value.strategies == change.strategies for each in every
        )
    nodes = [gpus.node(name) for name in gpus.plugins.node_names]
    told = [n for n in nodes if n.name in doors.names or isinstance(n.toolkit, Known)]
    return bool(told) and all(_is_so(change, node) for node in told)


def _is_so(change: Change, node: NodeGpus) -> bool:
    if change.key == DEFAULT_RUNTIME:
        runtime = node.runtime
        return isinstance(runtime, Known) and runtime.value.default_name == change.value
    config = node.toolkit
    return isinstance(config, Known) and not config.value.fault and _is_set(change, config.value)


def _is_set(change: Change, config: ToolkitConfig) -> bool:
    if change.key == ACCEPT_VARIABLE:
        return config.accept_variable == change.flag
    if change.key == ACCEPT_MOUNTS:
        return config.accept_mounts == change.flag
    found = {MODE: config.mode, DEFAULT_KIND: config.default_kind}
    return found.get(change.key) == change.value
