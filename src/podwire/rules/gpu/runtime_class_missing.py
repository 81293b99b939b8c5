"""A pod names a runtime class that does not exist.

What you see
    The pod is refused: pod rejected: RuntimeClass "nvidia" not found. Its
    workload has no pods, and an event of the controller says so.

Why
    The API server looks the class up when the pod is made. The GPU Operator
    makes the class nvidia, and takes it away when its NRI plugin is on.

Fix
    Leave runtimeClassName out where the GPU comes by CDI or NRI; else make
    the class.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.workloads import Stage
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.patches import remove_value
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import NamedClass


def check(named: "NamedClass", picture: Picture) -> Iterator[Finding]:
    """Look the class up."""
    pod = named.pod
    found = picture.facts.runtime_classes.find(named.name).need()
    if found.value is not None:
        return
    is_up = pod.stage is Stage.UP
    path = ("spec", "runtimeClassName")
    is_exchangeable = pod.is_template or pod.stage is Stage.PLANNED
    patch = remove_value(pod.of.ref, (*pod.path, *path)) if is_exchangeable else None
    yield Finding(
        severity=Severity.WARNING if is_up else Severity.ERROR,
        message=f"{pod} names RuntimeClass {named.name}, which does not exist",
        evidence=(
            Evidence(at=pod.place(*path), saw=named.name),
            *(Evidence(at=p, saw=f"no {named.name}") for p in found.places[:1]),
        ),
        sees=f'pod rejected: RuntimeClass "{named.name}" not found'
        + (": the next pod made from this is refused" if is_up else ""),
        cause=_cause(picture),
        fix=(
            Fix(
                text="take runtimeClassName out, where GPUs come by CDI or NRI",
                breaks="under a runtime that is not NVIDIA's the variable NVIDIA_VISIBLE_DEVICES "
                "gives nothing",
                patch=patch,
            ),
            Fix(text=f"make the RuntimeClass {named.name}, with the handler of the nodes' runtime"),
        ),
        assumes=found.assumes,
        group=f"{picture.kin(pod)} {named.name}",
    )


def _cause(picture: Picture) -> Cause | None:
    policies = picture.gpus.plugins.policies.each if picture.gpus else ()
    if any(policy.uses_nri for policy in policies):
        return Cause(
            text="the GPU Operator's NRI plugin is on (cdi.nriPluginEnabled): with it the operator "
            "removes its runtime classes",
            proven=False,
        )
    return None


RULE = Rule(
    id="PW510",
    slug="runtime-class-missing",
    title="Pod names a runtime class that does not exist",
    since="0.1",
    joint=Joint.RUNTIME,
    refs=(
        "kubernetes v1.37.2 plugin/pkg/admission/runtimeclass/admission.go",
        "gpu-operator v26.7.0 controllers/object_controls.go",
    ),
    over=lambda picture: picture.gpus.named_classes if picture.gpus else (),
    check=check,
)
