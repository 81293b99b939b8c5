"""A report in which everything that comes from outside tries to act on the terminal."""

from tests.unit.present.report_samples import Texts, rule

from podwire.engine.report import Judged, Report, Silenced, Undecided
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Patch, Severity
from podwire.model.evidence import Document, Place
from podwire.model.names import Ref

BAD = "\x1b[31mred\x07\n::error::x\r\x9b1m\u202eevil\udcff\x7f<&\">'%"
RULE = rule(101, "annotation-unreadable", Joint.ANNOTATION)
FILE = Document(name=f"manifests/{BAD}.yaml")
# A control character here would keep the whole file from being read; these pass.
SOURCES = Texts({FILE.name: "metadata:\n  # \u202e\u200b\n  name: \u202eevil\u2066\n"})
SUBJECT = Ref(kind="Pod", name=BAD, namespace="train")

JUDGED = Judged(
    rule=RULE,
    finding=Finding(
        severity=Severity.ERROR,
        message=f"message {BAD}",
        evidence=(
            Evidence(
                at=Place(document=FILE, object=str(SUBJECT), path=("metadata", "name")), saw=BAD
            ),
            Evidence(at=Place(document=FILE, object=str(SUBJECT), path=("spec", BAD)), saw=BAD),
        ),
        sees=f"sees {BAD}",
        cause=Cause(text=f"cause {BAD}", proven=True),
        fix=(
            Fix(
                text=f"fix {BAD}",
                breaks=f"breaks {BAD}",
                patch=Patch(of=SUBJECT, operations=({"op": "add", "path": BAD, "value": BAD},)),
            ),
        ),
        assumes=(f"assumes {BAD}",),
    ),
    subject=SUBJECT,
    subjects=(SUBJECT, Ref(kind="Node", name=BAD)),
    explains=(SUBJECT,),
)
REPORT = Report(
    findings=(JUDGED,),
    undecided=(
        Undecided(rule=RULE, reason=f"reason {BAD}", give=BAD, count=1, samples=(SUBJECT,)),
    ),
    silenced=(Silenced(judged=JUDGED, reason=BAD, by=f"by {BAD}"),),
    unread=(Document(name=BAD),),
)
