"""NVIDIA's runtime refuses to make a container.

What you see
    The container never starts: RunContainerError or CreateContainerError,
    with a sentence of the NVIDIA container runtime in the pod's status.

Why
    The runtime ends when its config.toml cannot be read or names a mode that
    this version does not have, when a GPU is asked for that the node has not,
    and when names are mixed that it does not take together.

Fix
    Mend what the sentence names: the configuration on the node, or what the
    container asks for.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.uses import JudgedUse

_LONGEST = 180


def check(judged: "JudgedUse", picture: Picture) -> Iterator[Finding]:
    """Look for a refusal that is not about a CDI name."""
    use, way, gpus = judged.use, judged.known, picture.gpus
    if gpus is None or way.fault != "refused" or way.outcome is None:
        return
    says = " ".join(way.says.split())
    shown = says if len(says) <= _LONGEST else f"...{says[-_LONGEST:]}"
    places = gpus.node(way.node).toolkit_places
    is_of_config = "loading config" in says or "runtime mode" in says
    yield Finding(
        severity=Severity.ERROR,
        message=f"{use.full_name} cannot start on {way.node}: NVIDIA's runtime refuses it: {shown}",
        evidence=(
            *(Evidence(at=p, saw=s) for p, s in gpus.asked_evidence(use, way)),
            *(Evidence(at=p, saw=f"starts it: {way.handler.name}") for p in way.places[:1]),
            *(Evidence(at=p, saw="its configuration") for p in places[:1]),
        ),
        sees=says[:400],
        fix=(
            Fix(
                text=f"mend config.toml of the NVIDIA container toolkit on {way.node}"
                if is_of_config
                else "ask for a GPU that the node has, by its UUID; nvidia-smi -L lists them"
            ),
        ),
        assumes=way.assumes,
        group=f"{way.node} {shown if is_of_config else use.ref}",
    )


RULE = Rule(
    id="PW607",
    slug="toolkit-refuses-container",
    title="NVIDIA's runtime refuses to make a container",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=("nvidia-container-toolkit v1.20.2 internal/runtime/runtime_factory.go, api/config/v1",),
    over=lambda picture: picture.gpus.known_ways if picture.gpus else (),
    check=check,
    shows_as=("nvml-missing",),
)
