"""A pod's runtime class stands for a handler that the node does not have.

What you see
    The pod stays in ContainerCreating: FailedCreatePodSandBox, no runtime
    for "nvidia" is configured.

Why
    A RuntimeClass only names a handler. Each node's container runtime has to
    have it in its configuration; the NVIDIA toolkit writes it there, and the
    runtime reads it when it restarts.

Fix
    Configure the handler on the node, or keep such pods to nodes that have
    it, by scheduling in the RuntimeClass.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.workloads import Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import NamedClass


def check(named: "NamedClass", picture: Picture) -> Iterator[Finding]:
    """Look for the handler in the configuration of the node that the pod is on."""
    pod, gpus = named.pod, picture.gpus
    node = pod.spec.node_name
    if gpus is None or not node or pod.stage is Stage.UP:
        return
    found = picture.facts.runtime_classes.find(named.name).need()
    if found.value is None:
        return  # Another rule's.
    handler = found.value.handler
    if gpus.node(node).runtime.need().value.handler(handler) is not None:
        return
    runtime = gpus.node(node).runtime_read.need()
    if runtime.value.handler(handler) is not None:
        return
    has = ", ".join(sorted(runtime.value.handlers)) or "none"
    yield Finding(
        severity=Severity.ERROR,
        message=f"{pod} names RuntimeClass {named.name}, whose handler {handler} is not configured "
        f"in {runtime.value.runtime} of {node}",
        evidence=(
            Evidence(at=pod.place("spec", "runtimeClassName"), saw=named.name),
            Evidence(at=found.value.place("handler"), saw=handler),
            *(Evidence(at=p, saw=f"handlers: {has}") for p in gpus.node(node).runtime_places[:1]),
        ),
        sees=f'FailedCreatePodSandBox: no runtime for "{handler}" is configured',
        fix=(
            Fix(
                text=f"nvidia-ctk runtime configure --runtime={runtime.value.runtime} on {node}, "
                "then restart the container runtime"
                if "nvidia" in handler
                else f"add the handler {handler} to the configuration, then restart the runtime"
            ),
            Fix(text=f"write scheduling.nodeSelector into RuntimeClass {named.name}"),
        ),
        also=(found.value.ref,),
        group=f"{node} {handler}",
    )


RULE = Rule(
    id="PW511",
    slug="runtime-handler-missing",
    title="Node lacks the handler of a pod's runtime class",
    since="0.1",
    joint=Joint.RUNTIME,
    refs=("containerd v2.4.2 internal/cri/server/sandbox_run.go, internal/cri/config/config.go",),
    over=lambda picture: picture.gpus.named_classes if picture.gpus else (),
    check=check,
)
