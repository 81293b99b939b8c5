"""A CDI spec of a node cannot be loaded, or gives a name that another one gives too.

What you see
    None of the spec's devices exists: unresolvable CDI devices, for names
    that stand in the file.

Why
    The CDI library drops a whole spec for one unknown field, for a feature
    that is newer than its cdiVersion, or for a name with a wrong letter. Of
    two specs in one folder that give one name it takes neither.

Fix
    Write the spec again with the program that made it, in a version that the
    runtime knows; take the second file away.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import NodeSpec


def check(spec: "NodeSpec", picture: Picture) -> Iterator[Finding]:
    """Look what the runtime's library makes of a node's spec."""
    if spec.unknown is not None:
        spec.unknown.need()
    starved = picture.gpus.starved_by(spec) if picture.gpus else ()
    what = (
        f"the CDI spec {spec.path} of {spec.node} is not loaded: {spec.sentence}"
        if spec.sentence
        else f"two CDI specs of one folder of {spec.node} give {spec.name}: neither counts"
    )
    yield Finding(
        severity=Severity.WARNING,
        message=what,
        evidence=tuple(Evidence(at=place, saw=spec.path or spec.name) for place in spec.places),
        sees="containers that ask for its devices do not start: unresolvable CDI devices",
        group=f"{spec.node} {' '.join(str(place.document.name) for place in spec.places)}",
        fix=(
            Fix(text="write it again with the program that made it (nvidia-ctk cdi generate)")
            if spec.sentence
            else Fix(text="take one of the two files away"),
        ),
        explains=tuple(Symptom(slug="cdi-name-unresolvable", of=ref) for ref in starved),
    )


RULE = Rule(
    id="PW606",
    slug="cdi-spec-refused",
    title="CDI spec of a node is not loaded, or in conflict with another",
    since="0.1",
    joint=Joint.SPEC,
    refs=("container-device-interface v1.1.1 pkg/cdi/spec.go, cache.go refresh",),
    over=lambda picture: picture.gpus.broken_specs if picture.gpus else (),
    check=check,
)
