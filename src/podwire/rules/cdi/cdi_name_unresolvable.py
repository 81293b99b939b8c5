"""A CDI device that a container is to get is offered by no spec of its node.

What you see
    The container never starts: unresolvable CDI devices, and the name.
    RunContainerError, then CrashLoopBackOff; the pod was scheduled.

Why
    A bare UUID or number in NVIDIA_VISIBLE_DEVICES has no kind. In mode cdi
    the NVIDIA runtime puts the default kind of its configuration before it.
    The GPU Operator sets management.nvidia.com/gpu there, which is for its
    own containers and has only the device all: the specs with single GPUs
    are written by device plugins that speak CDI themselves, and by
    nvidia-ctk, each under its own kind and with its own names.

Fix
    Let the plugin speak CDI, so that it names what it has written itself; or
    let the runtime resolve bare names (mode auto).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.cdi_names import cause, fixes, sentence, story
from podwire.findings.model import Evidence, Finding, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.uses import JudgedUse


def check(judged: "JudgedUse", picture: Picture) -> Iterator[Finding]:
    """Look each name up among those that the node offers."""
    use, gpus = judged.use, picture.gpus
    if gpus is None:
        return
    way = judged.way.need().value
    if not way.unresolved:
        return
    refusal = use.refusal
    node = gpus.node(way.node)
    plugin = gpus.giver(use, way)
    kind = way.unresolved[0].partition("=")[0]
    yield Finding(
        severity=Severity.ERROR,
        message=f"{use.full_name} cannot start on {way.node}: {story(way, plugin)}",
        evidence=(
            *(Evidence(at=p, saw=s) for p, s in gpus.asked_evidence(use, way)),
            *(Evidence(at=p, saw=f"starts it: {way.handler.name}") for p in way.places[:1]),
            *(Evidence(at=p, saw=s) for p, s in gpus.kind_evidence(kind, way)),
            *((Evidence(at=refusal[1], saw=sentence(refusal[0])),) if refusal else ()),
        ),
        sees=sentence(way.says),
        cause=cause(kind, is_proven=refusal is not None),
        fix=tuple(fixes(way, kind, plugin)),
        assumes=() if refusal else way.assumes,
        also=(*((node.node.ref,) if node.node else ()), *((plugin.ref,) if plugin else ())),
        group=f"{plugin.ref} {kind} {way.node}"
        if plugin
        else f"{picture.kin(use.pod)} {use.view.container.name} {way.node}",
    )


RULE = Rule(
    id="PW601",
    slug="cdi-name-unresolvable",
    title="No spec of the node offers a CDI device that is asked for",
    since="0.1",
    joint=Joint.SPEC,
    refs=(
        "container-device-interface v1.1.1 pkg/cdi/cache.go InjectDevices",
        "nvidia-container-toolkit v1.20.2 internal/modifier/cdi.go",
        "gpu-operator v25.10.0 assets/state-container-toolkit",
    ),
    over=lambda picture: picture.gpus.judged if picture.gpus else (),
    check=check,
    is_symptom=True,
    shows_as=("cdi-unresolvable",),
)
