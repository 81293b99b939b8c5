"""Verdicts that podwire owes because of a fault of its own: said on stderr, with a status."""

from collections.abc import Iterable

from podwire.cli.statuses import FAILED
from podwire.cli.streams import say
from podwire.engine.report import Failed
from podwire.present.lines import wrapped


def status_after(failed: Iterable[Failed], *, status: int, is_verbose: bool) -> int:
    """Say what failed, after the report was written; the status is 70 then."""
    lines: list[str] = []
    for failure in failed:
        whom = f" about {failure.subject}" if failure.subject else ""
        text = f"{failure.rule.id} {failure.rule.slug} failed{whom}: {failure.words}"
        lines += wrapped(text, first="podwire: ")
        lines += _traceback(failure.error) if is_verbose else []
    if not lines:
        return status
    hint = "this is a fault of podwire, the other verdicts stand"
    lines += wrapped(hint if is_verbose else f"{hint}; -v shows where", first="hint: ")
    say(lines)
    return FAILED


def _traceback(error: Exception) -> list[str]:
    import traceback

    text = "".join(traceback.format_exception(error)).rstrip("\n")
    return text.encode("ascii", "backslashreplace").decode("ascii").split("\n")
