"""The key of the networks annotation is misspelt.

What you see
    The pod runs with no interface beside the main one. No event says so;
    virtual functions that it requests are held and stay unused.

Why
    Kubernetes takes any annotation. Multus looks for exactly
    k8s.v1.cni.cncf.io/networks and does nothing for a pod that has it not.

Fix
    Correct the key, and make the pods anew.
"""

from collections.abc import Iterator

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.patches import annotate
from podwire.peers.multus import NETWORKS
from podwire.wire.networks.annotations import Misspelt, misspelt, unseen_mutators
from podwire.wire.picture import Picture


def check(found: Misspelt, picture: Picture) -> Iterator[Finding]:
    """State it of every pod that has not ended and for which a CNI is called."""
    pod = found.pod
    if pod.stage is Stage.OVER or pod.spec.host_network:
        return
    have = pod.metadata.annotations
    yield Finding(
        severity=Severity.ERROR,
        message=f"{pod} has the annotation {found.key}, which nobody reads: the networks "
        f"annotation is {NETWORKS}",
        evidence=(Evidence(at=pod.place("metadata", "annotations", found.key), saw=found.value),),
        sees=f"the pod runs without the interface of {found.value}, and no event says so",
        fix=(
            Fix(
                text=f"write {NETWORKS}: {found.value}"
                + ("" if pod.is_template else ", and make the pod anew"),
                patch=annotate(
                    pod.of.ref, NETWORKS, found.value, have=have, at=(*pod.path, "metadata")
                ),
            ),
        ),
        assumes=unseen_mutators(pod, picture),
        group=f"{picture.kin(pod)} {found.key}",
        explains=(Symptom(slug="device-without-attachment", of=pod.ref),),
    )


RULE = Rule(
    id="PW107",
    slug="networks-annotation-misspelt",
    title="Key of the networks annotation is misspelt",
    since="0.1",
    joint=Joint.ANNOTATION,
    refs=("multus-cni v4.3.0 pkg/k8sclient/k8sclient.go GetPodNetwork",),
    over=misspelt,
    check=check,
)
