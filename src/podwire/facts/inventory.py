"""Everything that was read in one call, by kind, with how far each kind was listed.

What is given together is one picture: manifests, dumps, node files, the spec.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from podwire.facts.node import NodeFiles, PodFiles, TextFile
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
from podwire.facts.others import Other
from podwire.facts.workloads import Workload
from podwire.model.evidence import NOWHERE, Answer, Document, Known, Origin, Place, Unknown
from podwire.model.names import Ref
from podwire.model.versions import Version
from podwire.spec.wiring import Wiring

O = TypeVar("O", bound=ApiObject)  # noqa: E741 - an object


_CLUSTER_SCOPED = frozenset(
    str(record.__struct_config__.tag)
    for record in (
        ClusterPolicy,
        DeviceClass,
        MutatingWebhookConfiguration,
        Namespace,
        Node,
        RuntimeClass,
    )
)


class Shadowed(msgspec.Struct, frozen=True, gc=False):
    """An object that was given again, differently: `stands` was judged, `other` was not."""

    stands: ApiObject
    other: ApiObject

    @property
    def ref(self) -> Ref:
        """What both are called."""
        return self.stands.ref


class Objects(msgspec.Struct, Generic[O], frozen=True):
    """The objects of one kind that are in sight, and the namespaces in which they are all.

    `listed` is what Lists were complete for; `is_whole` says for all namespaces. Each name
    occurs once: a manifest stands for what will be applied and replaces the cluster's
    object, except a pod that exists, whose spec cannot change any more. `shadowed` are those
    that would stand too and say something else. In a namespace that does not exist (`spaces`)
    nothing does.
    """

    kind: str
    plural: str
    items: tuple[O, ...] = ()
    listed: frozenset[str] = frozenset()
    is_whole: bool = False
    by_name: Mapping[tuple[str, str], O] = {}
    by_namespace: Mapping[str, tuple[O, ...]] = {}
    lists: tuple[Document, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()
    spaces: "Objects[Namespace] | None" = None

    @classmethod
    def of(
        cls,
        kind: str,
        items: Iterable[O] = (),
        *,
        plural: str,
        listed: frozenset[str] = frozenset(),
        is_whole: bool = False,
        lists: tuple[Document, ...] = (),
    ) -> "Objects[O]":
        """Index objects by namespace and name; `lists` are the Lists that were complete."""
        by_name: dict[tuple[str, str], O] = {}
        again: list[tuple[tuple[str, str], O]] = []
        for index, item in enumerate(items):
            name = item.metadata.name or f"{item.metadata.generate_name}{index}"
            key = (item.metadata.namespace, name)
            if key not in by_name:
                by_name[key] = item
            elif _stands(item, before=by_name[key]):
                again.append((key, by_name[key]))
                by_name[key] = item
            else:
                again.append((key, item))
        by_namespace: dict[str, list[O]] = defaultdict(list)
        for item in by_name.values():
            by_namespace[item.metadata.namespace].append(item)
        return cls(
            kind=kind,
            plural=plural,
            items=tuple(by_name.values()),
            listed=listed,
            is_whole=is_whole,
            by_name=by_name,
            by_namespace={key: tuple(value) for key, value in by_namespace.items()},
            lists=lists,
            shadowed=tuple(
                Shadowed(stands=by_name[key], other=other)
                for key, other in again
                if _differs(other, by_name[key])
            ),
        )

    def is_complete(self, namespace: str = "") -> bool:
        """Whether an object that is not here does not exist."""
        return self.is_whole or namespace in self.listed or self._is_nowhere(namespace)

    def _is_nowhere(self, namespace: str) -> bool:
        """Whether there is no such namespace."""
        spaces = self.spaces
        if spaces is None or not namespace or not spaces.is_complete():
            return False
        return ("", namespace) not in spaces.by_name

    def all_in(self, namespace: str = "") -> Answer[tuple[O, ...]]:
        """Give every object of a namespace, or of the cluster; Unknown unless listed."""
        if not self.is_complete(namespace):
            return self._not_listed(namespace)
        items = self.by_namespace.get(namespace, ()) if namespace else self.items
        return Known(value=items, places=self._places(namespace))

    def all_given(self) -> Answer[tuple[O, ...]]:
        """Give every object of the cluster, assuming that there are none beyond those given.

        Unknown where none was given.
        """
        every = self.all_in()
        if isinstance(every, Known) or not self.items:
            return every
        return Known(
            value=self.items,
            places=tuple(item.place() for item in self.items[:1]),
            assumes=(f"there are no {self.kind} objects beyond those given",),
        )

    def find(self, name: str, *, namespace: str = "") -> Answer[O | None]:
        """Look one up.

        Absent from a complete list: None. Absent where others of its kind and namespace
        were given as manifests: None, assuming that there are no more. Else Unknown.
        """
        found = self.by_name.get((namespace, name))
        if found is not None:
            return Known(value=found, places=(found.place(),))
        if self.is_complete(namespace):
            return Known(value=None, places=self._places(namespace))
        beside = self.by_namespace.get(namespace, ())
        if not beside:
            return self._not_listed(namespace)
        full_name = f"{namespace}/{name}" if namespace else name
        return Known(
            value=None,
            places=(beside[0].place(),),
            assumes=(f"there is no {self.kind} {full_name} beyond what was given",),
        )

    def _places(self, namespace: str) -> tuple[Place, ...]:
        is_nowhere = self.spaces is not None and self._is_nowhere(namespace)
        lists = self.spaces.lists if self.spaces is not None and is_nowhere else self.lists
        return tuple(Place(document=document) for document in lists[:1])

    def _not_listed(self, namespace: str) -> Unknown:
        where = f" of namespace {namespace}" if namespace else ""
        everywhere = "" if self.kind in _CLUSTER_SCOPED else " -A"
        flag = f" -n {namespace}" if namespace else everywhere
        return Unknown(
            reason=f"the {self.kind} objects{where} were not listed",
            give=f"kubectl get {self.plural}{flag} -o json",
        )


def _stands(item: ApiObject, *, before: ApiObject) -> bool:
    """Say whether the later of two objects with one name stands for both."""
    ranks = [o.document.origin is Origin.MANIFEST for o in (before, item)]
    if ranks[0] == ranks[1]:
        return True
    is_pod = isinstance(item, Pod)
    return ranks[1] is not is_pod


def _differs(one: ApiObject, other: ApiObject) -> bool:
    """Say whether two wishes for one object differ; what runs may change as it likes."""
    if any(o.document.origin is not Origin.MANIFEST or o.metadata.uid for o in (one, other)):
        return False
    bare = (msgspec.structs.replace(o, document=NOWHERE, base=()) for o in (one, other))
    return next(bare) != next(bare)


class PluginFile(msgspec.Struct, frozen=True, gc=False):
    """A device plugin's configuration as a file of its own (top level `resourceList`)."""

    file: TextFile


