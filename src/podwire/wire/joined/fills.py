"""How the device plugins fill their pools on one node."""

import msgspec

from podwire.facts.node import Function, NodeFiles
from podwire.facts.objects import Node
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.sriovdp.config import read_config
from podwire.peers.sriovdp.fates import Filled
from podwire.peers.sriovdp.fill import fill
from podwire.peers.sriovdp.records import Config
from podwire.peers.sriovdp.start import MODE_UNKNOWN
from podwire.wire.joined.holders import Holder, at_home, away_at
from podwire.wire.joined.plugins import Plugin


class Machine(msgspec.Struct, frozen=True):
    """One node as a device plugin meets it; `node` and `files` are None where not in sight.

    `version` is the plugin's there, `holders` are the pods that hold functions now.
    """

    name: str
    node: Node | None
    files: NodeFiles | None
    version: Answer[Version]
    holders: tuple[Holder, ...]


def fill_on(machine: Machine, *, plugin: Plugin, as_started: bool) -> Answer[Filled | None]:
    """Say how a plugin fills its pools on a node; None: it does not run there.

    `as_started`: as its container found the node when it started; else with every VF on
    the host, as if no pod held one.
    """
    runs = plugin.runs_on(machine.node, name=machine.name)
    if isinstance(runs, Unknown):
        return runs
    if not runs.value:
        return Known(value=None, places=runs.places, assumes=runs.assumes)
    functions, routes = _functions(machine), _routes(machine)
    if isinstance(functions, Unknown):
        return functions  # Before reading anything for each of many nodes.
    config = _config(plugin, machine.version)
    for answer in (config, routes):
        if isinstance(answer, Unknown):
            return answer
    found = functions.need()
    away: Answer[frozenset[PciAddress]] = Known(value=frozenset())
    if as_started:
        away = away_at(plugin.started_at(machine.name), holders=machine.holders)
    if isinstance(away, Unknown):
        return away
    present = found.value if as_started else at_home(found.value, holders=machine.holders)
    filled = fill(
        config.need().value,
        functions=present,
        default_routes=routes.need().value,
        away=away.value,
        version=machine.version,
        rdma_mode=machine.files.rdma_mode if machine.files else MODE_UNKNOWN,
    )
    assumes = (*runs.assumes, *routes.need().assumes)
    return Known(value=filled, places=found.places, assumes=assumes)


def _functions(machine: Machine) -> Answer[tuple[Function, ...]]:
    if machine.files is not None:
        return machine.files.functions
    return Unknown(
        reason=f"PCI functions of node {machine.name} were not read",
        give="podwire check with nodes/<node>/sysfs.txt, or --node-root on the node",
        fact="the PCI functions of nodes",
    )


def _routes(machine: Machine) -> Answer[frozenset[str]]:
    return machine.files.default_routes if machine.files else Known(value=frozenset())


def _config(plugin: Plugin, version: Answer[Version]) -> Answer[Config]:
    """Read the configuration as the version on this node does."""
    if isinstance(plugin.text, Unknown):
        return plugin.text
    text = plugin.text.value.text
    config = read_config(text, default_prefix=plugin.prefix, version=version)
    return Known(value=config, places=(plugin.text.value.place_at(()),))
