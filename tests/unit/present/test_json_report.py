import json
import string
from typing import Any

import jsonschema_rs
from tests.unit.present import hostile
from tests.unit.present.report_samples import NAD, POOL, REPORT, SOURCES, UNADVERTISED

from podwire.engine.report import Failed, Report, Silenced
from podwire.facts.inventory import LookedAt
from podwire.present.json_report import json_report
from podwire.present.places import Places
from podwire.present.report_schema import report_schema, spec_schema


def tree_of(report: Report) -> dict[str, object]:
    tree: dict[str, object] = json.loads(json_report(report, places=Places(SOURCES)))
    return tree


def test_every_report_follows_the_published_schema() -> None:
    validator = jsonschema_rs.validator_for(report_schema())
    for report in (REPORT, Report(), hostile.REPORT):
        validator.validate(tree_of(report))


def test_the_schema_refuses_what_a_reader_would_miss() -> None:
    validator = jsonschema_rs.validator_for(report_schema())
    for key, tree in ((key, tree_of(REPORT)) for key in tree_of(REPORT)):
        del tree[key]
        assert not validator.is_valid(tree), key
    assert not validator.is_valid(tree_of(REPORT) | {"extra": 1})


def test_the_specs_schema_takes_a_spec_and_has_no_keys_of_ours() -> None:
    validator = jsonschema_rs.validator_for(spec_schema())
    validator.validate({"apiVersion": "podwire.io/v1alpha1", "kind": "Wiring", "nodes": []})
    assert not validator.is_valid({"kind": "Wiring", "podwire.io/document": {}})


def test_a_finding_has_what_readers_rely_on() -> None:
    report = Report(findings=(UNADVERTISED,))
    (finding,) = json.loads(json_report(report, places=Places(SOURCES)))["findings"]
    assert finding["rule"] == "PW103"
    assert finding["severity"] == "error"
    assert finding["subject"] == finding["subjects"][0]
    assert finding["evidence"][0] == {
        "place": "manifests/nad.yaml:7:38",
        "saw": "example.com/sriov_ib",
        "role": "",
        "at": {
            "file": "manifests/nad.yaml",
            "line": 7,
            "column": 38,
            "object": "NetworkAttachmentDefinition train/ib-net",
            "path": '.metadata.annotations["k8s.v1.cni.cncf.io/resourceName"]',
        },
    }
    assert finding["evidence"][1]["place"] == (
        "Pod train/worker-0 .spec.containers[0].resources.limits"
    )
    assert finding["cause"] == {"text": "a pool that was renamed on 2026-11-02", "proven": False}
    assert finding["fix"][0]["patch"]["operations"][0]["op"] == "replace"
    assert finding["explains"] == ["Pod train/worker-0", "Pod train/worker-1"]


def test_counts_and_undecided_are_there() -> None:
    tree = tree_of(REPORT)
    assert tree["counts"] == {
        "error": 1,
        "warning": 1,
        "note": 0,
        "undecided": 10,
        "silenced": 1,
        "known": 0,
        "failed": 0,
    }
    assert tree["unread"] == ["README.md", "notes.txt"]


def test_what_a_baseline_has_is_counted_apart() -> None:
    known = Silenced(judged=UNADVERTISED, reason="known", by="baseline b.json", is_known=True)
    tree: Any = tree_of(Report(silenced=(*REPORT.silenced, known)))
    assert (tree["counts"]["silenced"], tree["counts"]["known"]) == (1, 1)
    assert len(tree["silenced"]) == 2


def test_where_podwire_failed_and_what_it_does_not_read() -> None:
    failed = Failed(rule=POOL, subject=NAD, error=KeyError("x"))
    report = Report(failed=(failed,), looked_at=LookedAt(foreign=(("RayJob.ray.io", 2),)))
    tree: Any = tree_of(report)
    jsonschema_rs.validator_for(report_schema()).validate(tree)
    assert tree["failed"] == [
        {
            "rule": "PW701",
            "slug": "pool-empty",
            "subject": "NetworkAttachmentDefinition train/ib-net",
            "error": "KeyError: 'x'",
        }
    ]
    assert tree["looked_at"]["foreign"] == [{"kind": "RayJob.ray.io", "count": 2}]


def test_the_document_is_printable_ascii_whatever_names_hold() -> None:
    text = json_report(hostile.REPORT, places=Places(hostile.SOURCES))
    assert set(text) <= set(string.printable) - set("\t\r\x0b\x0c")
    (finding,) = json.loads(text)["findings"]
    assert finding["message"] == "message " + hostile.BAD.replace("\udcff", "?")
