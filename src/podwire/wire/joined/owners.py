"""From a pod up to the workload that somebody wrote."""

from podwire.facts.inventory import Inventory
from podwire.facts.objects import ApiObject
from podwire.facts.workloads import PodView
from podwire.model.names import Ref

_DEEPEST = 8  # Pod, ReplicaSet, Deployment, and what made that; bounds owners in a circle.
_HASH = "pod-template-hash"  # label that the Deployment controller sets on pods
# What names the things it makes after itself: NAME-HASH, NAME-MINUTES.
_MAKERS = {"ReplicaSet": "Deployment", "Job": "CronJob"}


def root_of(pod: PodView, *, facts: Inventory) -> Ref:
    """Follow controllers as far as they are in sight; the last one's name may tell what made it."""
    at: ApiObject = pod.of
    for _ in range(_DEEPEST):
        owner = at.metadata.controller
        if owner is None:
            break
        ref = Ref(kind=owner.kind, name=owner.name, namespace=at.metadata.namespace)
        objects = facts.workloads.get(owner.kind)
        above = objects.by_name.get((ref.namespace, ref.name)) if objects else None
        if above is None:
            return _maker_of(ref, pod, facts=facts)
        at = above
    return at.ref


def _maker_of(ref: Ref, pod: PodView, *, facts: Inventory) -> Ref:
    """Name what made a ReplicaSet or a Job that is not in sight, by how it names them."""
    kind = _MAKERS.get(ref.kind)
    if kind is None:
        return ref
    name, _, last = ref.name.rpartition("-")
    above = Ref(kind=kind, name=name, namespace=ref.namespace)
    if (ref.namespace, name) in facts.workloads[kind].by_name:
        return above if kind != "CronJob" or last.isdecimal() else ref
    return above if kind == "Deployment" and last == pod.metadata.labels.get(_HASH) else ref
