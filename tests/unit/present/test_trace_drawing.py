import string

import msgspec
from tests.unit.present.golden_file import assert_golden
from tests.unit.present.report_samples import rule
from tests.unit.present.trace_cluster import NODES, cluster, rank

from podwire.engine.per_wire import Said, Verdicts, wire_of
from podwire.engine.report import Failed, Judged, Undecided
from podwire.facts.objects import Pod
from podwire.findings.model import Finding, Joint, Severity
from podwire.model.names import Ref
from podwire.present.trace import trace, wires_of
from podwire.present.trace_joints import State, states_of
from podwire.wire.picture import Picture

JOB = Ref(kind="Job", name="llm", namespace="train")
NAD = Ref(kind="NetworkAttachmentDefinition", name="ib-net", namespace="train")
COUNT = rule(110, "request-short", Joint.COUNT)
CNI = rule(120, "cni-unreadable", Joint.CNI)


def pod(number: int) -> Ref:
    return Ref(kind="Pod", name=f"llm-{number}", namespace="train")


def broken(subject: Ref, severity: Severity = Severity.ERROR) -> Judged:
    message = f"{subject.full_name} requests 1 example.com/ib_vf and 2 networks ask for one each"
    return Judged(
        rule=COUNT,
        finding=Finding(severity=severity, message=message, evidence=(), sees=""),
        subject=subject,
        subjects=(subject,),
    )


def verdicts(*findings: Judged, gaps: tuple[Undecided, ...] = ()) -> Verdicts:
    """Say this of every pod, and that every joint was asked."""
    said = {pod(n): Said(asked=frozenset(Joint), undecided=gaps) for n in range(3)}
    return Verdicts(findings=findings, said=said, joints=frozenset(Joint))


def three_ranks() -> Picture:
    return cluster(rank(1, node="gpu-a"), rank(0, node="gpu-a"), rank(2, node="", devices=1))


GAP = Undecided(
    rule=CNI,
    reason="the version of ib-sriov-cni is not in sight",
    give="--assume ib-sriov-cni=VERSION",
    count=1,
    samples=(),
)


def test_everything_holds_is_an_answer() -> None:
    assert_golden("trace-holds.txt", trace(pod(0), picture=three_ranks(), verdicts=verdicts()))


def test_a_broken_and_an_undecided_joint() -> None:
    said = verdicts(broken(pod(2).at("main")), gaps=(GAP,))
    assert_golden("trace-broken.txt", trace(pod(2), picture=three_ranks(), verdicts=said))


def test_ranks_that_are_alike_are_drawn_once_and_the_odd_one_apart() -> None:
    said = verdicts(broken(pod(2)))
    assert_golden("trace-job.txt", trace(JOB, picture=three_ranks(), verdicts=said))


def test_a_finding_about_the_network_is_on_the_wire_of_its_pods() -> None:
    picture = three_ranks()
    (wired,) = wires_of(pod(0), picture=picture)
    states = states_of(wire_of(wired, picture=picture), verdicts=verdicts(broken(NAD)))
    assert [s.joint for s in states if s.state is State.BROKEN] == [Joint.COUNT]


def test_a_finding_about_another_pod_and_a_note_break_nothing() -> None:
    picture = three_ranks()
    (wired,) = wires_of(pod(0), picture=picture)
    said = verdicts(broken(pod(1)), broken(pod(0), Severity.NOTE))
    states = states_of(wire_of(wired, picture=picture), verdicts=said)
    assert {s.state for s in states} == {State.HOLDS}


def only(name: str, *asked: Joint, **fields: object) -> Verdicts:
    said = Said(asked=frozenset(asked), **fields)  # type: ignore[arg-type]  # as they are named
    ref = Ref(kind="Pod", name=name, namespace="train")
    return Verdicts(findings=(), said={ref: said}, joints=frozenset(Joint))


def test_a_joint_with_nothing_to_judge_is_not_said_to_hold() -> None:
    text = trace(pod(0), picture=three_ranks(), verdicts=only("llm-0", Joint.NAME))
    assert "network - resource        holds" in text
    assert "network - CNI             -          nothing here to judge" in text
    text = trace(pod(0), picture=three_ranks(), verdicts=only("llm-0"))
    assert text.startswith("Pod train/llm-0 (on gpu-a): nothing to judge\n")


def test_what_rests_on_an_undecided_joint_is_undecided() -> None:
    gap = msgspec.structs.replace(GAP, rule=rule(101, "network", Joint.ANNOTATION))
    said = only("llm-0", Joint.ANNOTATION, Joint.MEMORY, undecided=(gap,))
    text = trace(pod(0), picture=three_ranks(), verdicts=said)
    assert "network - CNI             undecided  rests on pod - network" in text
    assert "pool - VF                 undecided  rests on pod - network" in text
    assert "container - RDMA device   -          nothing here to judge" in text
    assert "container - memory        holds" in text


