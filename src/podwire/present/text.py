"""A report for a person: each finding as a good compiler shows it, then what was looked at.

80 columns, plain ASCII, always in the same order. Colour only where it is asked for.
"""

from collections.abc import Iterator

import msgspec

from podwire.engine.report import Judged, Report
from podwire.findings.model import Cause, Finding, Fix, Patch, Severity
from podwire.present.ascii_json import one_line
from podwire.present.evidence_lines import evidence_lines
from podwire.present.lines import wrapped
from podwire.present.paint import Paint, Role
from podwire.present.places import Places
from podwire.present.subjects import listed
from podwire.present.summary import quiet_counts, summary
from podwire.present.wire_line import wire_line

_LABELS = ("wire", "you see", "cause", "fix", "assumes", "subjects", "explains")
_INDENT = " " * 12  # where what a label introduces begins

_ROLES = {
    Severity.ERROR: Role.ERROR,
    Severity.WARNING: Role.WARNING,
    Severity.NOTE: Role.NOTE,
}


class Look(msgspec.Struct, frozen=True):
    """How to show a report; `now` is RFC 3339, and empty where ages do not matter."""

    has_colour: bool = False
    is_verbose: bool = False
    now: str = ""


def text_report(report: Report, *, places: Places, look: Look) -> str:
    """Write the whole report."""
    paint = Paint(colour=look.has_colour)
    blocks = [_block(judged, places=places, paint=paint) for judged in report.findings]
    if not blocks:
        quiet = quiet_counts(report)
        beside = f" beside {' and '.join(quiet)}" if quiet else ""
        blocks.append([paint.text(f"no broken joint found{beside}", role=Role.GOOD)])
    blocks.append(summary(report, now=look.now, is_verbose=look.is_verbose))
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _block(judged: Judged, *, places: Places, paint: Paint) -> list[str]:
    severity = judged.finding.severity
    title = f"{severity.value}[{judged.rule.id}]"
    head = wrapped(f"{title} {judged.rule.slug}: {judged.finding.message}", rest="  ")
    return [
        paint.start(head[0], piece=title, role=_ROLES[severity]),
        *head[1:],
        *(_margin(line, paint) for line in evidence_lines(judged.finding.evidence, places=places)),
        *(_label(line, paint) for line in _story(judged)),
    ]


def _story(judged: Judged) -> Iterator[str]:
    """Tell the finding, one label after the other."""
    finding = judged.finding
    yield from _labelled("wire", wrapped(wire_line(judged.rule.joint), first=_INDENT))
    yield from _labelled("you see", wrapped(finding.sees, first=_INDENT))
    yield from _labelled("cause", _cause(finding))
    yield from _labelled("fix", [line for fix in finding.fix for line in _fix(fix)])
    assumed = [line for text in finding.assumes for line in wrapped(text, first=f"{_INDENT}- ")]
    yield from _labelled("assumes", assumed)
    if len({ref.whole for ref in judged.subjects}) > 1:
        yield from _labelled("subjects", listed(judged.subjects, indent=_INDENT))
    yield from _labelled("explains", listed(judged.explains, indent=_INDENT))


def _labelled(label: str, lines: list[str]) -> Iterator[str]:
    """Put the label where the first of some indented lines is blank; nothing stays nothing."""
    for index, line in enumerate(line for line in lines if line.strip()):
        yield f"  {label}:".ljust(len(_INDENT)) + line[len(_INDENT) :] if index == 0 else line


def _cause(finding: Finding) -> list[str]:
    cause: Cause | None = finding.cause
    if cause is None:
        return []
    return wrapped(cause.text if cause.proven else f"probably {cause.text}", first=_INDENT)


def _fix(fix: Fix) -> Iterator[str]:
    inner = f"{_INDENT}  "
    yield from wrapped(fix.text, first=f"{_INDENT}- ")
    if fix.breaks:
        yield from wrapped(f"breaks: {fix.breaks}", first=inner, rest=f"{inner}  ")
    if fix.patch is not None:
        yield from _patch(fix.patch, indent=inner)


def _patch(patch: Patch, *, indent: str) -> Iterator[str]:
    yield from wrapped(f"patch {patch.of}:", first=indent, rest=f"{indent}  ")
    for operation in patch.operations:
        words = f"{operation.get('op', '')} {operation.get('path', '')}"
        yield from wrapped(words, first=f"{indent}  ", rest=f"{indent}    ")
        if "value" in operation:
            yield from wrapped(one_line(operation["value"]), first=f"{indent}    ")


def _margin(line: str, paint: Paint) -> str:
    """Paint the arrow, the line number and the bar, and the carets."""
    if line.startswith("  --> "):
        return paint.start(line, piece="-->", role=Role.MARGIN)
    left, bar, right = line.partition(" |")
    if not bar or left.strip(" 0123456789"):
        return line
    carets = right.strip()
    if carets and not carets.strip("^"):
        right = paint.start(right, piece=carets, role=Role.STRONG)
    return paint.text(left + bar, role=Role.MARGIN) + right


def _label(line: str, paint: Paint) -> str:
    for label in _LABELS:
        if line.startswith(f"  {label}:"):
            return paint.start(line, piece=f"{label}:", role=Role.STRONG)
    return line
