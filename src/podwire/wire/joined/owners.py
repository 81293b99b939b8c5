"""From a pod up to the workload that somebody wrote."""

from podwire.facts.inventory import Inventory
from podwire.facts.objects import ApiObject
from podwire.facts.workloads import PodView
from podwire.model.names import Ref

_DEEPEST = 8  # Pod, ReplicaSet, Deployment, and what made that; bounds owners in a circle.
_HASH = "pod-template-hash"  # label that the Deployment controller sets on pods


def root_of(pod: PodView, *, facts: Inventory) -> Ref:
    """Follow controllers as far as they are in sight; a ReplicaSet's name tells its Deployment."""
    at: ApiObject = pod.of
    for _ in range(_DEEPEST):
        owner = next((o for o in at.metadata.owner_references if o.controller), None)
        if owner is None:
            break
        ref = Ref(kind=owner.kind, name=owner.name, namespace=at.metadata.namespace)
        objects = facts.workloads.get(owner.kind)
        above = objects.by_name.get((ref.namespace, ref.name)) if objects else None
        if above is None:
            return _deployment_of(ref, pod)
        at = above
    return at.ref


def _deployment_of(ref: Ref, pod: PodView) -> Ref:
    suffix = "-" + pod.metadata.labels.get(_HASH, "")
    if ref.kind == "ReplicaSet" and len(suffix) > 1 and ref.name.endswith(suffix):
        name = ref.name.removesuffix(suffix)
        return Ref(kind="Deployment", name=name, namespace=ref.namespace)
    return ref