def test_a_joint_whose_finding_went_into_another_says_which() -> None:
    symptom = broken(pod(0).at("example.com/ib_vf"))
    cause = msgspec.structs.replace(broken(NAD), rule=CNI, explains=(pod(0),), folded=(symptom,))
    said = {pod(0): Said(asked=frozenset(Joint), found=(symptom,))}
    verdicts = Verdicts(findings=(cause,), said=said, joints=frozenset(Joint))
    text = trace(pod(0), picture=three_ranks(), verdicts=verdicts)
    assert "network - request         BROKEN     see network - CNI" in text
    assert "network - CNI             BROKEN     error[PW120]" in text


def test_notes_about_others_do_not_show() -> None:
    note = broken(pod(1), Severity.NOTE)
    note = msgspec.structs.replace(note, subjects=(pod(1), pod(0)))
    assert "note[" not in trace(pod(0), picture=three_ranks(), verdicts=verdicts(note))
    own = msgspec.structs.replace(verdicts(note), said={pod(1): Said(found=(note,))})
    assert "note[PW110]" in trace(pod(1), picture=three_ranks(), verdicts=own)


def test_where_podwire_failed_nothing_holds() -> None:
    failed = Failed(rule=CNI, subject=pod(0), error=KeyError("x"))
    text = trace(pod(0), picture=three_ranks(), verdicts=only("llm-0", *Joint, failed=(failed,)))
    assert "network - CNI             undecided  podwire failed here (PW120)" in text


def test_a_joint_that_no_rule_tests_is_not_said_to_hold() -> None:
    said = msgspec.structs.replace(verdicts(), joints=frozenset({Joint.NAME}))
    text = trace(pod(0), picture=three_ranks(), verdicts=said)
    assert "network - resource        holds" in text
    assert "network - CNI" not in text


def test_a_network_that_is_absent_and_one_whose_cni_cannot_be_read() -> None:
    for networks, says in (
        ({"other": "{}"}, "train/ib-net, which does not exist"),
        ({"ib-net": "{"}, "CNI cannot be read ("),
        ({"ib-net": ""}, "CNI in a file of the node"),
    ):
        picture = cluster(rank(0, node="gpu-a"), networks=networks)
        assert says in trace(pod(0), picture=picture, verdicts=verdicts())


def test_hostile_names_and_width() -> None:
    bad = "\x1b[31m\nred\u202e" * 20
    picture = cluster(rank(0, node=bad), networks={bad: bad})
    text = trace(pod(0), picture=picture, verdicts=verdicts(broken(pod(0))))
    assert set(text) <= set(string.printable) - set("\t\r\x0b\x0c")
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_in_sight_gives_no_wires() -> None:
    assert wires_of(Ref(kind="Pod", name="other"), picture=three_ranks()) == ()


def drawn(wired: Pod, *, nodes: tuple[str, ...] = NODES) -> str:
    return trace(wired.ref, picture=cluster(wired, nodes=nodes), verdicts=verdicts())


def annotated(networks: str | None) -> Pod:
    """Give a pod without a node that names these networks, or none."""
    plain = rank(0, node="")
    annotations = {} if networks is None else {"k8s.v1.cni.cncf.io/networks": networks}
    metadata = msgspec.structs.replace(plain.metadata, annotations=annotations)
    return msgspec.structs.replace(plain, metadata=metadata)


def test_a_pod_that_only_requests_has_no_networks() -> None:
    text = drawn(annotated(None))
    assert "  networks\n    none\n" in text
    assert "  example.com/ib_vf: 2 requested\n" in text


def test_an_annotation_that_nobody_can_read() -> None:
    assert "  networks\n    ?         cannot be read: " in drawn(annotated("[{"))


def test_of_many_nodes_three_are_shown() -> None:
    text = drawn(annotated("ib-net"), nodes=tuple(f"n-{number}" for number in range(12)))
    assert "node      12 may take the pod; the first 3:" in text
    assert "n-2: not known: PCI functions of node n-2 were not read" in text
    assert "n-3" not in text


def test_without_nodes_none_may_take_the_pod() -> None:
    assert "node      none may take the pod" in drawn(annotated("ib-net"), nodes=())


def test_a_node_whose_files_were_not_read_keeps_its_devices_names() -> None:
    text = drawn(rank(0, node="gpu-x"))
    assert "VF        0000:18:00.1 is net1; the node's functions were not read" in text


def test_a_pod_that_waits_where_no_node_was_listed_is_not_said_to_fit() -> None:
    text = drawn(annotated(None), nodes=())
    assert "resource - node           undecided  no node in sight that it may run on has" in text
