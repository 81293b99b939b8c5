"""The cases of all rules: where they lie, and what podwire says about each.

`python -m tests.rule_cases [ID...]` lists expected outputs that differ, of some rules or of
all; `--write` writes them again.
"""

import argparse
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import msgspec

from podwire.adapters.rootfs import RootFs
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.sources import FileSources
from podwire.engine.report import Report
from podwire.engine.run import run
from podwire.facts.inventory import Inventory
from podwire.findings.model import Rule
from podwire.present.places import Places
from podwire.present.text import Look, text_report
from podwire.rules import CATALOGUE
from podwire.wire.picture import Picture

ROOT = Path(__file__).parents[1]
EXPECTED = "expected.txt"


class Case(msgspec.Struct, frozen=True):
    """One bundle beside a rule; `kind` is fires, quiet or undecided."""

    rule: Rule
    folder: Path

    @property
    def kind(self) -> str:
        return self.folder.name.partition("-")[0]

    @property
    def letter(self) -> str:
        """What a pair shares."""
        return self.folder.name.partition("-")[2]

    @property
    def id(self) -> str:
        return f"{self.rule.id}-{self.folder.name}"


class Said(msgspec.Struct, frozen=True):
    """What podwire found, and how it looks in a terminal."""

    facts: Inventory
    report: Report
    text: str

    def by(self, rule: Rule) -> list[object]:
        return [judged for judged in self.report.findings if judged.rule is rule]

    def is_undecided(self, rule: Rule) -> bool:
        return any(gap.rule is rule for gap in self.report.undecided)


def module_of(rule: Rule) -> ModuleType:
    return sys.modules[rule.check.__module__]


def file_of(rule: Rule) -> Path:
    return Path(str(module_of(rule).__file__))


def cases_of(rule: Rule) -> tuple[Case, ...]:
    file = file_of(rule)
    folder = file.parent / "cases" / file.stem
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(Case(rule=rule, folder=path) for path in found if path.is_dir())


def cases(*kinds: str) -> list[Case]:
    return [case for rule in CATALOGUE for case in cases_of(rule) if case.kind in kinds]


@cache
def said(folder: Path) -> Said:
    """Check a folder as `podwire check` would, standing in it."""
    inputs = (Input(typed=".", files=RootFs(str(folder))),)
    facts = collect(inputs)
    report = run(CATALOGUE, picture=Picture(facts))
    for failure in report.failed:
        raise failure.error
    unread = tuple(document for document in report.unread if document.name != EXPECTED)
    report = msgspec.structs.replace(report, unread=unread)
    text = text_report(report, places=Places(FileSources(inputs)), look=Look())
    return Said(facts=facts, report=report, text=text)


def stale(ids: Collection[str] = ()) -> Iterator[tuple[Path, str]]:
    """Give the expected outputs that are not what podwire says, with what it says."""
    for case in (case for case in cases("fires") if not ids or case.rule.id in ids):
        path = case.folder / EXPECTED
        text = said(case.folder).text
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what differs again")
    parser.add_argument("ids", nargs="*", metavar="ID", help="rules; all where none is named")
    options = parser.parse_args()
    is_writing = options.write
    found = list(stale(options.ids))
    for path, text in found:
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
        if is_writing:
            path.write_text(text, encoding="utf-8")
    return 1 if found and not is_writing else 0


if __name__ == "__main__":
    sys.exit(main())
