"""Pods, and what will become pods: every kind of workload with the path of its template."""

import enum
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from podwire.facts.objects import (
    ApiObject,
    Condition,
    Container,
    ContainerStatus,
    Meta,
    Pod,
    PodSpec,
    PodStatus,
    _Record,
)
from podwire.model.evidence import Path, Place, Step
from podwire.model.names import Ref


class PodTemplate(_Record, frozen=True):
    """`metadata` and `spec` of the pods that a workload makes."""

    metadata: Meta = Meta()
    spec: PodSpec = PodSpec()


class WorkloadStatus(_Record, frozen=True):
    """`status` of a workload, as far as it tells that no more pods come."""

    conditions: tuple[Condition, ...] = ()


# Conditions of what runs to its end: Job, Kubeflow's jobs, JobSet.
_ENDED = frozenset({"Complete", "Completed", "Succeeded", "Failed"})


class Workload(ApiObject, tag="", frozen=True):
    """Any object that makes pods; `spec` stays as written until its templates are asked for."""

    spec: dict[str, Any] = msgspec.field(default_factory=dict)
    status: WorkloadStatus = WorkloadStatus()

    @property
    def is_at_rest(self) -> bool:
        """It makes no pods as it is: it ended, or somebody parked it."""
        return any(c.type in _ENDED and c.status == "True" for c in self.status.conditions)


class _Scaled(Workload, tag="", frozen=True):
    """A workload that is parked by its number of replicas."""

    @property
    def is_at_rest(self) -> bool:
        """An old ReplicaSet, or one that was scaled to nothing."""
        return self.spec.get("replicas") == 0


class Deployment(_Scaled, tag="Deployment", frozen=True):
    """apps/v1."""


class ReplicaSet(_Scaled, tag="ReplicaSet", frozen=True):
    """apps/v1."""


class StatefulSet(_Scaled, tag="StatefulSet", frozen=True):
    """apps/v1."""


class DaemonSet(Workload, tag="DaemonSet", frozen=True):
    """apps/v1."""


class Job(Workload, tag="Job", frozen=True):
    """batch/v1; other groups have a kind of this name too."""

    api_version: str = ""


class CronJob(Workload, tag="CronJob", frozen=True):
    """batch/v1."""

    @property
    def is_at_rest(self) -> bool:
        """It was suspended; other kinds are by a queue, which starts them later."""
        return self.spec.get("suspend") is True


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


# What the pods of a template are to a workload that has several. Where a list or a mapping
# holds the templates, the key or the name of the element says it.
_ROLES: Mapping[str, str] = {
    "headGroupSpec": "head",
    "leaderTemplate": "leader",
    "workerTemplate": "worker",
}
_NAMES = ("name", "groupName")


class Stage(enum.IntEnum):
    """How far a pod has come; what has happened decides over what a model says."""

    PLANNED = 0  # a template, or a pod that the API server has not seen
    CREATED = 1  # it has been through admission
    BOUND = 2  # the scheduler chose a node
    UP = 3  # its sandbox was made, networks attached
    OVER = 4  # ended, or rejected by kubelet


class ContainerView(msgspec.Struct, frozen=True, gc=False):
    """A container and the path that leads to it in its pod."""

    container: Container
    path: Path

    @property
    def is_early(self) -> bool:
        """An init container that ends before the others start."""
        return self.path[1] == "initContainers" and self.container.restart_policy != "Always"


class PodView(msgspec.Struct, frozen=True, gc=False):
    """A pod, or the template of one: what every rule about pods is asked about.

    `of` is the object that was read, `path` leads from it to the template (empty for a pod).
    `role` tells apart the templates of one workload (Worker, head); `replicas` is how many
    pods the template is for, where that stands beside it.
    """

    of: ApiObject
    path: Path
    metadata: Meta
    spec: PodSpec
    status: PodStatus | None = None
    stage: Stage = Stage.PLANNED
    role: str = ""
    replicas: int | None = None

    @property
    def ref(self) -> Ref:
        """The pod, or the workload that makes it, with the role as a part of it."""
        return self.of.ref.at(self.role) if self.role else self.of.ref

    @property
    def full_name(self) -> str:
        """`namespace/name`, with the role where the workload has several templates."""
        return self.of.ref.full_name + (f" ({self.role})" if self.role else "")

    def __str__(self) -> str:
        return f"{self.of.kind} {self.full_name}"

    @property
    def is_template(self) -> bool:
        """It is what a workload makes pods from."""
        return bool(self.path)

    @property
    def namespace(self) -> str:
        """Where the pod is, or will be."""
        return self.of.metadata.namespace

    def containers(self) -> Iterator[ContainerView]:
        """Give each container with its path, init containers last."""
        for index, container in enumerate(self.spec.containers):
            yield ContainerView(container=container, path=("spec", "containers", index))
        for index, container in enumerate(self.spec.init_containers):
            yield ContainerView(container=container, path=("spec", "initContainers", index))

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


class _Match(msgspec.Struct, frozen=True):
    """A value that a pattern leads to, with the mapping that holds it and what its role is."""

    value: object
    path: Path
    holder: Mapping[str, object] = {}
    role: str = ""


def views_of(workload: Workload) -> Iterator[PodView | tuple[Path, str]]:
    """View each template; one that is no pod template gives its path and what is wrong."""
    start = _Match(value=workload.spec, path=("spec",))
    for pattern in TEMPLATES.get(type(workload), ()):
        for match in _matches(start, pattern):
            try:
                template = msgspec.convert(_without_nulls(match.value), PodTemplate)
            except msgspec.ValidationError as error:
                yield match.path, str(error)
            else:
                replicas = match.holder.get("replicas")
                yield PodView(
                    of=workload,
                    path=match.path,
                    metadata=template.metadata,
                    spec=template.spec,
                    role=match.role,
                    replicas=replicas if isinstance(replicas, int) else None,
                )


def _matches(at: _Match, pattern: tuple[str, ...]) -> Iterator[_Match]:
    if not pattern:
        yield at
        return
    for step, role in _steps(at.value, pattern[0]):
        value = at.value[step]  # type: ignore[index]  # a step that was found in it
        if value is not None:
            holder = at.value if isinstance(at.value, dict) else {}
            match = _Match(value=value, path=(*at.path, step), holder=holder, role=role or at.role)
            yield from _matches(match, pattern[1:])


def _steps(tree: object, step: str) -> Iterator[tuple[Step, str]]:
    """Give the steps that a pattern's step stands for, each with the role that it tells."""
    if step == EACH and isinstance(tree, list):
        for index, item in enumerate(tree):
            names = (item.get(key) for key in _NAMES) if isinstance(item, dict) else ()
            yield index, next((name for name in names if isinstance(name, str)), str(index))
    elif step == EACH and isinstance(tree, dict):
        yield from ((key, str(key)) for key in tree)
    elif isinstance(tree, dict) and step in tree:
        yield step, _ROLES.get(step, "")


def _without_nulls(tree: object) -> object:
    """Drop keys whose value is null: the API server reads them as not given."""
    if isinstance(tree, dict):
        return {k: _without_nulls(v) for k, v in tree.items() if v is not None}
    if isinstance(tree, list):
        return [_without_nulls(v) for v in tree]
    return tree
