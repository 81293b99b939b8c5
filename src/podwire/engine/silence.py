"""What somebody chose not to hear: by an annotation on the object, or by the configuration."""

import fnmatch
from collections.abc import Sequence

import msgspec

from podwire.engine.report import Judged, Silenced
from podwire.findings.ignoring import IGNORE, parse_ignore
from podwire.wire.picture import Picture


class Silence(msgspec.Struct, frozen=True, gc=False):
    """One entry of the configuration file.

    `subject` is a glob over subjects as findings write them (`Pod train/*`); empty is any.
    `until` is the last day on which it holds, `2027-01-31`; empty is for ever.
    """

    rule: str
    reason: str
    subject: str = "*"
    until: str = ""
    by: str = ""


def silenced(
    found: Sequence[Judged], *, picture: Picture, silences: tuple[Silence, ...], today: str
) -> tuple[list[Judged], tuple[Silenced, ...]]:
    """Part findings into those to report and those that somebody silenced."""
    active = [s for s in silences if not s.until or s.until >= today]
    heard: list[Judged] = []
    quiet: list[Silenced] = []
    for judged in found:
        match = _by_annotation(judged, picture) or _by_configuration(judged, active)
        if match is None:
            heard.append(judged)
        else:
            quiet.append(match)
    return heard, tuple(quiet)


def _by_annotation(judged: Judged, picture: Picture) -> Silenced | None:
    for value in picture.annotations(judged.subject, IGNORE):
        for rule, reason in parse_ignore(value):
            if reason and rule in {judged.rule.id, judged.rule.slug}:
                return Silenced(judged=judged, reason=reason, by=f"annotation {IGNORE}")
    return None


def _by_configuration(judged: Judged, silences: Sequence[Silence]) -> Silenced | None:
    for silence in silences:
        names_rule = silence.rule in {judged.rule.id, judged.rule.slug, "*"}
        if names_rule and fnmatch.fnmatchcase(str(judged.subject), silence.subject):
            return Silenced(judged=judged, reason=silence.reason, by=silence.by)
    return None
