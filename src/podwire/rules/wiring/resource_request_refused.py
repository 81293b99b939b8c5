"""A container requests a device in a way that the API server refuses.

What you see
    kubectl apply is answered with an error, or a controller reports
    FailedCreate and makes no pod.

Why
    An extended resource has a domain, is counted in whole devices, and
    cannot be lent: its limit has to be set, and a request has to be the
    same. A name without a domain is none.

Fix
    Set the limit, and leave the request out or make it equal.
"""

from collections.abc import Iterator

from podwire.facts.objects import Container
from podwire.facts.others import LIMIT_RANGE
from podwire.facts.workloads import PodView, Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Path
from podwire.model.names import ResourceName
from podwire.peers import api_resources
from podwire.peers.api_resources import RefusalKind
from podwire.wire.picture import Picture

# What is said of a pod that is not made at all.
_MOOT = (
    "attachment-without-device",
    "device-without-attachment",
    "resource-nowhere",
    "resource-exhausted",
)
_CURES = {
    RefusalKind.NO_DOMAIN: "write domain/{}, as a node's capacity has it",
    RefusalKind.BAD_NAME: "write domain/name in lower case",
    RefusalKind.BAD_QUANTITY: "write a whole number of {}",
    RefusalKind.NO_LIMIT: "set limits of {}, and leave it out of requests",
    RefusalKind.UNEQUAL: "set limits of {}, and leave it out of requests",
}
_NO_DEFAULTS = "no LimitRange or webhook completes the container's limits"


def check(pod: PodView, picture: Picture) -> Iterator[Finding]:
    """Ask the API server's rules about each container that it has not accepted yet."""
    if pod.of.document.origin.is_observed or pod.stage is not Stage.PLANNED:
        return
    is_defaulted = pod.namespace in {
        other.namespace for other in picture.facts.others if other.kind == LIMIT_RANGE
    }  # It may set the limit.
    for view in pod.containers():
        for refusal in api_resources.refusals(view.container.resources):
            if refusal.kind is not RefusalKind.NO_LIMIT or not is_defaulted:
                path = (*view.path, "resources")
                yield _finding(pod, view.container, refusal, path=path, picture=picture)


def _finding(
    pod: PodView,
    container: Container,
    refusal: api_resources.Refusal,
    *,
    path: Path,
    picture: Picture,
) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        message=f"the API server refuses container {container.name} of {pod}: {refusal.what}",
        evidence=(Evidence(at=pod.place(*path, refusal.field, refusal.name), saw=refusal.saw),),
        sees=f"the pod is not made: {refusal.says}",
        fix=tuple(_fixes(refusal, picture)),
        assumes=(_NO_DEFAULTS,) if refusal.kind is RefusalKind.NO_LIMIT else (),
        group=f"{picture.kin(pod)} {refusal.what}",
        explains=tuple(Symptom(slug=slug, of=pod.ref) for slug in _MOOT),
    )


def _fixes(refusal: api_resources.Refusal, picture: Picture) -> Iterator[Fix]:
    name = refusal.name.casefold()
    known: set[ResourceName] = {*picture.pools_of, *picture.on_nodes}
    meant = sorted(r for r in known if name in {r.name.casefold(), str(r).casefold()})
    wrong = [r for r in meant if str(r) != refusal.name]
    for resource in wrong:
        yield Fix(text=f"write {resource}")
    if not wrong:
        yield Fix(text=_CURES[refusal.kind].format(refusal.name))


RULE = Rule(
    id="PW115",
    slug="resource-request-refused",
    title="Request for a device that the API server refuses",
    since="0.1",
    joint=Joint.OFFER,
    refs=(
        "kubernetes v1.37.2 pkg/apis/core/validation/validation.go validateResourceRequirements",
    ),
    over=lambda picture: picture.views,
    check=check,
)
