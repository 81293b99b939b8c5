"""Pods, and what will become pods: every kind of workload with the path of its template."""

import enum
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from podwire.facts.objects import ApiObject, ContainerStatus, Meta, Pod, PodSpec, PodStatus, _Record
from podwire.model.evidence import Path, Place, Step
from podwire.model.names import Ref


class PodTemplate(_Record, frozen=True):
    """`metadata` and `spec` of the pods that a workload makes."""

    metadata: Meta = Meta()
    spec: PodSpec = PodSpec()


class Workload(ApiObject, tag="", frozen=True):
    """Any object that makes pods; `spec` stays as written until its templates are asked for."""

    spec: dict[str, Any] = msgspec.field(default_factory=dict)


class Deployment(Workload, tag="Deployment", frozen=True):
    """apps/v1."""


class ReplicaSet(Workload, tag="ReplicaSet", frozen=True):
    """apps/v1."""


class StatefulSet(Workload, tag="StatefulSet", frozen=True):
    """apps/v1."""


class DaemonSet(Workload, tag="DaemonSet", frozen=True):
    """apps/v1."""


class Job(Workload, tag="Job", frozen=True):
    """batch/v1."""


class CronJob(Workload, tag="CronJob", frozen=True):
    """batch/v1."""


class MPIJob(Workload, tag="MPIJob", frozen=True):
    """kubeflow.org."""


class PyTorchJob(Workload, tag="PyTorchJob", frozen=True):
    """kubeflow.org/v1."""


class RayCluster(Workload, tag="RayCluster", frozen=True):
    """ray.io."""


class JobSet(Workload, tag="JobSet", frozen=True):
    """jobset.x-k8s.io."""


class LeaderWorkerSet(Workload, tag="LeaderWorkerSet", frozen=True):
    """leaderworkerset.x-k8s.io."""


EACH = "*"  # every element of a list, every value of a mapping

TEMPLATES: Mapping[type[Workload], tuple[tuple[str, ...], ...]] = {
    Deployment: (("template",),),
    ReplicaSet: (("template",),),
    StatefulSet: (("template",),),
    DaemonSet: (("template",),),
    Job: (("template",),),
    CronJob: (("jobTemplate", "spec", "template"),),
    MPIJob: (("mpiReplicaSpecs", EACH, "template"),),
    PyTorchJob: (("pytorchReplicaSpecs", EACH, "template"),),
    RayCluster: (("headGroupSpec", "template"), ("workerGroupSpecs", EACH, "template")),
    JobSet: (("replicatedJobs", EACH, "template", "spec", "template"),),
    LeaderWorkerSet: (
        ("leaderWorkerTemplate", "leaderTemplate"),
        ("leaderWorkerTemplate", "workerTemplate"),
    ),
}


class Stage(enum.IntEnum):
    """How far a pod has come; what has happened decides over what a model says."""

    PLANNED = 0  # a template, or a pod that the API server has not seen
    CREATED = 1  # it has been through admission
    BOUND = 2  # the scheduler chose a node
    UP = 3  # its sandbox was made, networks attached
    OVER = 4  # ended, or rejected by kubelet


class PodView(msgspec.Struct, frozen=True, gc=False):
    """A pod, or the template of one: what every rule about pods is asked about.

    `of` is the object that was read, `path` leads from it to the template (empty for a pod).
    """

    of: ApiObject
    path: Path
    metadata: Meta
    spec: PodSpec
    status: PodStatus | None = None
    stage: Stage = Stage.PLANNED

    @property
    def ref(self) -> Ref:
        """The pod, or the workload that makes it."""
        return self.of.ref

    @property
    def is_template(self) -> bool:
        """It is what a workload makes pods from."""
        return bool(self.path)

    @property
    def namespace(self) -> str:
        """Where the pod is, or will be."""
        return self.of.metadata.namespace

    def place(self, *path: Step, inner: Path | None = None) -> Place:
        """Name a value by its path in a pod (`metadata`, `annotations`, ...)."""
        return self.of.place(*self.path, *path, inner=inner)


# Kubelet's condition for "the sandbox is made and its networks are attached" (1.29, beta).
_SANDBOX_READY = "PodReadyToStartContainers"


def _has_sandbox(status: PodStatus) -> bool:
    return any(c.type == _SANDBOX_READY and c.status == "True" for c in status.conditions)


# Reasons that kubelet gives while the sandbox is not there yet (v1.36.2 pkg/kubelet/kubelet_pods).
_BEFORE_SANDBOX = frozenset({"", "ContainerCreating", "PodInitializing"})


def _was_made(status: ContainerStatus) -> bool:
    """Whether this container got as far as its runtime: then the sandbox exists."""
    state = status.state
    if state.running or state.terminated or status.last_state.terminated:
        return True
    return state.waiting is not None and state.waiting.reason not in _BEFORE_SANDBOX


def view_of(pod: Pod) -> PodView:
    """View a pod that exists."""
    return PodView(
        of=pod,
        path=(),
        metadata=pod.metadata,
        spec=pod.spec,
        status=pod.status,
        stage=_stage_of(pod),
    )


def _stage_of(pod: Pod) -> Stage:
    """Read from phase, node and containers; a container that started had its sandbox."""
    status = pod.status
    if status.phase in {"Succeeded", "Failed"}:
        return Stage.OVER
    statuses = (*status.container_statuses, *status.init_container_statuses)
    if status.phase == "Running" or any(map(_was_made, statuses)) or _has_sandbox(status):
        return Stage.UP
    if pod.spec.node_name:
        return Stage.BOUND
    is_seen = bool(pod.metadata.uid or status.phase or status.conditions)
    return Stage.CREATED if is_seen else Stage.PLANNED


def views_of(workload: Workload) -> Iterator[PodView | tuple[Path, str]]:
    """View each template; one that is no pod template gives its path and what is wrong."""
    for pattern in TEMPLATES.get(type(workload), ()):
        for path, value in _matches(workload.spec, pattern, ("spec",)):
            try:
                template = msgspec.convert(_without_nulls(value), PodTemplate)
            except msgspec.ValidationError as error:
                yield path, str(error)
            else:
                yield PodView(
                    of=workload, path=path, metadata=template.metadata, spec=template.spec
                )


def _matches(tree: object, pattern: tuple[str, ...], path: Path) -> Iterator[tuple[Path, object]]:
    if not pattern:
        yield path, tree
        return
    step, rest = pattern[0], pattern[1:]
    if isinstance(tree, list) and step == EACH:
        for index, item in enumerate(tree):
            yield from _matches(item, rest, (*path, index))
    elif isinstance(tree, dict):
        for key in tree if step == EACH else (step,):
            if tree.get(key) is not None:
                yield from _matches(tree[key], rest, (*path, key))


def _without_nulls(tree: object) -> object:
    """Drop keys whose value is null: the API server reads them as not given."""
    if isinstance(tree, dict):
        return {k: _without_nulls(v) for k, v in tree.items() if v is not None}
    if isinstance(tree, list):
        return [_without_nulls(v) for v in tree]
    return tree
