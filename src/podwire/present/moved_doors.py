"""Doors that a change opens or closes, as lines."""

from collections.abc import Callable, Iterable, Iterator

from podwire.present.lines import wrapped
from podwire.wire.doors.shifts import Shift, Shifts

_FEW = 8
_FEW_PODS = 4


def moved_lines(shifts: Shifts, on_the_way: Iterable[Shift]) -> list[str]:
    """Write each door with its GPUs and its node, after an empty line; nothing for none."""
    lines = [
        *_few(shifts.opens, "opens: ", _opens),
        *_few(on_the_way, "opens, by an added step: ", _opens),
        *_few(shifts.closes, "closes: ", _closes),
        *_few(shifts.unknown, "not known whether open then: ", _unknown),
    ]
    return ["", *lines] if lines else []


def _few(every: Iterable[Shift], label: str, says: Callable[[Shift], str]) -> Iterator[str]:
    shifts = tuple(every)
    for shift in shifts[:_FEW]:
        yield from wrapped(f"{label}{says(shift)}", rest="  ")
    if len(shifts) > _FEW:
        yield f"{label}{len(shifts) - _FEW} more; -o json has them all"


def _opens(shift: Shift) -> str:
    by = f": {shift.how}" if shift.how else ""
    pods = f"; as written now it lets in {_pods(shift.pods)}" if shift.pods else ""
    return f"{_door(shift)}{by}{pods}{_before(shift, 'open')}"


def _closes(shift: Shift) -> str:
    lost = f"; as written now it let in {_pods(shift.pods)}" if shift.pods else ""
    still = f"; still open to {_pods(shift.still)}" if shift.still else ""
    return f"{_door(shift)}{lost}{still}{_before(shift, 'closed')}"


def _unknown(shift: Shift) -> str:
    pods = f", to {_pods(shift.pods)}" if shift.pods else ""
    return f"{_door(shift)}{pods}: {shift.missing}"


def _door(shift: Shift) -> str:
    to = f" to {', '.join(shift.gpus)}" if shift.gpus else ""
    kept = " (kept for the host)" if shift.is_reserved else ""
    return f"{shift.door}{to} on {shift.node}{kept}"


def _before(shift: Shift, state: str) -> str:
    return f"; unless it is {state} already ({shift.missing})" if shift.missing else ""


def _pods(pods: tuple[str, ...]) -> str:
    more = f" and {len(pods) - _FEW_PODS} more" if len(pods) > _FEW_PODS else ""
    return ", ".join(pods[:_FEW_PODS]) + more
