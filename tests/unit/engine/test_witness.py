"""Events that show a fault happening become its evidence."""

from pathlib import Path

from tests.bundles import CASES, report_of

from podwire.engine.report import Judged

FIELD = CASES / "field"


def of_rule(bundle: Path, slug: str) -> Judged:
    return next(j for j in report_of(bundle).findings if j.rule.slug == slug)


def test_the_event_of_a_pod_that_hangs_stands_last_among_the_evidence() -> None:
    judged = of_rule(FIELD / "s-wire-nad-names-other-resource", "nad-resource-unadvertised")
    last = judged.finding.evidence[-1]
    assert str(last.at) == "Event train/worker-0.0001 .message"
    assert last.saw.endswith("deviceID is required")


def test_an_event_of_another_situation_is_no_evidence() -> None:
    judged = of_rule(CASES / "real" / "cluster-1.37", "cni-type-misspelt")
    events = [e for e in judged.finding.evidence if str(e.at).startswith("Event ")]
    assert len(events) == 1
    assert 'failed to find plugin "ibsriov"' in events[0].saw


def test_without_events_the_evidence_is_the_rules_own() -> None:
    judged = of_rule(FIELD / "s-wire-one-request-short", "attachment-without-device")
    assert not [e for e in judged.finding.evidence if str(e.at).startswith("Event ")]
