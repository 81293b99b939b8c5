"""A case's pods on a real node, several cases at a time, and what became of each."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from podwire.model.names import Ref
from tests.e2e.api import Object
from tests.e2e.case_objects import Stage, Told
from tests.e2e.cluster import Cluster, Fate, namespace_of
from tests.e2e.device_plugin.pools import Pools, numbered
from tests.e2e.scenarios import pod as pod_of
from tests.e2e.waiting import wait_for

_BATCH = 12  # cases whose pods the node has at the same time
_WORKLOADS = {"Deployment", "StatefulSet", "DaemonSet", "CronJob"}


class Played(msgspec.Struct, frozen=True):
    """The fates of the pods that a finding is about, by namespace and name."""

    stage: Stage
    fates: dict[str, Fate]


def pools_of(stages: Iterable[Stage]) -> Pools:
    """Offer eight devices of everything that a case's pods ask for or its pools make."""
    return {
        resource: numbered(f"{stage.mark}-{number}-", 8)
        for stage in stages
        for number, resource in enumerate(sorted(stage.resources()))
    }


def play(cluster: Cluster, cases: Sequence[tuple[Told, Stage]]) -> Iterator[tuple[str, Played]]:
    """Apply batch by batch; a case's pods are gone before the next batch comes."""
    for start in range(0, len(cases), _BATCH):
        batch = cases[start : start + _BATCH]
        cluster.apply(namespace_of(name) for _, stage in batch for name in stage.namespaces)
        for told, stage in batch:
            cluster.apply(_objects(told, stage))
        yield from _await(cluster, batch)
        for _, stage in batch:
            _clear(cluster, stage)


def _objects(told: Told, stage: Stage) -> list[Object]:
    objects = stage.objects(on_a_node=True)
    return [*objects, *(_probe(ref, stage) for ref in _lonely(told))]


def _lonely(told: Told) -> list[Ref]:
    """Give the network that a finding is about where no pod names it yet."""
    networks = [ref for ref in told.subjects if ref.kind == "NetworkAttachmentDefinition"]
    has_pods = any(ref.kind in {"Pod", *_WORKLOADS} for ref in told.subjects)
    return [] if has_pods else networks[:1]


def _probe(network: Ref, stage: Stage) -> Object:
    """Make a pod that names the network and asks for what the case's pools make."""
    resource = next(iter(sorted(stage.made())), "")
    namespace = f"{stage.mark}-{network.namespace}"
    probe = pod_of("probe", network.name, namespace=namespace, count=0)
    if resource:
        probe = pod_of("probe", network.name, namespace=namespace, resource=resource)
    return probe


def _await(cluster: Cluster, batch: Sequence[tuple[Told, Stage]]) -> Iterator[tuple[str, Played]]:
    def settled() -> dict[str, Played]:
        fates = cluster.fates_by_name()
        return {
            told.id: Played(stage=stage, fates=_of(told, stage, fates)) for told, stage in batch
        }

    def is_settled(now: dict[str, Played]) -> bool:
        return all(
            played.fates and all(fate.end != "unknown" for fate in played.fates.values())
            for played in now.values()
        )

    yield from wait_for("pods of cases that end", settled, holds=is_settled, within_s=90).items()


def _of(told: Told, stage: Stage, fates: dict[str, Fate]) -> dict[str, Fate]:
    """Choose the pods that the finding is about: by name, as a workload's, or the probe."""
    pods = {stage.ref(ref) for ref in told.subjects if ref.kind == "Pod"}
    workloads = {stage.ref(ref) for ref in told.subjects if ref.kind in _WORKLOADS}
    return {
        name: fate
        for name, fate in fates.items()
        if name in pods
        or any(name.startswith(f"{workload}-") for workload in workloads)
        or (_lonely(told) and name.startswith(f"{stage.mark}-") and name.endswith("/probe"))
    }


def _clear(cluster: Cluster, stage: Stage) -> None:
    for wanted in stage.objects(on_a_node=True):
        if wanted["kind"] in {*_WORKLOADS, "Job"}:
            cluster.api.remove(wanted)
    for namespace in stage.namespaces:
        cluster.api.delete("Pod", namespace=namespace)
