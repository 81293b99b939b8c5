"""Verdicts: broken beats undecided beats holds."""

from collections.abc import Iterator

from tests.inventories import inventory

from podwire.engine.run import run
from podwire.engine.silence import Silence
from podwire.facts.objects import Meta, Pod
from podwire.findings.model import Finding, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Missing, Unknown
from podwire.model.names import Ref
from podwire.wire.picture import Picture


class Thing:
    """A subject by its name."""

    def __init__(self, name: str, part: str = "") -> None:
        self.ref = Ref(kind="Pod", namespace="train", name=name, part=part)


def finding(
    message: str = "broken",
    *,
    severity: Severity = Severity.ERROR,
    group: str = "",
    explains: tuple[Symptom, ...] = (),
    assumes: tuple[str, ...] = (),
) -> Finding:
    return Finding(
        severity=severity,
        message=message,
        evidence=(),
        sees="nothing works",
        group=group,
        explains=explains,
        assumes=assumes,
    )


def rule(
    slug: str,
    check: object,
    *,
    over: object = lambda _: [Thing("a")],
    is_symptom: bool = False,
    joint: Joint = Joint.NAME,
) -> Rule:
    return Rule(
        id=f"PW{sum(map(ord, slug)) % 900 + 100}",
        slug=slug,
        title=slug,
        since="0.1",
        joint=joint,
        refs=(),
        over=over,  # type: ignore[arg-type]  # small fakes
        check=check,  # type: ignore[arg-type]  # small fakes
        is_symptom=is_symptom,
    )


def fires(*findings: Finding) -> object:
    def check(_subject: Thing, _picture: Picture) -> Iterator[Finding]:
        yield from findings

    return check


def lacks(fact: Unknown, *before: Finding) -> object:
    def check(_subject: Thing, _picture: Picture) -> Iterator[Finding]:
        yield from before
        fact.need()

    return check


def picture(*pods: Pod) -> Picture:
    return Picture(inventory(pods))


def test_a_rule_without_findings_leaves_no_record() -> None:
    report = run([rule("quiet", fires())], picture=picture())
    assert (report.findings, report.undecided) == ((), ())


def test_a_missing_fact_makes_the_verdict_undecided() -> None:
    gap = Unknown(reason="NADs were not listed", give="kubectl get net-attach-def")
    report = run([rule("gap", lacks(gap))], picture=picture())
    (undecided,) = report.undecided
    assert report.findings == ()
    assert (undecided.reason, undecided.give, undecided.count) == (gap.reason, gap.give, 1)
    assert [str(ref) for ref in undecided.samples] == ["Pod train/a"]


def test_a_finding_before_a_missing_fact_stands() -> None:
    report = run([rule("both", lacks(Unknown(reason="x"), finding()))], picture=picture())
    assert len(report.findings) == 1
    assert report.undecided == ()


def test_undecided_is_a_count_with_three_samples() -> None:
    many = rule(
        "many",
        lacks(Unknown(reason="no numa_node of 1", fact="numa_node")),
        over=lambda _: [Thing(str(i)) for i in range(5)],
    )
    (undecided,) = run([many], picture=picture()).undecided
    assert undecided.count == 5
    assert len(undecided.samples) == 3


def test_a_rule_whose_subjects_are_unknown_is_undecided_once() -> None:
    blind = rule("blind", fires(finding()), over=lambda _: Unknown(reason="no pods"))
    (undecided,) = run([blind], picture=picture()).undecided
    assert (undecided.count, undecided.samples) == (1, ())


def test_a_fact_missing_for_the_subjects_themselves_is_undecided_too() -> None:
    def over(_picture: Picture) -> list[Thing]:
        raise Missing(Unknown(reason="no pods"))

    (undecided,) = run([rule("blind", fires(finding()), over=over)], picture=picture()).undecided
    assert undecided.reason == "no pods"


