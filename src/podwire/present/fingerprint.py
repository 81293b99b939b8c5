"""What stays the same of a finding from one check to the next, however its words change."""

import hashlib

from podwire.engine.report import Judged
from podwire.model.evidence import Place, dotted

_LENGTH = 16  # hexadecimal digits


def fingerprint(judged: Judged) -> str:
    """Identify a finding by its rule, its subject and the joint's place.

    Findings that a rule groups are one, whoever their members are: there the group stands
    in place of subject and place. Lines and file names do not count where an object has a
    name, so that moving text in a file changes nothing.
    """
    finding = judged.finding
    spot = _spot(finding.evidence[0].at) if finding.evidence else ""
    about = (finding.group,) if finding.group else (str(judged.subject), judged.subject.part, spot)
    text = "\0".join((judged.rule.id, *about)).encode(errors="backslashreplace")
    return hashlib.sha256(text).hexdigest()[:_LENGTH]


def _spot(place: Place) -> str:
    inner = "" if place.inner is None else dotted(place.inner)
    return f"{place.object or place.document.name}{dotted(place.path)}{inner}"
