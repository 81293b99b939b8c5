"""Networks annotations that nobody reads: on the wrong object, among labels, misspelt."""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.workloads import PodView, Workload, views_of
from podwire.model.evidence import Path, Place
from podwire.model.names import Ref
from podwire.peers.multus import NETWORKS, near_miss_key
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.unseen import unseen_webhooks
from podwire.wire.picture import Picture


class Misplaced(msgspec.Struct, frozen=True, gc=False):
    """A networks annotation that stands where Multus does not look.

    `path` leads to the mapping that holds it, `where` calls that by name. `views` are the
    pods or templates that it was meant for.
    """

    ref: Ref
    path: Path
    where: str
    value: str
    place: Place
    views: tuple[PodView, ...]


class Misspelt(msgspec.Struct, frozen=True, gc=False):
    """An annotation of a pod or a template whose key was meant to be the networks annotation."""

    pod: PodView
    key: str

    @property
    def ref(self) -> Ref:
        """The pod, or the workload that makes it."""
        return self.pod.ref

    @property
    def value(self) -> str:
        """The networks that it names in vain."""
        return self.pod.metadata.annotations[self.key]


def misplaced(picture: Picture) -> tuple[Misplaced, ...]:
    """Find the annotation on workloads, between workload and template, and among labels."""
    found = [
        one
        for objects in picture.facts.workloads.values()
        for workload in objects.items
        if not picture.is_made(workload) and not workload.is_at_rest
        for one in _above_templates(workload)
    ]
    return (*found, *(m for view in picture.views for m in _among_labels(view)))


def misspelt(picture: Picture) -> tuple[Misspelt, ...]:
    """Find keys that were meant to be the networks annotation, on pods that lack it."""
    near: dict[str, bool] = {}
    found = []
    for view in picture.views:
        annotations = view.metadata.annotations
        for key in annotations if NETWORKS not in annotations else ():
            if key not in near:
                near[key] = near_miss_key(key) == NETWORKS
            if near[key]:
                found.append(Misspelt(pod=view, key=key))
    return tuple(found)


def unseen_mutators(view: PodView, picture: Picture) -> tuple[str, ...]:
    """Say what is assumed of a pod that was not made yet: nobody adds the annotation."""
    return unseen_webhooks(view, picture.facts, does="adds networks to pods")


def for_whom(found: Misplaced, picture: Picture) -> tuple[WiredPod, ...]:
    """Give the living pods and the templates that it was meant for."""
    meant = {view.ref for view in found.views}
    roots = dict.fromkeys(picture.root(view) for view in found.views)
    pods = (pod for root in roots for pod in picture.by_root.get(root, ()))
    return tuple(pod for pod in pods if not pod.pod.is_template or pod.ref in meant)


def _above_templates(workload: Workload) -> Iterator[Misplaced]:
    views = tuple(v for v in views_of(workload) if isinstance(v, PodView))
    if not views:
        return
    if NETWORKS in workload.metadata.annotations:
        yield _found(workload, (), workload.metadata.annotations, views)
    for view in views:
        tree: object = {"spec": workload.spec}
        for depth, step in enumerate(view.path[:-1]):
            tree = tree[step] if isinstance(tree, dict | list) else {}  # type: ignore[index]  # a path found in this tree
            annotations = _annotations(tree)
            if NETWORKS in annotations:
                yield _found(workload, view.path[: depth + 1], annotations, (view,))


def _annotations(tree: object) -> Mapping[str, object]:
    metadata = tree.get("metadata") if isinstance(tree, dict) else None
    found = metadata.get("annotations") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def _found(
    workload: Workload, path: Path, annotations: Mapping[str, object], views: tuple[PodView, ...]
) -> Misplaced:
    at = (*path, "metadata", "annotations")
    return Misplaced(
        ref=workload.ref,
        path=at,
        where=f"on {path[-1]}" if path else f"on the {workload.kind} itself",
        value=str(annotations[NETWORKS]),
        place=workload.place(*at, NETWORKS),
        views=views,
    )


def _among_labels(view: PodView) -> Iterator[Misplaced]:
    if NETWORKS in view.metadata.labels:
        yield Misplaced(
            ref=view.ref,
            path=(*view.path, "metadata", "labels"),
            where="among the labels",
            value=view.metadata.labels[NETWORKS],
            place=view.place("metadata", "labels", NETWORKS),
            views=(view,),
        )
