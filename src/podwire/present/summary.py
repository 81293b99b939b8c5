"""The end of a report: what was looked at, what was found, what would decide the rest."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from podwire.engine.report import Report, Silenced, Undecided
from podwire.facts.inventory import LookedAt
from podwire.findings.model import Severity
from podwire.present.lines import counted, flowed, plain, wrapped

_MOST = 8
_COUNT = 6  # columns of the number of verdicts
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def summary(report: Report, *, now: str, is_verbose: bool) -> list[str]:
    """Write the last line, and below it how to decide what stayed undecided."""
    pieces = [*_looked_at(report.looked_at, now=now), *_found(report)]
    lines = flowed(pieces, rest="  ")
    lines += _foreign(report.looked_at)
    lines += _undecided(report.undecided, is_verbose=is_verbose)
    lines += _partial(report)
    if is_verbose:
        lines += _silenced(report)
        lines += _unread(report)
    return lines


def _looked_at(looked_at: LookedAt, *, now: str) -> Iterator[str]:
    yield f"Looked at {counted(looked_at.documents, 'document')},"
    nodes = f", {counted(looked_at.nodes, 'node')}" if looked_at.nodes else ""
    yield f"{counted(looked_at.objects, 'object')}{nodes}"
    yield f"({age(looked_at, now=now)}):"


def age(looked_at: LookedAt, *, now: str) -> str:
    """Say how old the facts are; without `now`, when they were read."""
    times = [time for time in (looked_at.newest, looked_at.oldest) if time]
    if not times:
        return "age unknown"
    if now:
        ages = [found for time in times if (found := _age(time, now=now))]
        if ages:
            return f"{_span(ages[0], ages[-1])} old"
    return "read " + " to ".join(dict.fromkeys(reversed(times)))


def _span(least: str, most: str) -> str:
    """Write `3 to 5 days`, `2 hours to 1 day`, or one age where both are the same."""
    if least == most:
        return most
    same_unit = least.rpartition(" ")[2].rstrip("s") == most.rpartition(" ")[2].rstrip("s")
    return f"{least.rpartition(' ')[0] if same_unit else least} to {most}"


def _age(time: str, *, now: str) -> str | None:
    try:
        passed = (_moment(now) - _moment(time)).total_seconds()
    except ValueError:
        return None
    for size, unit in _UNITS:
        if passed >= size:
            return counted(int(passed // size), unit)
    return "less than a minute"


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _found(report: Report) -> list[str]:
    counts = [(report.count(severity), severity.value) for severity in Severity]
    parts = [counted(count, noun) for count, noun in counts if count] or ["nothing broken"]
    parts.append(f"{sum(gap.count for gap in report.undecided)} undecided")
    parts += quiet_counts(report)
    if report.failed:
        parts.append(f"{counted(len(report.failed), 'verdict')} failed (see stderr)")
    if report.unread:
        parts.append(f"{counted(len(report.unread), 'file')} not known to podwire")
    return [*(f"{part}," for part in parts[:-1]), parts[-1]]


def quiet_counts(report: Report) -> list[str]:
    """Count what is not reported: silenced by somebody, or known to a baseline."""
    silenced = len(report.silenced) - report.known
    counts = [f"{silenced} silenced"] if silenced else []
    return [*counts, f"{report.known} known (baseline)"] if report.known else counts


def _foreign(looked_at: LookedAt) -> list[str]:
    """Count what would make pods and is of no kind that podwire reads."""
    if not looked_at.foreign:
        return []
    total = sum(count for _, count in looked_at.foreign)
    kinds = ", ".join(f"{kind} ({count})" for kind, count in looked_at.foreign[:_MOST])
    more = ", ..." if len(looked_at.foreign) > _MOST else ""
    return wrapped(
        f"{counted(total, 'object')} with pods, of kinds podwire does not read: {kinds}{more}",
        rest="  ",
    )


def _partial(report: Report) -> list[str]:
    """Say what a List is taken for, where more of one would decide."""
    is_asked = any(gap.give.startswith("kubectl get") for gap in report.undecided)
    if not (is_asked and report.looked_at.is_partial):
        return []
    return wrapped(
        "The Lists given count for the namespaces that occur in them; -A says that they are of "
        "all namespaces.",
    )


def _undecided(gaps: Sequence[Undecided], *, is_verbose: bool) -> Iterator[str]:
    """Group by what would give the fact; the most verdicts first."""
    groups: dict[str, list[Undecided]] = defaultdict(list)
    for gap in gaps:
        groups[gap.give or f"no command is known to tell: {gap.reason}"].append(gap)
    ordered = sorted(groups.items(), key=lambda item: (-_size(item[1]), item[0]))
    if ordered:
        yield "To decide more, give:"
    for give, members in ordered if is_verbose else ordered[:_MOST]:
        yield from wrapped(give, first=f"{_size(members):>{_COUNT}}  ")
        if is_verbose:
            yield from _reasons(members)
    more = len(ordered) - _MOST
    if more > 0 and not is_verbose:
        yield f"{'':{_COUNT}}  and {counted(more, 'more fact')}; -v lists all"


def _size(gaps: Sequence[Undecided]) -> int:
    return sum(gap.count for gap in gaps)


def _reasons(gaps: Sequence[Undecided]) -> Iterator[str]:
    """Say which rules lack it, why, and for whom."""
    by_reason: Mapping[str, list[Undecided]] = defaultdict(list)
    for gap in gaps:
        by_reason[gap.reason].append(gap)
    for reason, members in sorted(by_reason.items()):
        rules = ", ".join(sorted({gap.rule.id for gap in members}))
        refs = dict.fromkeys(str(ref) for gap in members for ref in gap.samples)
        whom = f" ({', '.join(list(refs)[:3])})" if refs else ""
        why = f": {reason}" if members[0].give else ""
        yield from wrapped(f"{rules}{why}{whom}", first=" " * (_COUNT + 4))


def _silenced(report: Report) -> Iterator[str]:
    for title, is_known in (("Silenced:", False), ("Known (baseline):", True)):
        members = [entry for entry in report.silenced if entry.is_known is is_known]
        if members:
            yield title
        yield from _entries(members)


def _entries(members: Sequence[Silenced]) -> Iterator[str]:
    for silenced in members:
        judged = silenced.judged
        text = (
            f"{judged.rule.id} {judged.subject}: {silenced.reason or 'no reason'} ({silenced.by})"
        )
        yield from wrapped(text, first="  ", rest="    ")


def _unread(report: Report) -> Iterator[str]:
    if report.unread:
        yield "Not known to podwire:"
    for name in sorted({document.name for document in report.unread}):
        yield from wrapped(plain(name), first="  ", rest="    ")
