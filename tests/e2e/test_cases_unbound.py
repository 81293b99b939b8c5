"""Rule cases whose pods never reach a node: the API server or the scheduler says why."""

import contextlib
import re

import pytest

from podwire.peers.event_texts import decode
from tests.e2e.api import Object, RefusedError
from tests.e2e.case_objects import Stage, Told, told
from tests.e2e.case_report import CaseReport, Row
from tests.e2e.case_scheduling import play
from tests.e2e.case_tiers import Tier, tier_of
from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.quotation import quotation
from tests.e2e.waiting import wait_for
from tests.rule_cases import cases

pytestmark = pytest.mark.e2e


def _of(tier: Tier) -> list[object]:
    found = [each for case in cases("fires") for each in told(case)]
    return [
        pytest.param(each, number, id=each.id)
        for number, each in enumerate(found)
        if tier_of(each) is tier
    ]


@pytest.mark.parametrize(("each", "number"), _of(Tier.API))
def test_the_api_server_says_what_podwire_foretells(
    each: Told, number: int, lab: Cluster, case_report: CaseReport
) -> None:
    stage = Stage(each.case, number)
    lab.apply(namespace_of(name) for name in stage.namespaces)
    refused = [text for wanted in stage.objects(on_a_node=False) if (text := _refusal(lab, wanted))]
    # A workload is made all the same where admission refuses its pods only.
    refused += [] if refused else _events_of_workloads(lab, stage)
    sentence = stage.renamed(each.finding.sees).partition(": ")[2].partition(": the next")[0]
    agrees = any(sentence in text for text in refused)
    case_report.add(each, Row(did=" / ".join(refused), agrees=agrees))
    for wanted in stage.objects(on_a_node=False):
        with contextlib.suppress(RefusedError):  # it was never made
            lab.api.remove(wanted)
    assert agrees, (sentence, refused)
    assert [text for text in refused if decode(text) is None] == []


def _refusal(lab: Cluster, wanted: Object) -> str:
    try:
        lab.api.apply(wanted)
    except RefusedError as error:
        return str(error)
    return ""


def _events_of_workloads(lab: Cluster, stage: Stage) -> list[str]:
    def refusals() -> list[str]:
        return [
            event["message"]
            for namespace in stage.namespaces
            for event in lab.api.list("Event", namespace=namespace)
            if event["reason"] == "FailedCreate"
        ]

    return wait_for("FailedCreate", refusals, holds=bool, within_s=15)


@pytest.mark.parametrize(("each", "number"), _of(Tier.SCHEDULER))
def test_the_scheduler_says_what_podwire_foretells(
    each: Told, number: int, lab: Cluster, case_report: CaseReport
) -> None:
    stage = Stage(each.case, number)
    fates = play(lab, stage, each)
    texts = [text for fate in fates.values() for text in fate.warnings]
    sees = stage.renamed(each.finding.sees)
    if sees.endswith("on the nodes that have them"):
        agrees = all(re.search(r"node\(s\) (?:didn't|had|were)", text) for text in texts)
    elif "not for want of devices" in sees:
        agrees = not any("Insufficient" in text for text in texts)
    else:
        agrees = all(
            any(quotation(sees).search(text) for text in fate.warnings) for fate in fates.values()
        )
    case_report.add(each, Row(did=f"Pending: {texts[-1]}", agrees=agrees))
    assert agrees, (sees, texts)
    assert [text for text in texts if decode(text) is None] == []
