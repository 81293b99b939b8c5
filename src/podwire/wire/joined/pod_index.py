"""Pods and templates in sight, and their wires by whatever rules look them up by."""

from collections.abc import Mapping
from functools import cached_property

from podwire.facts.inventory import Inventory
from podwire.facts.objects import ApiObject
from podwire.facts.workloads import PodView, Stage, Workload, view_of, views_of
from podwire.model.names import Ref, ResourceName
from podwire.wire.joined.by_key import by_key
from podwire.wire.joined.cnis import Cni, cnis_of
from podwire.wire.joined.owners import root_of
from podwire.wire.joined.pods import WiredPod, wired


class PodIndex:
    """Worked out when first asked for, once."""

    def __init__(self, facts: Inventory) -> None:
        self._facts = facts

    @cached_property
    def templates(self) -> tuple[PodView, ...]:
        """The templates of all workloads that no workload in sight made."""
        return tuple(
            view
            for objects in self._facts.workloads.values()
            for workload in objects.items
            if not self.is_made(workload)
            for view in views_of(workload)
            if isinstance(view, PodView)
        )

    def is_made(self, workload: ApiObject) -> bool:
        """Say whether another workload in sight made this one."""
        owner = workload.metadata.controller
        above = self._facts.workloads.get(owner.kind) if owner else None
        return bool(owner and above and (workload.metadata.namespace, owner.name) in above.by_name)

    @cached_property
    def pods(self) -> tuple[PodView, ...]:
        """All pods that exist or were given."""
        return tuple(map(view_of, self._facts.pods.items))

    @cached_property
    def roots(self) -> Mapping[Ref, tuple[PodView, ...]]:
        """The living pods by the workload at their root."""
        living = (pod for pod in self.pods if pod.stage not in {Stage.OVER, Stage.PLANNED})
        return by_key((root_of(pod, facts=self._facts), pod) for pod in living)

    @cached_property
    def views(self) -> tuple[PodView, ...]:
        """Every pod, and every template that stands for pods which are not in sight.

        A template of which living pods are in sight is left out: they are what became of it.
        So is that of a workload which makes none, as it ended or was parked.
        """
        return (*self.pods, *filter(self._is_to_come, self.templates))

    def _is_to_come(self, template: PodView) -> bool:
        workload = template.of
        if template.replicas == 0 or (isinstance(workload, Workload) and workload.is_at_rest):
            return False
        return not workload.document.origin.is_observed or workload.ref not in self.roots

    @cached_property
    def cnis(self) -> Mapping[Ref, Cni]:
        """What the CNI of each NAD is told."""
        return cnis_of(self._facts.networks.items)

    def wire(self, view: PodView) -> WiredPod | None:
        """Wire one pod; None where it neither names networks nor requests devices."""
        return wired(view, facts=self._facts, cnis=self.cnis)

    @cached_property
    def wired(self) -> tuple[WiredPod, ...]:
        """Pods and templates that name networks or request devices."""
        return tuple(pod for pod in map(self.wire, self.views) if pod is not None)

    @cached_property
    def current(self) -> tuple[WiredPod, ...]:
        """Those that have not ended."""
        return tuple(pod for pod in self.wired if not pod.is_over)

    @cached_property
    def by_root(self) -> Mapping[Ref, tuple[WiredPod, ...]]:
        """Current pods and templates, by the workload at their root."""
        return by_key((root_of(pod.pod, facts=self._facts), pod) for pod in self.current)

    @cached_property
    def by_network(self) -> Mapping[Ref, tuple[WiredPod, ...]]:
        """Current pods, by the networks that they name."""
        return by_key(
            (network, pod)
            for pod in self.current
            for network in dict.fromkeys(a.selection.ref for a in pod.attachments)
        )

    @cached_property
    def reported(self) -> frozenset[str]:
        """The networks that Multus reported to have attached to living pods."""
        up = (pod for pod in self.current if pod.pod.stage is Stage.UP)
        return frozenset(i.network for pod in up for i in pod.interfaces or () if not i.default)

    @cached_property
    def by_resource(self) -> Mapping[ResourceName, tuple[WiredPod, ...]]:
        """Current pods, by the resources that they request."""
        return by_key((resource, pod) for pod in self.current for resource in pod.resources)

    @cached_property
    def on_node(self) -> Mapping[str, tuple[WiredPod, ...]]:
        """Current pods by the node that they are bound to."""
        bound = (pod for pod in self.wired if pod.pod.stage in {Stage.BOUND, Stage.UP})
        return by_key((pod.pod.spec.node_name, pod) for pod in bound)

    @cached_property
    def of(self) -> Mapping[Ref, tuple[PodView, ...]]:
        """Pods, and the templates of workloads, by the object that they were read from."""
        return by_key((view.of.ref, view) for view in (*self.pods, *self.templates))
