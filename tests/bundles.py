"""A bundle on disk through collect, wire, rules and present: what most tests of rules need."""

import io
import json
from pathlib import Path
from typing import Any

from podwire.adapters.given import fs_of
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.sources import FileSources
from podwire.engine.report import Report
from podwire.engine.run import run
from podwire.present.json_report import json_report
from podwire.present.places import Places
from podwire.rules import CATALOGUE
from podwire.wire.picture import Picture

CASES = Path(__file__).parent / "cases"


def inputs_of(path: Path) -> tuple[Input, ...]:
    """Open a bundle, or a folder of manifests."""
    return (Input(typed=str(path), files=fs_of(str(path), stdin=io.BytesIO())),)


def report_of(path: Path) -> Report:
    """Judge it by the whole catalogue."""
    report = run(CATALOGUE, picture=Picture(collect(inputs_of(path))))
    for failure in report.failed:
        raise failure.error
    return report


def document_of(path: Path) -> dict[str, Any]:
    """Give the JSON report, as a reader of it gets it."""
    text = json_report(report_of(path), places=Places(FileSources(inputs_of(path))))
    document: dict[str, Any] = json.loads(text)
    return document
