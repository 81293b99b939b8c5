import msgspec
from tests.unit.present.report_samples import UNADVERTISED, WITHOUT_RDMA, nad_place

from podwire.engine.report import Judged
from podwire.findings.model import Evidence
from podwire.model.evidence import Document
from podwire.present.fingerprint import fingerprint


def changed(judged: Judged, **changes: object) -> Judged:
    return msgspec.structs.replace(
        judged, finding=msgspec.structs.replace(judged.finding, **changes)
    )


def test_other_words_keep_the_fingerprint() -> None:
    other = changed(UNADVERTISED, message="said otherwise", sees="", fix=(), cause=None)
    assert fingerprint(other) == fingerprint(UNADVERTISED)


def test_moving_an_object_to_another_file_keeps_it() -> None:
    evidence = UNADVERTISED.finding.evidence
    at = msgspec.structs.replace(evidence[0].at, document=Document(name="other.yaml"), base=(3,))
    moved = (Evidence(at=at, saw="else"), *evidence[1:])
    assert fingerprint(changed(UNADVERTISED, evidence=moved)) == fingerprint(UNADVERTISED)


def test_another_place_rule_subject_or_part_changes_it() -> None:
    elsewhere = (Evidence(at=nad_place("spec"), saw=""),)
    part = msgspec.structs.replace(UNADVERTISED, subject=UNADVERTISED.subject.at("net1"))
    found = {
        fingerprint(judged)
        for judged in (
            UNADVERTISED,
            part,
            changed(UNADVERTISED, evidence=elsewhere),
            WITHOUT_RDMA,
            msgspec.structs.replace(UNADVERTISED, subject=WITHOUT_RDMA.subject),
        )
    }
    assert len(found) == 5


def test_a_group_is_one_whoever_is_in_it() -> None:
    group = changed(UNADVERTISED, group="same fault")
    other = msgspec.structs.replace(group, subject=WITHOUT_RDMA.subject)
    assert fingerprint(group) == fingerprint(other)