def test_the_worst_comes_first_whatever_the_order_of_rules() -> None:
    rules = [
        rule("note", fires(finding(severity=Severity.NOTE))),
        rule("error", fires(finding())),
        rule("warning", fires(finding(severity=Severity.WARNING))),
    ]
    report = run(rules, picture=picture())
    assert [j.rule.slug for j in report.findings] == ["error", "warning", "note"]


def test_a_symptom_goes_into_its_cause() -> None:
    symptom = Symptom(slug="symptom", of=Thing("a").ref)
    rules = [
        rule("cause", fires(finding(explains=(symptom,))), over=lambda _: [Thing("nad")]),
        rule("symptom", fires(finding()), is_symptom=True),
    ]
    (judged,) = run(rules, picture=picture()).findings
    assert judged.rule.slug == "cause"
    assert [str(ref) for ref in judged.explains] == ["Pod train/a"]
    assert [str(ref) for ref in judged.subjects] == ["Pod train/nad", "Pod train/a"]


def test_only_the_part_that_is_explained_goes() -> None:
    symptom = Symptom(slug="symptom", of=Thing("a", "net1").ref)
    rules = [
        rule("cause", fires(finding(explains=(symptom,))), over=lambda _: [Thing("nad")]),
        rule(
            "symptom",
            fires(finding()),
            over=lambda _: [Thing("a", "net1"), Thing("a", "net2")],
            is_symptom=True,
        ),
    ]
    left = run(rules, picture=picture()).findings
    assert [(j.rule.slug, j.subject.part) for j in left] == [("cause", ""), ("symptom", "net2")]


def test_a_cause_is_as_severe_as_what_it_explains() -> None:
    symptom = Symptom(slug="symptom", of=Thing("a").ref)
    note = finding(severity=Severity.NOTE, explains=(symptom,))
    rules = [
        rule("cause", fires(note), over=lambda _: [Thing("nad")]),
        rule("symptom", fires(finding()), is_symptom=True),
    ]
    (judged,) = run(rules, picture=picture()).findings
    assert judged.finding.severity is Severity.ERROR


def test_findings_that_explain_each_other_stay_both() -> None:
    one = finding(explains=(Symptom(slug="two", of=Thing("b").ref),))
    two = finding(explains=(Symptom(slug="one", of=Thing("a").ref),))
    rules = [
        rule("one", fires(one), is_symptom=True),
        rule("two", fires(two), over=lambda _: [Thing("b")], is_symptom=True),
    ]
    assert {j.rule.slug for j in run(rules, picture=picture()).findings} == {"one", "two"}


def test_a_chain_of_causes_ends_in_the_first() -> None:
    middle = finding(explains=(Symptom(slug="last", of=Thing("c").ref),))
    first = finding(explains=(Symptom(slug="middle", of=Thing("b").ref),))
    rules = [
        rule("last", fires(finding()), over=lambda _: [Thing("c")], is_symptom=True),
        rule("middle", fires(middle), over=lambda _: [Thing("b")], is_symptom=True),
        rule("first", fires(first)),
    ]
    (judged,) = run(rules, picture=picture()).findings
    assert judged.rule.slug == "first"
    assert {str(ref) for ref in judged.explains} == {"Pod train/b", "Pod train/c"}


def test_a_rule_that_states_no_symptom_is_never_explained_away() -> None:
    explains = (Symptom(slug="other", of=Thing("a").ref),)
    rules = [
        rule("cause", fires(finding(explains=explains)), over=lambda _: [Thing("nad")]),
        rule("other", fires(finding())),
    ]
    assert len(run(rules, picture=picture()).findings) == 2


def test_equal_findings_of_many_become_one() -> None:
    vfs = rule(
        "vf",
        fires(finding("VF has no GUID", group="pf", assumes=("x",))),
        over=lambda _: [Thing(f"vf{i:03}") for i in range(320)],
    )
    (judged,) = run([vfs], picture=picture()).findings
    assert judged.finding.message == "VF has no GUID (and 319 alike)"
    assert len(judged.subjects) == 320
    assert judged.finding.assumes == ("x",)


