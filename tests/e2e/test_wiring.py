"""Each pod of a real cluster: podwire names what broke it, in words that the cluster used."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from podwire.engine.report import Judged
from podwire.findings.model import Severity
from tests.bundles import CASES, report_of
from tests.e2e.cluster import Cluster, Fate
from tests.e2e.device_plugin.pools import devices, offered
from tests.e2e.quotation import quotation
from tests.e2e.scenarios import LATER, RESOURCE, SCENARIOS, Scenario, surroundings
from tests.e2e.waiting import wait_for

pytestmark = pytest.mark.e2e

CARDS = ("0000:1a:00", "0000:3c:00", "0000:5e:00", "0000:7f:00")
EVERY = (*SCENARIOS, *LATER)
_MADE_NAME = re.compile(r"-[0-9a-f]{8,10}-[a-z0-9]{5}$")  # of a Deployment's pod
RULES: dict[str, str] = {
    _MADE_NAME.sub("", pod): slug
    for pod, slug in json.loads((CASES / "real/cluster-1.37/expected.json").read_text())[
        "broken"
    ].items()
}
BROKEN = [pytest.param(s, RULES[s.name], id=s.name) for s in EVERY if s.name in RULES]
GOOD = [pytest.param(s, id=s.name) for s in EVERY if s.name not in RULES]


class Seen(msgspec.Struct, frozen=True):
    """What became of each scenario's pod, and what podwire found."""

    fates: dict[str, Fate]
    findings: dict[str, list[Judged]]


@pytest.fixture(scope="module")
def seen(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    with offered(cluster.node, {RESOURCE: devices(*CARDS)}):
        cluster.node.await_amounts(RESOURCE, capacity=32, allocatable=32)
        cluster.apply(surroundings(bridge=cluster.bridge))
        for step in (SCENARIOS, LATER):
            cluster.apply(scenario.made for scenario in step)
            _settle(cluster, step)
        bundle = cluster.dump(tmp_path_factory.mktemp("real") / "bundle")
        findings = _by_scenario(report_of(bundle).findings)
        yield Seen(fates=cluster.fates(), findings=findings)


def _settle(cluster: Cluster, step: Sequence[Scenario]) -> None:
    """Wait until each pod is as far as it will get."""

    def astray() -> dict[str, Fate | None]:
        fates = cluster.fates()
        now = [(scenario, fates.get(scenario.name)) for scenario in step]
        return {s.name: fate for s, fate in now if fate is None or fate.end != s.ends}

    wait_for("pods that end as they should", astray, holds=lambda left: not left, within_s=90)


def _by_scenario(findings: Sequence[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = defaultdict(list)
    for judged in findings:
        for name in {ref.full_name for ref in judged.subjects if ref.kind == "Pod"}:
            found[_MADE_NAME.sub("", name)].append(judged)
    return found


def test_every_recorded_pod_has_its_scenario() -> None:
    assert set(RULES) <= {scenario.name for scenario in EVERY}


@pytest.mark.parametrize("scenario", GOOD)
def test_a_pod_that_works_is_left_alone(scenario: Scenario, seen: Seen) -> None:
    assert seen.fates[scenario.name].warnings == ()
    found = [judged.finding for judged in seen.findings[scenario.name]]
    assert [f.message for f in found if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize(("scenario", "slug"), BROKEN)
def test_a_broken_pod_is_explained(scenario: Scenario, slug: str, seen: Seen) -> None:
    assert slug in {judged.rule.slug for judged in seen.findings[scenario.name]}


@pytest.mark.parametrize(("scenario", "slug"), BROKEN)
def test_the_events_are_those_that_podwire_foretells(
    scenario: Scenario, slug: str, seen: Seen
) -> None:
    warnings = seen.fates[scenario.name].warnings
    sees = next(j.finding.sees for j in seen.findings[scenario.name] if j.rule.slug == slug)
    if scenario.ends == "runs":
        assert warnings == ()
    elif "not for want of devices" in sees:
        assert not any("Insufficient" in text for text in warnings)
    elif "a sandbox error of ib-sriov" in sees:
        pytest.skip("not shown here: this ib-sriov is a stand-in, and so are its words")
    else:
        assert any(quotation(sees).search(text) for text in warnings), (sees, warnings)
