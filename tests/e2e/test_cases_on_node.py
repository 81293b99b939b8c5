"""Rule cases whose pods reach a real node: Multus says why they stop there, or nobody does."""

from collections.abc import Iterator

import pytest

from podwire.peers.event_texts import decode
from tests.e2e.case_objects import Stage, Told, told
from tests.e2e.case_playing import Played, play, pools_of
from tests.e2e.case_report import CaseReport, Row
from tests.e2e.case_tiers import Tier, tier_of
from tests.e2e.cluster import Cluster
from tests.e2e.device_plugin.pools import offered
from tests.e2e.quotation import is_quoting, quotation
from tests.rule_cases import cases

pytestmark = pytest.mark.e2e

_FOUND = [each for case in cases("fires") for each in told(case)]
_TIERS = (Tier.SANDBOX, Tier.RUNS)
EVERY = [(e, Stage(e.case, n)) for n, e in enumerate(_FOUND) if tier_of(e) in _TIERS]
STOPPED = [(each, stage) for each, stage in EVERY if tier_of(each) is Tier.SANDBOX]
RUNNING = [(each, stage) for each, stage in EVERY if tier_of(each) is Tier.RUNS]


@pytest.fixture(scope="module")
def played(cluster: Cluster) -> Iterator[dict[str, Played]]:
    pools = pools_of(stage for _, stage in (*STOPPED, *RUNNING))
    with offered(cluster.node, pools):
        for resource in pools:
            cluster.node.await_amounts(resource, capacity=8, allocatable=8)
        yield dict(play(cluster, (*STOPPED, *RUNNING)))


@pytest.mark.parametrize("each", [pytest.param(e, id=e.id) for e, _ in STOPPED])
def test_a_pod_stops_as_podwire_foretells(
    each: Told, played: dict[str, Played], case_report: CaseReport
) -> None:
    what = played[each.id]
    sees = what.stage.renamed(each.finding.sees)
    texts = [text for fate in what.fates.values() for text in fate.warnings]
    ends = {fate.end for fate in what.fates.values()}
    if "no device was passed" in sees:
        # The sentence is a stand-in's; that this pod is the one to be refused is not.
        decoded = {d.situation for text in texts if (d := decode(text))}
        agrees = ends == {"no sandbox"} and "no-device" in decoded
    elif is_quoting(sees):
        agrees = ends == {"no sandbox"} and any(quotation(sees).search(text) for text in texts)
    else:
        agrees = ends == {"no sandbox"}
    case_report.add(each, Row(did=f"{', '.join(ends)}: {' / '.join(texts[-1:])}", agrees=agrees))
    assert agrees, (sees, ends, texts)
    assert [text for text in texts if decode(text) is None] == []


@pytest.mark.parametrize("each", [pytest.param(e, id=e.id) for e, _ in RUNNING])
def test_a_pod_runs_without_a_word(
    each: Told, played: dict[str, Played], case_report: CaseReport
) -> None:
    what = played[each.id]
    is_held = each.case.rule.slug == "device-without-attachment"  # other networks may be there
    agrees = all(
        (fate.end, fate.warnings) == ("runs", ())
        and (fate.devices < fate.asked if is_held else not fate.networks)
        for fate in what.fates.values()
    )
    did = "; ".join(
        f"{f.end}, {f.networks} more networks, {f.asked} devices" for f in what.fates.values()
    )
    case_report.add(each, Row(did=f"{did}, no warning", agrees=agrees))
    assert agrees, what.fates
