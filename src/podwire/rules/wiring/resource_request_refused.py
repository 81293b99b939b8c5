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
from podwire.facts.workloads import PodView, Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Path
from podwire.model.names import ResourceName
from podwire.peers import api_resources
from podwire.wire.picture import Picture

# What is said of a pod that is not made at all.
_MOOT = (
    "attachment-without-device",
    "device-without-attachment",
    "resource-nowhere",
    "resource-exhausted",
)
_NO_DEFAULTS = "no LimitRange or webhook completes the container's limits"


def check(pod: PodView, picture: Picture) -> Iterator[Finding]:
    """Ask the API server's rules about each container that it has not accepted yet."""
    if pod.of.document.origin.is_observed or pod.stage is not Stage.PLANNED:
        return
    for kind, containers in (
        ("containers", pod.spec.containers),
        ("initContainers", pod.spec.init_containers),
    ):
        for index, container in enumerate(containers):
            path = ("spec", kind, index, "resources")
            for refusal in api_resources.refusals(container.resources):
                yield _finding(pod, container, refusal, path=path, picture=picture)


def _finding(
    pod: PodView,
    container: Container,
    refusal: api_resources.Refusal,
    *,
    path: Path,
    picture: Picture,
) -> Finding:
    is_limit_missing = refusal.says.startswith("Limit")
    return Finding(
        severity=Severity.ERROR,
        message=f"the API server refuses container {container.name} of {pod.ref}: {refusal.what}",
        evidence=(Evidence(at=pod.place(*path, refusal.field, refusal.name), saw=refusal.saw),),
        sees=f"the pod is not made: {refusal.says}",
        fix=tuple(_fixes(refusal, picture)),
        assumes=(_NO_DEFAULTS,) if is_limit_missing else (),
        group=f"{picture.root(pod)} {refusal.what}",
        explains=tuple(Symptom(slug=slug, of=pod.ref) for slug in _MOOT),
    )


def _fixes(refusal: api_resources.Refusal, picture: Picture) -> Iterator[Fix]:
    name = refusal.name.casefold()
    known: set[ResourceName] = {*picture.pools_of, *picture.on_nodes}
    meant = sorted(r for r in known if name in {r.name.casefold(), str(r).casefold()})
    wrong = [r for r in meant if str(r) != refusal.name]
    for resource in wrong:
        yield Fix(text=f"write {resource}")
    if "/" not in refusal.name and not wrong:
        yield Fix(text=f"write domain/{refusal.name}, as a node's capacity has it")
    elif refusal.what.startswith(f"{refusal.name}:") and not wrong:
        yield Fix(text="write domain/name with a whole number")
    elif not wrong:
        yield Fix(text=f"set limits of {refusal.name}, and leave it out of requests")


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
