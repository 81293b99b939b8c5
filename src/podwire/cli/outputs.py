"""`--format F[=FILE]`: which forms a report takes, and where each of them goes."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from podwire.cli.arguments import FORMATS
from podwire.cli.streams import write_out
from podwire.cli.whole_file import write_whole
from podwire.engine.report import Report
from podwire.findings.model import Rule
from podwire.model.errors import PodwireError
from podwire.present.places import Places
from podwire.present.text import Look

_INPUTS = (".yaml", ".yml")  # no form of a report


class Output(msgspec.Struct, frozen=True):
    """One form; `file` is empty for standard output."""

    form: str
    file: str = ""


class Job(msgspec.Struct, frozen=True):
    """Everything that writing a report takes."""

    report: Report
    rules: Sequence[Rule]
    places: Places
    look: Look
    fail_on: str


def outputs_of(written: Iterable[str]) -> tuple[Output, ...]:
    """Read the values of `--format`; without any, text goes to standard output.

    Raises:
        PodwireError: a form that podwire does not know, or two for standard output.
    """
    found = []
    for value in written:
        form, equals, file = value.partition("=")
        if form not in FORMATS or (equals and not file):
            raise PodwireError(
                f"--format {value}: no such form",
                hint=f"F or F=FILE, F one of {', '.join(FORMATS)}",
            )
        found.append(Output(form=form, file=file))
    if sum(1 for output in found if not output.file) > 1:
        raise PodwireError(
            "two forms cannot share standard output", hint="-o json=FILE writes one to a file"
        )
    return tuple(found) or (Output(form="text"),)


def check_targets(outputs: Iterable[Output], *, inputs: Iterable[str]) -> None:
    """See that no report takes the place of an input, or of another report.

    Raises:
        PodwireError: one would.
    """
    files = [output.file for output in outputs if output.file]
    for index, file in enumerate(files):
        if any(_is_same(file, other) for other in files[:index]):
            raise PodwireError(f"two forms cannot share {file}", hint="name two files")
        for given in inputs:
            if _is_same(file, given) or (file.endswith(_INPUTS) and _is_below(file, given)):
                raise PodwireError(
                    f"{file} is read: the report would take its place",
                    hint="write the report to another file",
                )


def _is_same(file: str, other: str) -> bool:
    try:
        return file == other or Path(file).samefile(other)
    except (OSError, ValueError):
        return False


def _is_below(file: str, folder: str) -> bool:
    """Tell a file that is there from a name that is free."""
    path = Path(file)
    try:
        return path.is_file() and path.resolve().is_relative_to(Path(folder).resolve())
    except (OSError, ValueError):
        return False


def write(outputs: Iterable[Output], *, job: Job) -> None:
    """Write files first, then standard output."""
    for output in sorted(outputs, key=lambda output: not output.file):
        if output.file:
            look = msgspec.structs.replace(job.look, has_colour=False)
            write_whole(
                Path(output.file), _FORMS[output.form](msgspec.structs.replace(job, look=look))
            )
        else:
            write_out(_FORMS[output.form](job))


def _text(job: Job) -> str:
    from podwire.present.text import text_report

    return text_report(job.report, places=job.places, look=job.look)


def _short(job: Job) -> str:
    from podwire.present.short import short_report

    return short_report(job.report, places=job.places)


def _json(job: Job) -> str:
    from podwire.present.json_report import json_report

    return json_report(job.report, places=job.places)


def _sarif(job: Job) -> str:
    from podwire.cli.version import version
    from podwire.present.sarif import sarif_report

    return sarif_report(job.report, rules=job.rules, places=job.places, version=version())


def _junit(job: Job) -> str:
    from podwire.present.junit import junit_report

    return junit_report(job.report, rules=job.rules, places=job.places, fail_on=job.fail_on)


def _github(job: Job) -> str:
    from podwire.present.github import github_report

    return github_report(job.report, places=job.places)


_FORMS: dict[str, Callable[[Job], str]] = {
    "text": _text,
    "short": _short,
    "json": _json,
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
}
