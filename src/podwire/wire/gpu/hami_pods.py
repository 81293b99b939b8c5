"""HAMi beside other plugins: which pods its scheduler gets, and which nodes that knows."""

from functools import cached_property

from podwire.facts.inventory import Inventory
from podwire.facts.workloads import PodView, Stage
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers import hami
from podwire.wire.gpu.records import HamiNode, HamiPod, is_to_come
from podwire.wire.gpu.registrants import Program
from podwire.wire.gpu.serving import Plugins
from podwire.wire.joined.node_index import NodeIndex
from podwire.wire.joined.offers import no_capacity
from podwire.wire.joined.pod_index import PodIndex
from podwire.wire.joined.program_index import ProgramIndex


class Hami:
    """Asked only where anything in sight is HAMi's."""

    def __init__(
        self,
        facts: Inventory,
        *,
        pods: PodIndex,
        programs: ProgramIndex,
        nodes: NodeIndex,
        plugins: Plugins,
    ) -> None:
        self.facts = facts
        self._pods = pods
        self._programs = programs
        self._nodes = nodes
        self._plugins = plugins

    @cached_property
    def is_in_sight(self) -> bool:
        """Whether anything in sight is HAMi's."""
        is_plugin = any(plugin.program is Program.HAMI for plugin in self._plugins.registrants)
        return (
            is_plugin
            or bool(self._programs.seen(hami.COMPONENT))
            or bool(hami.webhooks_of(self.facts.webhooks))
        )

    @property
    def setup(self) -> Known[hami.Setup]:
        """How it is set up."""
        return self._plugins.hami_setup

    @cached_property
    def pods(self) -> tuple[HamiPod, ...]:
        """Pods that HAMi's webhook may take: those to come, and those with its scheduler."""
        return tuple(
            HamiPod(pod=view, setup=self.setup.value)
            for view in (self._pods.views if self.is_in_sight else ())
            if view.stage is not Stage.OVER and hami.asks(view.spec, self.setup.value)
        )

    def takes(self, pod: PodView) -> Answer[bool]:
        """Say whether HAMi's scheduler places a pod; one that exists says so itself."""
        if pod.spec.scheduler_name == hami.SCHEDULER:
            return Known(value=True, places=(pod.place("spec", "schedulerName"),))
        if not is_to_come(pod):
            return Known(value=False)
        setup = self.setup
        taken = hami.takes(
            pod.spec,
            pod.namespace,
            pod.metadata.labels,
            webhooks=self.facts.webhooks,
            namespaces=self.facts.namespaces,
            setup=setup.value,
        )
        if isinstance(taken, Unknown) or not taken.value:
            return taken
        assumes = (*setup.assumes, *taken.assumes)
        return Known(value=True, places=taken.places, assumes=assumes)

    def denial(self, pod: PodView) -> Answer[str]:
        """Say why HAMi's webhook refuses a pod that it takes; empty: it does not."""
        return hami.denial(pod.spec, self._plugins.version(hami.COMPONENT))

    def nodes(self, pod: PodView) -> Answer[tuple[HamiNode, ...]]:
        """Give the nodes with GPUs that a pod may run on, HAMi aside."""
        candidates = self._nodes.candidates(pod)
        if candidates.rest is not None:
            return candidates.rest
        found = []
        for name in candidates.names:
            node = self._nodes.node(name)
            if node is None or node.status.capacity is None:
                return no_capacity(name)
            if str(self.setup.value.count) in node.status.capacity:
                found.append(HamiNode(object=node))
        return Known(value=tuple(found), assumes=candidates.assumes)
