"""Nodes in sight: which pods may go there, what their plugins make there, who holds it."""

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.node import NodeFiles
from podwire.facts.objects import Node
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.sriovdp.fates import Filled
from podwire.wire.joined.candidates import Candidates, candidates_for, scheduling_key
from podwire.wire.joined.fills import Machine, fill_on
from podwire.wire.joined.holders import Holder, holders_on
from podwire.wire.joined.images import MULTUS
from podwire.wire.joined.offers import Offer, by_node, offer_of
from podwire.wire.joined.passed import Passed, passed_to
from podwire.wire.joined.plugins import Plugin, Pool
from podwire.wire.joined.pod_index import PodIndex
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.program_index import ProgramIndex
from podwire.wire.joined.supply import (
    made_by_operator,
    modelled,
    prefix_of,
    served_by_class,
    unsure_of_prefix,
)


class _Makers(msgspec.Struct, frozen=True):
    """What makes a resource on whatever node: a class, pools, or pools that may; an operator."""

    served: Answer[Offer] | None
    pools: tuple[Pool, ...]
    unsure: tuple[Pool, ...]
    operator: Unknown | None


class NodeIndex:
    """Worked out when first asked for, once."""

    def __init__(self, facts: Inventory, *, pods: PodIndex, programs: ProgramIndex) -> None:
        self._facts = facts
        self._pods = pods
        self._programs = programs
        self._candidates: dict[bytes, Candidates] = {}
        self._fills: dict[tuple[str, str, bool], Answer[Filled | None]] = {}
        self._holders: dict[str, tuple[Holder, ...]] = {}
        self._makers: dict[ResourceName, _Makers] = {}
        self._offers: dict[tuple[ResourceName, str], Answer[Offer]] = {}

    def node(self, name: str) -> Node | None:
        """Give the Node object, where it is in sight."""
        return self._facts.nodes.by_name.get(("", name))

    def files(self, name: str) -> NodeFiles | None:
        """Give the files of a node, where any were given."""
        return self._facts.node_files.get(name)

    def candidates(self, pod: PodView) -> Candidates:
        """Give every node that the scheduler may choose, resources aside."""
        key = scheduling_key(pod.spec)
        if key not in self._candidates:
            self._candidates[key] = candidates_for(pod.spec, nodes=self._facts.nodes)
        return self._candidates[key]

    def machine(self, node: str, plugin: Plugin) -> Machine:
        """Give a node as a device plugin meets it."""
        return Machine(
            name=node,
            node=self.node(node),
            files=self.files(node),
            version=self._programs.version(plugin.component, node),
            holders=self.holders(node),
        )

    def fill(self, plugin: Plugin, node: str, *, as_started: bool) -> Answer[Filled | None]:
        """Say how a plugin fills its pools on a node; None: it does not run there."""
        key = (plugin.key, node, as_started)
        if key not in self._fills:
            machine = self.machine(node, plugin)
            self._fills[key] = fill_on(machine, plugin=plugin, as_started=as_started)
        return self._fills[key]

    def holders(self, node: str) -> tuple[Holder, ...]:
        """Say which pods hold which functions of a node, as far as anything tells."""
        if node not in self._holders:
            pods = self._pods.on_node.get(node, ())
            multus = self._programs.version(MULTUS, node)
            found = holders_on(pods=pods, files=self.files(node), multus=multus)
            self._holders[node] = tuple(found)
        return self._holders[node]

    def passed(self, pod: WiredPod) -> tuple[Passed, ...]:
        """Say which device Multus passes to each attachment of a pod."""
        node = pod.pod.spec.node_name
        multus = self._programs.version(MULTUS, node)
        return passed_to(pod, files=self.files(node), version=multus)

    def offer(self, resource: ResourceName, node: str) -> Answer[Offer]:
        """Say how many devices of a resource a node offers.

        A pool that is only planned cannot have shown in the node's capacity yet: then the
        model answers where the node has none. What a DeviceClass serves is not counted.
        """
        key = (resource, node)
        if key not in self._offers:
            self._offers[key] = self._offer(resource, node)
        return self._offers[key]

    def _makers_of(self, resource: ResourceName) -> _Makers:
        if resource not in self._makers:
            pools = self._programs.by_resource.get(resource, ())
            unsure = () if pools else unsure_of_prefix(resource, self._programs.pools)
            self._makers[resource] = _Makers(
                served=served_by_class(resource, facts=self._facts),
                pools=pools,
                unsure=unsure,
                operator=made_by_operator(resource, facts=self._facts, are_nodes_known=True),
            )
        return self._makers[resource]

    def _offer(self, resource: ResourceName, node: str) -> Answer[Offer]:
        makers = self._makers_of(resource)
        if makers.served is not None:
            return makers.served
        found = by_node(resource, self.node(node), node)
        if makers.pools or makers.unsure or isinstance(found, Unknown):
            found = self._modelled(resource, node, makers)
        if isinstance(found, Known) and not found.value.is_any:
            return makers.operator or found
        return found

    def _modelled(self, resource: ResourceName, node: str, makers: _Makers) -> Answer[Offer]:
        pools, unsure = makers.pools, makers.unsure
        return offer_of(
            resource,
            node=self.node(node),
            files=self.files(node),
            name=node,
            model=prefix_of(unsure[0])
            if unsure
            else modelled(
                pools, fill=lambda plugin: self.fill(plugin, node, as_started=True), node=node
            ),
            is_planned=any(not pool.plugin.is_applied for pool in (*pools, *unsure)),
        )
