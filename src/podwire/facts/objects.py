"""Kubernetes' own records, as far as podwire reads them; the decoded object is the fact.

Fields carry the API's names in snake case. Within an object that was read `spec`, labels,
annotations, capacity and allocatable are whole: what is missing there is absent. Missing
`metadata` (uid, owners) and `status` fields were perhaps cut, and are None here.
"""

from typing import Any, ClassVar

import msgspec

from podwire.model.evidence import NOWHERE, Document, Path, Place, Step
from podwire.model.names import Ref

Quantity = str | int | float


class _Record(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """A part of an API object."""


class Owner(_Record, frozen=True):
    """An entry of `metadata.ownerReferences`."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class Meta(_Record, frozen=True):
    """`metadata`; `namespace` is filled in when the object is read, for kinds that have one."""

    name: str = ""
    namespace: str = ""
    uid: str | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    deletion_timestamp: str | None = None
    owner_references: tuple[Owner, ...] = ()
    generate_name: str = ""

    @property
    def controller(self) -> Owner | None:
        """The owner that made it and makes another in its place."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class ApiObject(msgspec.Struct, frozen=True, gc=False, rename="camel", tag_field="kind"):
    """Any API object, with the document that it was read from.

    `document` and `base` are set by whoever reads (`collect`); no API object has such keys.
    """

    namespaced: ClassVar[bool] = True

    metadata: Meta = Meta()
    document: Document = msgspec.field(default=NOWHERE, name="podwire.io/document")
    base: Path = msgspec.field(default=(), name="podwire.io/base")

    @property
    def kind(self) -> str:
        """The API's name of the kind."""
        return str(type(self).__struct_config__.tag)

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        name = self.metadata.name or f"{self.metadata.generate_name}*"
        return Ref(kind=self.kind, namespace=self.metadata.namespace, name=name)

    def place(self, *path: Step, inner: Path | None = None) -> Place:
        """Name a value in it; `inner` goes on inside a value that is JSON itself."""
        return Place(
            document=self.document, object=str(self.ref), base=self.base, path=path, inner=inner
        )


class Resources(_Record, frozen=True):
    """`resources` of a container; quantities are as written."""

    limits: dict[str, Quantity] = {}
    requests: dict[str, Quantity] = {}
    claims: tuple[dict[str, str], ...] = ()


class Capabilities(_Record, frozen=True):
    """`securityContext.capabilities`."""

    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


class SecurityContext(_Record, frozen=True):
    """`securityContext` of a pod or a container."""

    capabilities: Capabilities = Capabilities()
    privileged: bool = False
    run_as_user: int | None = None
    run_as_non_root: bool | None = None


class EnvVar(_Record, frozen=True):
    """One variable; `value_from` is kept as written."""

    name: str = ""
    value: str = ""
    value_from: dict[str, Any] | None = None


class NameOnly(_Record, frozen=True):
    """What is meant in the same namespace, by name; a Secret's contents are never read."""

    name: str = ""


class EnvFrom(_Record, frozen=True):
    """Variables that come from all keys of a ConfigMap or of a Secret."""

    prefix: str = ""
    config_map_ref: NameOnly | None = None
    secret_ref: NameOnly | None = None


class VolumeMount(_Record, frozen=True):
    """One mount of a container."""

    name: str = ""
    mount_path: str = ""
    sub_path: str = ""
    read_only: bool = False


class Container(_Record, frozen=True):
    """A container, an init container or a sidecar."""

    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[EnvFrom, ...] = ()
    resources: Resources = Resources()
    security_context: SecurityContext = SecurityContext()
    volume_mounts: tuple[VolumeMount, ...] = ()
    restart_policy: str = ""


class KeyToPath(_Record, frozen=True):
    """One key of a ConfigMap and the file it becomes."""

    key: str = ""
    path: str = ""


class ConfigMapSource(_Record, frozen=True):
    """A ConfigMap as a volume."""

    name: str = ""
    items: tuple[KeyToPath, ...] = ()


class HostPath(_Record, frozen=True):
    """A folder or file of the node as a volume."""

    path: str = ""


class Volume(_Record, frozen=True):
    """A volume, as far as podwire looks into it."""

    name: str = ""
    config_map: ConfigMapSource | None = None
    host_path: HostPath | None = None


class Toleration(_Record, frozen=True):
    """A toleration; an empty key with `Exists` tolerates everything."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


class Taint(_Record, frozen=True):
    """A taint of a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class Requirement(_Record, frozen=True):
    """One `matchExpressions` or `matchFields` entry of a node selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(_Record, frozen=True):
    """Requirements that all have to hold."""

    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()


class NodeSelector(_Record, frozen=True):
    """Terms of which one has to hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class NodeAffinity(_Record, frozen=True):
    """Only what is required; preferences never keep a pod away."""

    required: NodeSelector | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(_Record, frozen=True):
    """`affinity`, the node's part."""

    node_affinity: NodeAffinity = NodeAffinity()


class SchedulingGate(_Record, frozen=True):
    """Something that keeps a pod from the scheduler until it takes its gate away."""

    name: str = ""


class PodSpec(_Record, frozen=True):
    """`spec` of a pod or of a pod template."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    ephemeral_containers: tuple[Container, ...] = ()
    runtime_class_name: str = ""
    scheduler_name: str = ""
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity = Affinity()
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[Volume, ...] = ()
    security_context: SecurityContext = SecurityContext()
    host_network: bool = False
    host_pid: bool = msgspec.field(default=False, name="hostPID")
    host_users: bool | None = None
    resources: Resources = Resources()
    scheduling_gates: tuple[SchedulingGate, ...] = ()


class Condition(_Record, frozen=True):
    """One status condition."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class Running(_Record, frozen=True):
    """A container's `state.running`."""

    started_at: str | None = None


class Waiting(_Record, frozen=True):
    """A container's `state.waiting`."""

    reason: str = ""
    message: str = ""


class Terminated(_Record, frozen=True):
    """A container's `state.terminated`."""

    reason: str = ""
    message: str = ""
    started_at: str | None = None


class State(_Record, frozen=True):
    """Exactly one of three."""

    running: Running | None = None
    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(_Record, frozen=True):
    """What became of one container."""

    name: str = ""
    ready: bool | None = None
    image: str = ""
    state: State = State()
    last_state: State = State()


class PodStatus(_Record, frozen=True):
    """`status` of a pod; None and empty mean: not given."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    start_time: str | None = None
    extended_resource_claim_status: dict[str, Any] | None = None


class Pod(ApiObject, tag="Pod", frozen=True):
    """A pod."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class NodeSpec(_Record, frozen=True):
    """`spec` of a node."""

    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeInfo(_Record, frozen=True):
    """`status.nodeInfo`."""

    kubelet_version: str = ""
    container_runtime_version: str = ""


class NodeStatus(_Record, frozen=True):
    """`status` of a node; capacity and allocatable are whole where present."""

    capacity: dict[str, Quantity] | None = None
    allocatable: dict[str, Quantity] | None = None
    conditions: tuple[Condition, ...] = ()
    node_info: NodeInfo = NodeInfo()


class Node(ApiObject, tag="Node", frozen=True):
    """A node."""

    namespaced: ClassVar[bool] = False

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class ConfigMap(ApiObject, tag="ConfigMap", frozen=True):
    """A ConfigMap; `binaryData` is not read."""

    data: dict[str, str] = {}


class NetworkSpec(_Record, frozen=True):
    """`spec` of a NetworkAttachmentDefinition: the CNI configuration, as text."""

    config: str = ""


class Network(ApiObject, tag="NetworkAttachmentDefinition", frozen=True):
    """A NetworkAttachmentDefinition (NAD)."""

    spec: NetworkSpec = NetworkSpec()


class Involved(_Record, frozen=True):
    """What an event is about."""

    kind: str = ""
    namespace: str = ""
    name: str = ""


class Event(ApiObject, tag="Event", frozen=True):
    """A v1 event."""

    involved_object: Involved = Involved()
    message: str = ""


class LabelSelector(_Record, frozen=True):
    """A label selector, as webhooks use it."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[Requirement, ...] = ()


class WebhookRule(_Record, frozen=True):
    """Which operations on which resources reach a webhook."""

    operations: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()


class ClientConfig(_Record, frozen=True):
    """Where a webhook is served."""

    service: dict[str, Any] | None = None


class Webhook(_Record, frozen=True):
    """One webhook of a configuration."""

    name: str = ""
    rules: tuple[WebhookRule, ...] = ()
    namespace_selector: LabelSelector = LabelSelector()
    object_selector: LabelSelector = LabelSelector()
    client_config: ClientConfig = ClientConfig()
    failure_policy: str = ""


class MutatingWebhookConfiguration(ApiObject, tag="MutatingWebhookConfiguration", frozen=True):
    """Webhooks that may change an object on its way in."""

    namespaced: ClassVar[bool] = False

    webhooks: tuple[Webhook, ...] = ()


class Namespace(ApiObject, tag="Namespace", frozen=True):
    """A namespace."""

    namespaced: ClassVar[bool] = False


class DeviceClassSpec(_Record, frozen=True):
    """`spec` of a DeviceClass, as far as extended resources go."""

    extended_resource_name: str = ""


class DeviceClass(ApiObject, tag="DeviceClass", frozen=True):
    """A DRA device class; it may serve an extended resource (Kubernetes 1.34 and newer)."""

    namespaced: ClassVar[bool] = False

    spec: DeviceClassSpec = DeviceClassSpec()


class RuntimeClass(ApiObject, tag="RuntimeClass", frozen=True):
    """A name that pods give, and the runtime's handler that it stands for."""

    namespaced: ClassVar[bool] = False

    handler: str = ""


class ClusterPolicy(ApiObject, tag="ClusterPolicy", frozen=True):
    """What the GPU Operator is told to run; `spec` stays as written (`peers.gpu_operator`)."""

    namespaced: ClassVar[bool] = False

    api_version: str = ""
    spec: dict[str, Any] = {}
