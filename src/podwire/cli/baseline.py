"""`--baseline FILE`: what an earlier JSON report has is known, and only what is new fails."""

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from podwire.cli.config import read_text
from podwire.engine.report import Judged, Report, Silenced
from podwire.model.errors import PodwireError
from podwire.present.fingerprint import fingerprint

_BY = "baseline "


class _Finding(msgspec.Struct, frozen=True):
    fingerprint: str
    subjects: tuple[str, ...]
    by: str = ""


class _Baseline(msgspec.Struct, frozen=True, rename="camel"):
    schema_version: int
    findings: tuple[_Finding, ...]
    silenced: tuple[_Finding, ...] = ()


class Baseline:
    """Findings of an earlier report, and what an earlier baseline had silenced there."""

    def __init__(self, path: str) -> None:
        """Read the report.

        Raises:
            PodwireError: it cannot be read, or is no report that this podwire knows.
        """
        self._path = path
        self._known = _known(path)

    def applied(self, report: Report) -> Report:
        """Move what is known to what was silenced."""
        known = [judged for judged in report.findings if self._has(judged)]
        silenced = (
            Silenced(judged=judged, reason="known", by=f"{_BY}{self._path}", is_known=True)
            for judged in known
        )
        return msgspec.structs.replace(
            report,
            findings=tuple(judged for judged in report.findings if judged not in known),
            silenced=(*report.silenced, *silenced),
        )

    def _has(self, judged: Judged) -> bool:
        """Say whether it is known: the same joint, with no subject of that kind added."""
        subjects = self._known.get(fingerprint(judged))
        kind = judged.subject.kind
        return subjects is not None and all(
            str(ref) in subjects for ref in judged.subjects if ref.kind == kind
        )


def _known(path: str) -> Mapping[str, set[str]]:
    try:
        baseline = msgspec.json.decode(read_text(path), type=_Baseline)
    except msgspec.DecodeError as error:
        raise PodwireError(
            f"{path} is no JSON report of podwire: {error}",
            hint="podwire check ... -o json=FILE writes one",
        ) from error
    if baseline.schema_version != 1:
        raise PodwireError(
            f"{path} has schemaVersion {baseline.schema_version}; this podwire knows 1",
            hint="write the baseline again with this podwire",
        )
    found: dict[str, set[str]] = defaultdict(set)
    earlier = (entry for entry in baseline.silenced if entry.by.startswith(_BY))
    for entry in (*baseline.findings, *earlier):
        found[entry.fingerprint].update(entry.subjects)
    return found
