import msgspec
import pytest
from tests.unit.present.report_samples import POOL, UNADVERTISED, WITHOUT_RDMA

from podwire.engine.report import Failed, Report, Silenced, Undecided
from podwire.facts.inventory import LookedAt
from podwire.present.summary import age, summary

NOW = "2026-11-29T12:00:00+00:00"


@pytest.mark.parametrize(
    ("oldest", "newest", "said"),
    [
        (None, None, "age unknown"),
        ("2026-11-24T10:00:00Z", "2026-11-26T10:00:00Z", "3 to 5 days old"),
        ("2026-11-29T11:59:30Z", "2026-11-29T11:59:30Z", "less than a minute old"),
        ("2026-11-28T12:00:00Z", "2026-11-29T10:00:00Z", "2 hours to 1 day old"),
        ("2026-11-28T12:00:00Z", "2026-11-28T12:00:00Z", "1 day old"),
        ("once", "upon a time", "read once to upon a time"),
    ],
)
def test_the_age_of_what_was_read(oldest: str | None, newest: str | None, said: str) -> None:
    assert age(LookedAt(oldest=oldest, newest=newest), now=NOW) == said


def test_without_a_clock_the_times_stand_there() -> None:
    looked_at = LookedAt(oldest="2026-11-24T10:00:00Z", newest="2026-11-24T10:00:00Z")
    assert age(looked_at, now="") == "read 2026-11-24T10:00:00Z"


def gaps(count: int) -> Report:
    return Report(
        undecided=tuple(
            Undecided(rule=POOL, reason=f"fact {n}", give=f"command {n:02}", count=1, samples=())
            for n in range(count)
        )
    )


def test_eight_missing_facts_are_named_and_the_rest_counted() -> None:
    lines = summary(gaps(10), now=NOW, is_verbose=False)
    assert lines[1:3] == ["To decide more, give:", "     1  command 00"]
    assert lines[-1] == "        and 2 more facts; -v lists all"
    assert len(lines) == 11


def test_verbose_names_them_all_with_rule_and_reason() -> None:
    lines = summary(gaps(10), now=NOW, is_verbose=True)
    assert lines[-2:] == ["     1  command 09", "          PW701: fact 9"]


def test_what_gives_the_same_fact_is_one_line() -> None:
    report = Report(
        undecided=(
            Undecided(rule=POOL, reason="a", give="kubectl", count=2, samples=()),
            Undecided(rule=POOL, reason="b", give="kubectl", count=3, samples=()),
        )
    )
    assert summary(report, now=NOW, is_verbose=False)[2:] == ["     5  kubectl"]


def test_what_makes_pods_and_is_not_read_is_named() -> None:
    foreign = (("RayJob.ray.io", 2), ("Job.batch.volcano.sh", 1))
    lines = summary(Report(looked_at=LookedAt(foreign=foreign)), now=NOW, is_verbose=False)
    assert lines[1:] == [
        "3 objects with pods, of kinds podwire does not read: RayJob.ray.io (2),",
        "  Job.batch.volcano.sh (1)",
    ]


def test_what_lists_count_for_is_said_where_more_of_one_would_decide() -> None:
    gap = Undecided(rule=POOL, reason="a", give="kubectl get pods -n a", count=1, samples=())
    said = "The Lists given count for the namespaces that occur in them; -A says"
    for is_partial, give, is_said in (
        (True, "kubectl get pods -n a -o json", True),
        (True, "--assume multus=VERSION", False),
        (False, "kubectl get pods -n a -o json", False),
    ):
        report = Report(
            undecided=(msgspec.structs.replace(gap, give=give),),
            looked_at=LookedAt(is_partial=is_partial),
        )
        text = " ".join(summary(report, now=NOW, is_verbose=False))
        assert (said in text) is is_said


def test_what_a_baseline_has_is_not_called_silenced() -> None:
    one = Silenced(judged=WITHOUT_RDMA, reason="TCP only", by="annotation")
    known = Silenced(judged=UNADVERTISED, reason="known", by="baseline b.json", is_known=True)
    lines = summary(Report(silenced=(one, known)), now=NOW, is_verbose=True)
    assert lines[1] == "  1 silenced, 1 known (baseline)"
    assert lines[2:4] == ["Silenced:", "  PW201 Pod train/worker-0: TCP only (annotation)"]
    assert lines[4] == "Known (baseline):"


def test_where_podwire_failed_the_summary_says_so() -> None:
    failed = (Failed(rule=POOL, subject=None, error=KeyError("x")),)
    assert "1 verdict failed (see stderr)" in " ".join(
        summary(Report(failed=failed), now=NOW, is_verbose=False)
    )
