"""How the device plugins fill their pools on one node."""

import msgspec

from podwire.facts.node import GIVES_FUNCTIONS, Function, NodeFiles
from podwire.facts.objects import Node
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.sriovdp.fates import Filled
from podwire.peers.sriovdp.fill import fill
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
    functions = _functions(machine)
    if isinstance(functions, Unknown):
        return functions  # Before reading anything for each of many nodes.
    filled = _filled(machine, functions.value, plugin=plugin, as_started=as_started)
    if isinstance(filled, Unknown):
        return filled
    assumes = (*runs.assumes, *filled.assumes)
    return Known(value=filled.value, places=functions.places, assumes=assumes)


def _filled(
    machine: Machine, functions: tuple[Function, ...], *, plugin: Plugin, as_started: bool
) -> Answer[Filled]:
    config = plugin.config_as(machine.version)
    if isinstance(config, Unknown):
        return config
    routes = _routes(machine)
    if isinstance(routes, Unknown):
        return routes
    away = _away(plugin, machine) if as_started else Known(value=frozenset[PciAddress]())
    if isinstance(away, Unknown):
        return away
    filled = fill(
        config.value,
        functions=functions if as_started else at_home(functions, holders=machine.holders),
        default_routes=routes.value,
        away=away.value,
        version=machine.version,
        rdma_mode=machine.files.rdma_mode if machine.files else MODE_UNKNOWN,
    )
    return Known(value=filled, assumes=routes.assumes)


def _away(plugin: Plugin, machine: Machine) -> Answer[frozenset[PciAddress]]:
    return away_at(plugin.started_at(machine.name), holders=machine.holders)


def no_functions(of: str = "any node") -> Unknown:
    """Say what is missing where no files of a node were given."""
    return Unknown(
        reason=f"PCI functions of {of} were not read",
        give=GIVES_FUNCTIONS,
        fact="the PCI functions of nodes",
    )


def _functions(machine: Machine) -> Answer[tuple[Function, ...]]:
    if machine.files is not None:
        return machine.files.functions
    return no_functions(f"node {machine.name}")


def _routes(machine: Machine) -> Answer[frozenset[str]]:
    return machine.files.default_routes if machine.files else Known(value=frozenset())