class InputFault(msgspec.Struct, frozen=True, gc=False):
    """Something in the input that could not be read, or that nobody may have meant.

    `slug` is the input rule that reports it (`unreadable-input`, `duplicate-key`).
    """

    slug: str
    message: str
    place: Place
    is_template: bool = False
    cure: str = ""

    @property
    def ref(self) -> Ref:
        """The file, and the place in it as its part."""
        return Ref(kind="File", name=self.place.document.name).at(str(self.place))


class LookedAt(msgspec.Struct, frozen=True, gc=False):
    """What was read, for the last lines of a report.

    `foreign` counts what makes pods and is of a kind that podwire does not read
    (`RayJob.ray.io`). `is_partial`: Lists were taken for some namespaces only.
    """

    documents: int = 0
    objects: int = 0
    nodes: int = 0
    oldest: str | None = None
    newest: str | None = None
    foreign: tuple[tuple[str, int], ...] = ()
    is_partial: bool = False


class Inventory(msgspec.Struct, frozen=True):
    """All facts of one call."""

    pods: Objects[Pod]
    nodes: Objects[Node]
    networks: Objects[Network]
    config_maps: Objects[ConfigMap]
    workloads: Mapping[str, Objects[Workload]]
    events: Objects[Event]
    webhooks: Objects[MutatingWebhookConfiguration]
    device_classes: Objects[DeviceClass]
    namespaces: Objects[Namespace]
    runtime_classes: Objects[RuntimeClass] = Objects(kind="RuntimeClass", plural="runtimeclasses")
    cluster_policies: Objects[ClusterPolicy] = Objects(
        kind="ClusterPolicy", plural="clusterpolicies"
    )
    node_files: Mapping[str, NodeFiles] = {}
    pod_files: Mapping[tuple[str, str], PodFiles] = {}
    plugin_files: tuple[PluginFile, ...] = ()
    wirings: tuple[Wiring, ...] = ()
    helm: Mapping[str, TextFile] = {}
    logs: tuple[TextFile, ...] = ()
    assumed_versions: Mapping[str, Version] = {}
    faults: tuple[InputFault, ...] = ()
    unread: tuple[Document, ...] = ()
    others: tuple[Other, ...] = ()
    looked_at: LookedAt = LookedAt()

    @property
    def kinds(self) -> tuple[Objects[Any], ...]:
        """Give the objects of every kind that podwire reads."""
        return (
            self.pods,
            self.nodes,
            self.networks,
            self.config_maps,
            self.events,
            self.webhooks,
            self.device_classes,
            self.namespaces,
            self.runtime_classes,
            self.cluster_policies,
            *self.workloads.values(),
        )

    def network(self, name: str, *, namespace: str) -> Answer[Network | None]:
        """Look a NAD up; one that an operator makes of an object in sight is not absent."""
        found = self.networks.find(name, namespace=namespace)
        if isinstance(found, Known) and found.value is None and found.assumes:
            for other in self.others:
                if other.makes_network(name, namespace=namespace):
                    return Unknown(
                        reason=f"what becomes of {other.ref}, which makes the network "
                        f"{namespace}/{name}",
                        give="kubectl get net-attach-def -A -o json",
                        fact="the networks that operators make",
                    )
        return found

    def of_kind(self, kind: str) -> Objects[Any] | None:
        """Give the objects of a kind by the API's name of it; None: podwire reads none."""
        return next((objects for objects in self.kinds if objects.kind == kind), None)
