"""A key stands twice in one object.

What you see
    Nothing. kubectl takes the file, and the first of the two values is gone
    without a word.

Why
    A reader of YAML or JSON keeps one value of a key, the last one. Twins
    come from copied blocks: a second annotations: or limits: replaces the
    whole first one.

Fix
    Put what is below both keys under one of them, and delete the other.
"""

from collections.abc import Iterator

from podwire.facts.inventory import InputFault
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

_SLUG = "duplicate-key"


def check(fault: InputFault, _: Picture) -> Iterator[Finding]:
    """Pass on what the reader of the file found."""
    yield Finding(
        severity=Severity.WARNING,
        message=fault.message,
        evidence=(Evidence(at=fault.place, saw=""),),
        sees="the last one is in force, what stands under the first is gone; podwire reads it so "
        "too",
        fix=(Fix(text="put everything under one of the two keys and delete the other"),),
    )


RULE = Rule(
    id="PW002",
    slug=_SLUG,
    title="A key stands twice in one object",
    since="0.1",
    joint=Joint.INPUT,
    refs=(
        "kubernetes v1.36.2 staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go",
        "go 1.25 encoding/json decode.go",
    ),
    over=lambda picture: tuple(f for f in picture.facts.faults if f.slug == _SLUG),
    check=check,
)
