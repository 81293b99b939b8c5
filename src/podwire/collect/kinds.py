"""The kinds of API objects that podwire reads, and what kubectl and files call them."""

from collections.abc import Mapping

import msgspec

from podwire.collect.foreign import is_foreign
from podwire.facts.objects import (
    ApiObject,
    ClusterPolicy,
    ConfigMap,
    DeviceClass,
    Event,
    MutatingWebhookConfiguration,
    Namespace,
    Network,
    Node,
    Pod,
    RuntimeClass,
)
from podwire.facts.workloads import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    JobSet,
    LeaderWorkerSet,
    MPIJob,
    PyTorchJob,
    RayCluster,
    ReplicaSet,
    StatefulSet,
)


class Kind(msgspec.Struct, frozen=True):
    """One kind: its record, its name for `kubectl get`, other names of files that list it."""

    record: type[ApiObject]
    plural: str
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The API's name."""
        return str(self.record.__struct_config__.tag)


CORE = (
    Kind(record=Pod, plural="pods"),
    Kind(record=Node, plural="nodes"),
    Kind(
        record=Network,
        plural="net-attach-def",
        others=(
            "net-attach-defs",
            "network-attachment-definitions",
            "networkattachmentdefinitions",
            "nads",
        ),
    ),
    Kind(record=ConfigMap, plural="configmaps"),
    Kind(record=Event, plural="events"),
    Kind(record=MutatingWebhookConfiguration, plural="mutatingwebhookconfigurations"),
    Kind(record=Namespace, plural="namespaces"),
    Kind(record=DeviceClass, plural="deviceclasses"),
    Kind(record=RuntimeClass, plural="runtimeclasses"),
    Kind(record=ClusterPolicy, plural="clusterpolicies"),
)
WORKLOADS = (
    Kind(record=Deployment, plural="deployments"),
    Kind(record=ReplicaSet, plural="replicasets"),
    Kind(record=StatefulSet, plural="statefulsets"),
    Kind(record=DaemonSet, plural="daemonsets"),
    Kind(record=Job, plural="jobs"),
    Kind(record=CronJob, plural="cronjobs"),
    Kind(record=MPIJob, plural="mpijobs"),
    Kind(record=PyTorchJob, plural="pytorchjobs"),
    Kind(record=RayCluster, plural="rayclusters"),
    Kind(record=JobSet, plural="jobsets"),
    Kind(record=LeaderWorkerSet, plural="leaderworkersets"),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (*CORE, *WORKLOADS)}
_BY_FILE = {name: kind for kind in KINDS.values() for name in (kind.plural, *kind.others)}


def kind_of_file(stem: str) -> str | None:
    """Give the kind that a file `<plural>[.<group>].json` lists, where it is known."""
    plural, _, group = stem.lower().partition(".")
    kind = _BY_FILE.get(stem.lower()) or _BY_FILE.get(plural)
    if kind is None or (group and is_foreign(kind.name, f"{group.removeprefix('v1.')}/")):
        return None
    return kind.name
