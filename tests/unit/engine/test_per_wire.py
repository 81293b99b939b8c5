"""One wire alone: what was asked there, and what another joint's finding tells."""

from collections.abc import Iterator

from tests.pictures import picture
from tests.unit.engine.test_run import Thing, finding, fires, lacks, rule

from podwire.engine.per_wire import Wire, verdicts_of, wire_of
from podwire.findings.model import Finding, Joint, Severity, Symptom
from podwire.model.evidence import Unknown
from podwire.model.names import Ref
from podwire.wire.picture import Picture

A = Wire(pod=Thing("a").ref, others=())


def test_only_joints_with_a_subject_on_the_wire_were_asked() -> None:
    rules = [
        rule("mine", fires()),
        rule("others", fires(), over=lambda _: [Thing("b")], joint=Joint.CNI),
    ]
    verdicts = verdicts_of(rules, picture=picture(), wires=[A])
    assert verdicts.said[A.pod].asked == {Joint.NAME}
    assert verdicts.joints == {Joint.NAME, Joint.CNI}


def test_what_is_undecided_for_others_is_not_here() -> None:
    gap = rule("gap", lacks(Unknown(reason="x")), over=lambda _: [Thing("a", "net1"), Thing("b")])
    blind = rule("blind", fires(), over=lambda _: Unknown(reason="no pods"))
    (said,) = verdicts_of([gap, blind], picture=picture(), wires=[A]).said.values()
    assert sorted((u.rule.slug, u.count) for u in said.undecided) == [("blind", 1), ("gap", 1)]


def test_a_note_of_a_group_shows_where_it_is_a_member_only() -> None:
    def check(subject: Thing, _: Picture) -> Iterator[Finding]:
        if subject.ref.name != "c":
            yield finding(severity=Severity.NOTE, group="g")

    notes = rule("note", check, over=lambda _: [Thing("b"), Thing("a"), Thing("c")])
    wires = [A, Wire(pod=Thing("c").ref, others=())]
    verdicts = verdicts_of([notes], picture=picture(), wires=wires)
    assert [len(verdicts.of(wire)) for wire in wires] == [1, 0]


def test_a_symptom_that_was_folded_names_the_joint_of_its_cause() -> None:
    symptom = Symptom(slug="symptom", of=Thing("a").ref)
    cause = fires(finding(explains=(symptom,)))
    rules = [
        rule("cause", cause, over=lambda _: [Thing("nad")], joint=Joint.CNI),
        rule("symptom", fires(finding()), is_symptom=True),
    ]
    verdicts = verdicts_of(rules, picture=picture(), wires=[A])
    assert list(verdicts.explained(A)) == [(Joint.NAME, Joint.CNI)]


JOB = """
kind: PyTorchJob
metadata: {name: pt, namespace: train}
spec:
  pytorchReplicaSpecs:
    Master: {template: &t {spec: {containers: [{name: a, resources: {limits: {x.io/v: 1}}}]}}}
    Worker: {template: *t}
"""


SYSFS = {"nodes/a/sysfs.txt": "sys/bus/pci/devices/0000:18:00.0/class = 0x020700\n"}


def test_the_templates_of_a_workload_are_wires_of_their_own() -> None:
    joined = picture(JOB)
    wires = [wire_of(pod, picture=joined) for pod in joined.wired]
    job = Ref(kind="PyTorchJob", name="pt", namespace="train")
    assert [wire.pod for wire in wires] == [job.at("Master"), job.at("Worker")]
    master = wires[0]
    assert master.has(job.at("Master"))
    assert master.has(job.at("Master a"))
    assert master.has(job)
    assert not master.has(job.at("Worker a"))
    assert not master.has(job.at("Masters"))


def test_without_nodes_nobody_can_say_that_one_offers_the_resource() -> None:
    joined = picture(JOB)
    wire = wire_of(joined.wired[0], picture=joined)
    assert [joint for joint, _ in wire.doubts] == [Joint.POOL, Joint.PLACEMENT, Joint.OFFER]
    node = {"metadata": {"name": "a"}, "kind": "Node", "status": {"capacity": {"cpu": "1"}}}
    joined = picture(JOB, cluster={"nodes": [node]})
    _, (joint, doubt) = wire_of(joined.wired[0], picture=joined).doubts
    assert (joint, doubt.reason) == (
        Joint.OFFER,
        "no node in sight that it may run on has x.io/v",
    )
    node["status"] = {"capacity": {"x.io/v": "1"}, "allocatable": {"x.io/v": "1"}}
    joined = picture(JOB, cluster={"nodes": [node]}, files=SYSFS)
    assert wire_of(joined.wired[0], picture=joined).doubts == ()


def test_where_no_functions_were_looked_at_nobody_can_say_that_a_pool_has_any() -> None:
    def lacking(joined: Picture) -> list[str]:
        doubts = wire_of(joined.wired[0], picture=joined).doubts
        return [doubt.reason for joint, doubt in doubts if joint is Joint.POOL]

    nodes = {"nodes": [{"metadata": {"name": "b"}, "kind": "Node"}]}
    assert lacking(picture(JOB)) == ["PCI functions of any node were not read"]
    assert lacking(picture(JOB, files=SYSFS)) == []
    assert lacking(picture(JOB, cluster=nodes, files=SYSFS)) == [
        "PCI functions of any node were not read"
    ]


def test_a_finding_of_one_template_is_not_on_the_wire_of_another() -> None:
    worker = Thing("pt", "Worker")
    symptom = rule("symptom", fires(finding()), over=lambda _: [worker], is_symptom=True)
    cause = fires(finding(explains=(Symptom(slug="symptom", of=worker.ref),)))
    rules = [rule("cause", cause, over=lambda _: [Thing("pt", "Worker x.io/v")]), symptom]
    wires = [Wire(pod=Thing("pt", role).ref, others=()) for role in ("Master", "Worker")]
    verdicts = verdicts_of(rules, picture=picture(), wires=wires)
    assert [len(verdicts.of(wire)) for wire in wires] == [0, 1]
