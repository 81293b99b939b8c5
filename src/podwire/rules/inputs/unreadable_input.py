"""Something that was given cannot be read.

What you see
    podwire judges the rest as if this part were not there: verdicts that
    need it are undecided, and what is wrong in it goes unseen. For a
    manifest, kubectl apply stops at the same place.

Why
    A file that is no YAML or JSON, a value of another type than the field
    takes, a file that may not be opened or is bigger than podwire reads. A
    Helm template is no manifest yet: its values are missing.

Fix
    Correct the place that the message names. Render a chart first:
    helm template RELEASE CHART | podwire check -
"""

from collections.abc import Iterator

from podwire.facts.inventory import InputFault
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Origin
from podwire.wire.picture import Picture

_SLUG = "unreadable-input"
_LONGEST = 400


def check(fault: InputFault, _: Picture) -> Iterator[Finding]:
    """Pass on what the reader of the file found."""
    is_manifest = fault.place.document.origin is Origin.MANIFEST
    yield Finding(
        severity=Severity.NOTE if fault.is_template else Severity.ERROR,
        message=fault.message if len(fault.message) <= _LONGEST else _cut(fault.message),
        evidence=(Evidence(at=fault.place, saw=""),),
        sees=_sees(fault, is_manifest=is_manifest),
        fix=(Fix(text=fault.cure or _cure(is_manifest=is_manifest)),),
        group=f"{_SLUG} {fault.cure}" if fault.is_template else "",
    )


def _cut(message: str) -> str:
    return message[: _LONGEST - 3] + "..."


def _sees(fault: InputFault, *, is_manifest: bool) -> str:
    if fault.is_template:
        return "nothing in it is judged: what rendering makes of it is not known"
    is_value = bool(fault.place.object)
    if is_manifest and (is_value or not fault.cure):
        return "nothing in it is judged, and kubectl apply stops there too"
    return "nothing in it is judged: what needs it is undecided"


def _cure(*, is_manifest: bool) -> str:
    if is_manifest:
        return "correct it; kubectl apply --dry-run=server -f FILE says what the API server wants"
    return "collect the file again, or leave it out"


RULE = Rule(
    id="PW001",
    slug=_SLUG,
    title="Something that was given cannot be read",
    since="0.1",
    joint=Joint.INPUT,
    refs=("kubernetes v1.36.2 staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go",),
    over=lambda picture: tuple(f for f in picture.facts.faults if f.slug == _SLUG),
    check=check,
)
