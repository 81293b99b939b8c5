"""The networks annotation stands where Multus does not look.

What you see
    The pods run with no interface beside the main one. Nothing complains;
    virtual functions that they request are held and stay unused.

Why
    Multus reads the annotation of the pod. Kubernetes gives pods the
    annotations of the pod template, not those of the Deployment, Job or
    other workload around it, and labels are no annotations.

Fix
    Move the annotation into the metadata of the pod template.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.patches import annotate
from podwire.findings.unused import unused
from podwire.model.evidence import dotted
from podwire.peers.multus import NETWORKS
from podwire.wire.joined.pods import WiredPod
from podwire.wire.networks.annotations import Misplaced, for_whom, misplaced, unseen_mutators
from podwire.wire.picture import Picture


def check(found: Misplaced, picture: Picture) -> Iterator[Finding]:
    """See whether the template, or a pod made from it, has the annotation as well."""
    pods = for_whom(found, picture)
    if any(NETWORKS in p.metadata.annotations for p in (*found.views, *(w.pod for w in pods))):
        return
    templates = [v for v in found.views if v.is_template]
    reader = "its pod template" if templates else "its annotations"
    yield Finding(
        severity=Severity.ERROR,
        message=f"the networks annotation ({found.value}) of {found.ref} stands {found.where}, "
        f"not in {reader}: Multus reads pods and does not see it",
        evidence=(
            Evidence(at=found.place, saw=found.value),
            *(
                Evidence(at=v.place("metadata", "annotations", NETWORKS), saw="no annotation")
                for v in found.views[:2]
            ),
            *(Evidence(at=r.place, saw=f"{r.count}") for p in pods[:1] for r in p.requests),
        ),
        sees=_sees(pods, picture),
        fix=tuple(_fixes(found)),
        assumes=unseen_mutators(found.views[0], picture),
        also=tuple(pod.ref for pod in pods),
        group=f"{found.ref}",
        explains=tuple(symptom for pod in pods for symptom in unused((pod,), pod.resources)),
    )


def _sees(pods: tuple[WiredPod, ...], picture: Picture) -> str:
    held = {r: p.demand(r) for p in pods for r in p.resources if r in picture.network_resources}
    unused = ", ".join(f"{count} of {resource}" for resource, count in sorted(held.items()))
    return "the pods run with no interface of that network, and no event says so" + (
        f"; each holds {unused}, unused" if unused else ""
    )


def _fixes(found: Misplaced) -> Iterator[Fix]:
    for view in found.views:
        metadata = (*view.path, "metadata")
        have = view.metadata.annotations
        yield Fix(
            text=f"move the annotation to {dotted((*metadata, 'annotations'))} of {view.of.ref}",
            breaks="" if view.is_template else "a running pod has to be made anew",
            patch=annotate(view.of.ref, NETWORKS, found.value, have=have, at=metadata)
            if have or view.metadata.labels
            else None,
        )


RULE = Rule(
    id="PW106",
    slug="networks-annotation-misplaced",
    title="Networks annotation stands on the workload or among labels, not on the pods",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=(
        "multus-cni v4.3.0 pkg/k8sclient/k8sclient.go GetPodNetwork",
        "kubernetes v1.37.2 pkg/controller/controller_utils.go getPodsAnnotationSet",
    ),
    over=misplaced,
    check=check,
)
