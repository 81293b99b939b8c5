"""What a change would cost and which doors it moves, and a safe order: text and JSON."""

from collections.abc import Iterable, Iterator

import msgspec

from podwire.present import ascii_json
from podwire.present.lines import counted, wrapped
from podwire.present.moved_doors import moved_lines
from podwire.wire.doors import changes as of
from podwire.wire.doors.changes import Change
from podwire.wire.doors.fates import Fate, Fated
from podwire.wire.doors.ordering import Step
from podwire.wire.doors.records import Side
from podwire.wire.doors.shifts import Shift, Shifts

SCHEMA_VERSION = 1
_TOOLKIT = {
    of.ACCEPT_VARIABLE: "accept-nvidia-visible-devices-envvar-when-unprivileged",
    of.ACCEPT_MOUNTS: "accept-nvidia-visible-devices-as-volume-mounts",
    of.MODE: "nvidia-container-runtime.mode",
    of.DEFAULT_KIND: "nvidia-container-runtime.modes.cdi.default-kind",
}
_RUNNING = (
    "A container that runs keeps what it has until it is made anew; what is said here holds for "
    "its next start."
)


class Simulated(msgspec.Struct, frozen=True):
    """What was asked, and what comes of it: all at once (`fates`, `shifts`), and step by step.

    `made` are changes that change nothing and so are no steps. `opened_on_the_way` are doors
    that only the steps open which nobody asked for.
    """

    asked: tuple[str, ...]
    fates: tuple[Fated, ...]
    steps: tuple[Step, ...]
    assumes: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    shifts: Shifts = Shifts()
    opened_on_the_way: tuple[Shift, ...] = ()

    @property
    def lost(self) -> tuple[Fated, ...]:
        """Those that all changes at once cost their GPUs."""
        return tuple(fated for fated in self.fates if fated.is_lost)

    @property
    def unknown(self) -> tuple[Fated, ...]:
        """Those of which it is not known."""
        return tuple(fated for fated in self.fates if fated.fate is Fate.UNKNOWN)


def simulation_text(found: Simulated) -> str:
    """Write who loses what with which words, then the steps."""
    kept = sum(fated.fate is Fate.KEEPS for fated in found.fates)
    lines = [
        *wrapped(f"with {', '.join(found.asked)}"),
        *(
            wrapped(f"already so on every node in sight: {', '.join(found.made)}")
            if found.made
            else ()
        ),
        *wrapped(
            f"{counted(len(found.fates), 'container')} with GPUs: {kept} keep them, "
            f"{len(found.lost)} do not, {len(found.unknown)} not known"
        ),
    ]
    for says, alike in _alike((*found.lost, *found.unknown)).items():
        lines += ["", *wrapped(f"{alike[0].fate.value}: {_names(alike)}")]
        lines += wrapped(says, first="  ", rest="  ") if says else []
    lines += moved_lines(found.shifts, found.opened_on_the_way)
    lines += ["", *wrapped(_RUNNING)]
    lines += ["", *_order(found)] if found.steps else []
    rests = (a for fated in found.fates for a in fated.assumes)
    for text in dict.fromkeys((*found.assumes, *rests)):
        lines += wrapped(text, first="assumes: ")
    return "\n".join(lines) + "\n"


def _alike(fates: Iterable[Fated]) -> dict[str, list[Fated]]:
    found: dict[str, list[Fated]] = {}
    for fated in fates:
        found.setdefault(fated.says or fated.fate.value, []).append(fated)
    return found


def _names(fates: Iterable[Fated], *, few: int = 8) -> str:
    names = [_name(fated) for fated in fates]
    more = f" and {len(names) - few} more" if len(names) > few else ""
    return ", ".join(names[:few]) + more


def _name(fated: Fated) -> str:
    pod = fated.use.pod
    several = len(tuple(pod.containers())) > 1
    container = f" ({fated.use.view.container.name})" if several else ""
    whose = "" if fated.side is Side.ORDINARY else f" [{fated.side.value}]"
    if fated.is_own and not whose:
        whose = " [requests none]"
    return f"{pod.full_name}{container}{whose}"


def _order(found: Simulated) -> Iterator[str]:
    costs = any(step.lost and not _is_taking_back(step) for step in found.steps)
    known = "as far as is known, " if found.unknown else ""
    whom = "the fewest" if costs else "nobody a GPU that requested it"
    yield f"{known}in this order it costs {whom}:"
    for number, step in enumerate(found.steps, 1):
        yield from wrapped(_step(step), first=f"{number}. ", rest="   ")
        if step.lost:
            yield from wrapped(_cost(step), first="   ", rest="   ")


def _is_taking_back(step: Step) -> bool:
    """Whether it ends nothing but what pods took without a request."""
    return all(fated.is_own and fated.side is Side.ORDINARY for fated in step.lost)


def _cost(step: Step) -> str:
    if _is_taking_back(step):
        return f"takes from {_names(step.lost)} what they took without a request"
    return f"costs {_names(step.lost)} their GPUs: give them those in another way before"


def _step(step: Step) -> str:
    added = " (added: without it a later step costs somebody)" if step.is_added else ""
    return (step.label or "; and ".join(_words(change) for change in step.changes)) + added


def _words(change: Change) -> str:
    if change.key in _TOOLKIT:
        return f"set {_TOOLKIT[change.key]} = {change.value} in the toolkit's config.toml"
    if change.key == of.DEFAULT_RUNTIME:
        return f"make {change.value} the default runtime of the nodes, and restart it"
    if change.key == of.STRATEGY:
        return (
            f"set DEVICE_LIST_STRATEGY={change.value} on the device plugins, wait until they have "
            "registered again, then make the pods with GPUs anew: kubelet repeats its old answer "
            "to a container that merely restarts"
        )
    if change.key == of.UNNAME:
        return f"take runtimeClassName: {change.value} out of the pods that name it, make them anew"
    return f"delete RuntimeClass {change.value}"


def simulation_json(found: Simulated) -> str:
    """Write the same as a document."""
    tree = {
        "schemaVersion": SCHEMA_VERSION,
        "changes": list(found.asked),
        "alreadySo": list(found.made),
        "containers": [_fated(fated) for fated in found.fates],
        "opens": [msgspec.to_builtins(shift) for shift in found.shifts.opens],
        "closes": [msgspec.to_builtins(shift) for shift in found.shifts.closes],
        "doorsNotKnown": [msgspec.to_builtins(shift) for shift in found.shifts.unknown],
        "opensByAddedSteps": [msgspec.to_builtins(shift) for shift in found.opened_on_the_way],
        "steps": [
            {
                "text": _step(step),
                "changes": [str(change) for change in step.changes],
                "isAdded": step.is_added,
                "costs": [_name(fated) for fated in step.lost],
            }
            for step in found.steps
        ],
        "assumes": list(found.assumes),
    }
    return ascii_json.document(tree)


def _fated(fated: Fated) -> dict[str, str]:
    return {
        "pod": fated.use.pod.full_name,
        "container": fated.use.view.container.name,
        "node": fated.use.node,
        "whose": fated.side.value,
        "requests": str(fated.use.resource or ""),
        "fate": fated.fate.value,
        "says": fated.says,
    }
