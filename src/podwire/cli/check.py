"""`podwire check`: read, judge, report."""

import argparse
import sys

import msgspec

from podwire.cli.choice import chosen
from podwire.cli.failures import status_after
from podwire.cli.outputs import Job, check_targets, outputs_of, write
from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN, INCOMPLETE
from podwire.cli.terminal import has_colour
from podwire.cli.world import World
from podwire.engine.report import Report
from podwire.engine.run import run as judge
from podwire.engine.silence import Silence
from podwire.facts.inventory import InputFault
from podwire.findings.model import Rule, Severity
from podwire.present.places import Places, Sources
from podwire.present.text import Look
from podwire.wire.picture import Picture

_LISTING = frozenset({"sarif", "junit"})


def run(options: argparse.Namespace, *, world: World) -> int:
    """Do it and say how it ended: 0, 1, 3 or 70."""
    outputs = outputs_of(options.format)
    check_targets(outputs, inputs=(*options.path, *filter(None, [options.config])))
    # A report that lists its rules lists all; else those that nothing in sight is about wait.
    is_whole = bool(options.only) or any(output.form in _LISTING for output in outputs)
    rules = chosen(world.catalogue(), names=options.only) if is_whole else None
    now = world.now()
    with Progress(sys.stderr) as progress:
        judged = _judged(
            options, world=world, rules=rules, today=now.date().isoformat(), progress=progress
        )
    look = Look(
        has_colour=has_colour(options.colour, stream=sys.stdout, environ=world.environ),
        is_verbose=options.verbose,
        now=now.isoformat(),
    )
    report = judged.report
    job = Job(
        report=report,
        rules=judged.rules,
        places=Places(judged.sources),
        look=look,
        fail_on=options.fail_on,
    )
    write(outputs, job=job)
    status = status_of(report, fail_on=options.fail_on, is_complete=options.require_complete)
    return status_after(report.failed, status=status, is_verbose=options.verbose)


class _Judged(msgspec.Struct, frozen=True):
    report: Report
    sources: Sources
    rules: tuple[Rule, ...]


def _judged(
    options: argparse.Namespace,
    *,
    world: World,
    rules: tuple[Rule, ...] | None,
    today: str,
    progress: Progress,
) -> _Judged:
    """Read and judge, less what somebody silenced."""
    silences: tuple[Silence, ...] = ()
    faults: tuple[InputFault, ...] = ()
    if options.config:
        from podwire.cli.config import ended, silences_in

        silences = silences_in(options.config, catalogue=world.catalogue())
        faults = tuple(ended(options.config, silences=silences, today=today))
    known = None
    if options.baseline:
        from podwire.cli.baseline import Baseline

        known = Baseline(options.baseline)
    given = read(options, progress=progress)
    progress.stage("judging")
    facts = msgspec.structs.replace(given.facts, faults=(*given.facts.faults, *faults))
    picture = Picture(facts)
    asked = world.about(picture) if rules is None else rules
    report = judge(asked, picture=picture, silences=silences, today=today)
    return _Judged(
        report=known.applied(report) if known else report, sources=given.sources, rules=asked
    )


def status_of(report: Report, *, fail_on: str, is_complete: bool) -> int:
    """Turn a report into an exit status; `is_complete` asks that nothing is undecided."""
    if fail_on != "never":
        limit = Severity(fail_on).rank
        if any(judged.finding.severity.rank <= limit for judged in report.findings):
            return BROKEN
    return INCOMPLETE if is_complete and report.undecided else 0