def test_parts_of_one_thing_count_as_members() -> None:
    pools = rule(
        "pool",
        fires(finding("empty", group="g")),
        over=lambda _: [Thing("config", f"pool on node-{i}") for i in range(40)],
    )
    (judged,) = run([pools], picture=picture()).findings
    assert judged.finding.message == "empty (and 39 alike)"


def annotated(value: str) -> Pod:
    meta = Meta(name="a", namespace="train", annotations={"podwire.io/ignore": value})
    return Pod(metadata=meta)


def test_an_annotation_silences_a_rule_by_its_slug() -> None:
    pod = annotated("other: x; vf-down: the port is not cabled")
    report = run([rule("vf-down", fires(finding()))], picture=picture(pod))
    (silenced,) = report.silenced
    assert report.findings == ()
    assert silenced.reason == "the port is not cabled"


def test_an_annotation_for_another_rule_silences_nothing() -> None:
    report = run([rule("vf-down", fires(finding()))], picture=picture(annotated("other: x")))
    assert len(report.findings) == 1


def test_the_configuration_silences_by_rule_and_subject_until_a_day() -> None:
    silence = Silence(rule="vf-down", subject="Pod train/*", reason="known", until="2027-01-31")
    rules = [rule("vf-down", fires(finding()))]
    before = run(rules, picture=picture(), silences=(silence,), today="2027-01-31")
    after = run(rules, picture=picture(), silences=(silence,), today="2027-02-01")
    assert (len(before.silenced), len(after.findings)) == (1, 1)


def test_a_silenced_cause_does_not_hide_its_symptoms() -> None:
    symptom = Symptom(slug="symptom", of=Thing("b").ref)
    rules = [
        rule("cause", fires(finding(explains=(symptom,)))),
        rule("symptom", fires(finding()), over=lambda _: [Thing("b")], is_symptom=True),
    ]
    silences = (Silence(rule="cause", reason="known"),)
    (judged,) = run(rules, picture=picture(), silences=silences).findings
    assert judged.rule.slug == "symptom"


def test_an_annotation_without_a_reason_silences_nothing() -> None:
    report = run([rule("vf-down", fires(finding()))], picture=picture(annotated("vf-down")))
    assert len(report.findings) == 1


def bug(*before: Finding) -> object:
    def check(_subject: Thing, _picture: Picture) -> Iterator[Finding]:
        yield from before
        raise KeyError("x")

    return check


def test_a_fault_of_podwire_costs_one_verdict() -> None:
    rules = [
        rule("broken", bug(finding("before")), over=lambda _: [Thing("a"), Thing("b")]),
        rule("fine", fires(finding("fine"))),
    ]
    report = run(rules, picture=picture())
    assert sorted(j.finding.message for j in report.findings) == ["before", "before", "fine"]
    assert [(f.rule.slug, str(f.subject), f.words) for f in report.failed] == [
        ("broken", "Pod train/a", "KeyError: 'x'"),
        ("broken", "Pod train/b", "KeyError: 'x'"),
    ]
    assert report.undecided == ()


def test_a_fault_in_finding_the_subjects_costs_the_rule() -> None:
    def over(_picture: Picture) -> Iterator[Thing]:
        yield Thing("a")
        raise KeyError("x")

    report = run([rule("blind", fires(finding()), over=over)], picture=picture())
    assert report.findings == ()
    assert [failure.subject for failure in report.failed] == [None]


def test_a_cause_keeps_the_findings_that_went_into_it() -> None:
    symptom = Symptom(slug="symptom", of=Thing("a").ref)
    rules = [
        rule("cause", fires(finding(explains=(symptom,))), over=lambda _: [Thing("nad")]),
        rule("symptom", fires(finding()), is_symptom=True),
    ]
    (judged,) = run(rules, picture=picture()).findings
    assert [(f.rule.slug, f.subject.name) for f in judged.folded] == [("symptom", "a")]
