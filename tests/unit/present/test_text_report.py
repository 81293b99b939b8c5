import string

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.present import hostile, report_samples
from tests.unit.present.golden_file import assert_golden
from tests.unit.present.report_samples import REPORT, SOURCES, Texts

from podwire.engine.report import Report
from podwire.facts.inventory import LookedAt
from podwire.present.places import Places
from podwire.present.text import Look, text_report

NOW = "2026-11-29T12:00:00+00:00"


def written(report: Report, *, look: Look | None = None, sources: Texts = SOURCES) -> str:
    return text_report(report, places=Places(sources), look=look or Look(now=NOW))


def test_a_report_reads_like_a_compilers() -> None:
    assert_golden("report.txt", written(REPORT))


def test_verbose_adds_rules_reasons_silenced_and_unread() -> None:
    assert_golden("report-verbose.txt", written(REPORT, look=Look(is_verbose=True, now=NOW)))


def test_colour_adds_sequences_and_changes_nothing_else() -> None:
    painted = written(REPORT, look=Look(has_colour=True, now=NOW))
    for code in ("1;31", "1;33", "1", "34", "0"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted == written(REPORT)


def test_colour_marks_severity_margin_and_labels() -> None:
    lines = written(REPORT, look=Look(has_colour=True, now=NOW)).splitlines()
    assert lines[0].startswith("\x1b[1;31merror[PW103]\x1b[0m nad-resource-unadvertised:")
    assert lines[2] == "  \x1b[34m-->\x1b[0m manifests/nad.yaml:7:38"
    assert lines[6].startswith("\x1b[34m   |\x1b[0m ")
    assert lines[6].endswith("\x1b[1m^^^^^^^^^^^^^^^^^^^^\x1b[0m")
    assert "  \x1b[1myou see:\x1b[0m  the pods stay" in "\n".join(lines)


def test_nothing_found_is_said_with_what_stayed_undecided() -> None:
    report = Report(undecided=REPORT.undecided, looked_at=REPORT.looked_at)
    assert_golden("nothing-found.txt", written(report))


def test_nothing_found_and_nothing_undecided() -> None:
    looked_at = LookedAt(documents=1, objects=1)
    assert written(Report(looked_at=looked_at)) == (
        "no broken joint found\n\n"
        "Looked at 1 document, 1 object (age unknown): nothing broken, 0 undecided\n"
    )


def test_no_line_is_wider_than_80_columns() -> None:
    for report, sources in ((REPORT, SOURCES), (hostile.REPORT, hostile.SOURCES)):
        text = written(report, look=Look(is_verbose=True, now=NOW), sources=sources)
        assert max(map(len, text.splitlines())) <= 80


def test_hostile_names_are_shown_in_printable_ascii() -> None:
    text = written(hostile.REPORT, look=Look(is_verbose=True, now=NOW), sources=hostile.SOURCES)
    assert set(text) <= set(string.printable) - set("\t\r\x0b\x0c")
    assert "\\x1b[31mred" in text
    assert not any(line.startswith("::error") for line in text.splitlines())


def test_a_file_is_read_once_however_many_places_are_in_it() -> None:
    sources = Texts(dict(SOURCES.texts))
    written(REPORT, sources=sources)
    assert sources.asked == [report_samples.NAD_FILE.name]


def test_a_file_that_is_gone_costs_only_its_excerpt() -> None:
    text = written(REPORT, sources=Texts({}))
    assert "--> manifests/nad.yaml NetworkAttachmentDefinition train/ib-net" in text
    assert "example.com/sriov_ib" in text


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_fits_80_columns_of_printable_ascii(text: str, line: str) -> None:
    judged = hostile.JUDGED
    finding = msgspec.structs.replace(judged.finding, message=text, sees=line)
    report = Report(findings=(msgspec.structs.replace(judged, finding=finding),))
    sources = Texts({hostile.FILE.name: f"metadata:\n  {line}\n  name: {text}"})
    shown = written(report, sources=sources)
    assert max(map(len, shown.splitlines())) <= 80
    assert set(shown) <= set(string.printable) - set("\t\r\x0b\x0c")


def test_evidence_that_supports_has_a_lead_word() -> None:
    evidence = report_samples.UNADVERTISED.finding.evidence
    led = tuple(msgspec.structs.replace(seen, role="requested") for seen in evidence[:2])
    finding = msgspec.structs.replace(report_samples.UNADVERTISED.finding, evidence=led)
    judged = msgspec.structs.replace(report_samples.UNADVERTISED, finding=finding)
    lines = written(Report(findings=(judged,))).splitlines()
    assert lines[2] == "  --> requested: manifests/nad.yaml:7:38"
    assert any(line.startswith("  --> requested: Pod train/worker-0 .spec") for line in lines)
