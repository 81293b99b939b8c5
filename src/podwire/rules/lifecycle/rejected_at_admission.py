"""Kubelet rejected a pod because it had no device of a network resource to give.

What you see
    The pod is Failed with the reason UnexpectedAdmissionError, or OutOf and
    the resource. It never ran, and stays until somebody deletes it.

Why
    The device plugin had not registered when kubelet had to admit the pod:
    one that was on the node before a reboot, or one that the scheduler sent.
    The scheduler sends pods because for five minutes after a plugin went
    away kubelet still counts devices that it cannot give. A rejected pod is
    never tried again. Its controller makes another one; a pod without a
    controller stays Failed.

Fix
    Delete the rejected pods once the plugin is back, and let a controller
    make such pods.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import is_for_networks
from podwire.wire.rejected import Rejected, refused_resource, rejected


def check(pod: Rejected, picture: Picture) -> Iterator[Finding]:
    """Read which resource it was off the message."""
    resource = refused_resource(pod).need().value
    if not is_for_networks(resource, picture):
        return
    starts = _starts(pod, str(resource), picture)
    place = pod.pod.pod.place("status", "message" if pod.message else "reason")
    yield Finding(
        severity=Severity.WARNING if pod.is_remade else Severity.ERROR,
        message=f"kubelet of {pod.node or 'its node'} rejected {pod.ref}: {_says(pod, resource)}"
        + ("" if pod.is_remade else "; no controller owns it, so nothing makes it again"),
        evidence=(
            *(
                Evidence(at=r.place, saw=str(r.count))
                for r in pod.pod.requests
                if r.resource == resource
            ),
            Evidence(at=place, saw=pod.message or pod.reason),
            *starts,
        ),
        sees=f"the pod stays Failed, {pod.reason}, until it is deleted",
        cause=Cause(
            text="the device plugin had not registered (again) with kubelet when the pod came: "
            "after a reboot, a restart of kubelet or of the plugin",
            proven=False,
        ),
        fix=(Fix(text=_delete(pod)),),
        group=f"{pod.node} {resource}",
    )


def _says(pod: Rejected, resource: object) -> str:
    names = pod.decoded.names if pod.decoded else {}
    if "requested" in names and "available" in names:
        return f"{resource}, requested {names['requested']}, available {names['available']}"
    if "capacity" in names:
        return f"{resource}, requested {names['requested']} of {names['capacity']}"
    return f"it had no {resource} to give"


def _starts(pod: Rejected, resource: str, picture: Picture) -> Iterator[Evidence]:
    for pool in picture.pools:
        plugin = pool.plugin
        started = plugin.started_at(pod.node) if str(pool.resource) == resource else None
        if started is not None:
            place = plugin.pods[pod.node].place("status", "containerStatuses")
            yield Evidence(at=place, saw=f"device plugin started {started}")


def _delete(pod: Rejected) -> str:
    names = " ".join(ref.name for ref in pod.beside)
    return f"kubectl delete pod -n {pod.ref.namespace} {names}, once the plugin is back"


RULE = Rule(
    id="PW1005",
    slug="rejected-at-admission",
    title="Kubelet had no network device to give to a pod",
    since="0.1",
    joint=Joint.OFFER,
    refs=(
        "kubernetes v1.36.2 pkg/kubelet/cm/devicemanager/manager.go devicesToAllocate",
        "kubernetes v1.36.2 pkg/kubelet/lifecycle/predicate.go",
    ),
    over=rejected,
    check=check,
)
