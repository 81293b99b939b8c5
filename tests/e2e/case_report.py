"""What each rule's case did to a real cluster, as a page for people: build/e2e/cases.md."""

from collections import Counter
from pathlib import Path

import msgspec

from tests.e2e.case_objects import Told, told
from tests.e2e.case_tiers import Tier, tier_of
from tests.rule_cases import cases

PAGE = Path(__file__).parents[2] / "build/e2e/cases.md"
_HEAD = """\
# What rule cases did to a real cluster

Kubernetes 1.37, containerd 2.4, Multus 4.2. `=`: the cluster did and said what podwire foretells.

| case | fault | what the cluster did | what podwire says | |
|---|---|---|---|---|
"""
_NOT_RUN = "this run left it out"


class Row(msgspec.Struct, frozen=True):
    """What a cluster did in one case."""

    did: str
    agrees: bool


class CaseReport:
    """Filled by the tests that play cases; whatever they leave out is listed with the reason."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def add(self, of: Told, row: Row) -> None:
        self._rows[of.id] = row

    def write(self) -> Counter[str]:
        """Write the page, and count what is in it."""
        counts: Counter[str] = Counter()
        lines = [self._line(each, counts) for case in cases("fires") for each in told(case)]
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(_HEAD + "".join(lines))
        return counts

    def _line(self, of: Told, counts: Counter[str]) -> str:
        row = self._rows.get(of.id)
        if row is not None:
            counts["as foretold" if row.agrees else "otherwise than foretold"] += 1
            did, sign = row.did, "=" if row.agrees else "differs"
        else:
            tier = tier_of(of)
            did, sign = (_NOT_RUN if isinstance(tier, Tier) else tier), ""
            counts[did.partition(":")[0] if sign == "" else did] += 1
        cells = (of.id, of.case.rule.title, did, of.finding.sees, sign)
        return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")
