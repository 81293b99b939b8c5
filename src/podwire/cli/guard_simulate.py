"""`podwire guard simulate`: whom a change costs GPUs, in which order, and which doors it moves."""

import argparse
import difflib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from podwire.cli.guard_doors import doors_of
from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.model.errors import PodwireError
from podwire.model.evidence import Known, Unknown
from podwire.model.versions import Version, by_version
from podwire.peers.gpu_operator import CDI_BY_DEFAULT
from podwire.wire.doors.changes import (
    DEFAULT_RUNTIME,
    DROP,
    Change,
    ChangeError,
    operator_changes,
)
from podwire.wire.doors.doors import Doors
from podwire.wire.doors.fates import Fates
from podwire.wire.doors.ordering import Step, changes_of, ordered
from podwire.wire.doors.shifts import Shifts, shifts
from podwire.wire.doors.standing import is_made
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.present.simulation import Simulated

_OPERATOR = "gpu-operator"


def run(options: argparse.Namespace, *, world: World) -> int:
    """Answer; 1 where all changes at once cost somebody GPUs or open a reserved one."""
    from podwire.present.simulation import simulation_json, simulation_text

    del world  # What there is to see is in the files; rules are `check`'s.
    version = _operator(options)
    steps = [*_set(options.changes)]
    with Progress(sys.stderr) as progress:
        picture = Picture(read(options, progress=progress).facts)
        doors = doors_of(picture)
        gpus = doors.gpus
        _know_runtimes(steps, gpus)
        assumes: tuple[str, ...] = ()
        if version is not None:
            step, assumes = _upgrade(version, gpus)
            steps += [step] if step else []
        steps += _dropped(options.drop_runtime_class, gpus)
        if not (steps or assumes):
            raise PodwireError(
                "no change to simulate was given", hint="--set KEY=VALUE; see --help"
            )
        progress.stage("judging")
        found = _simulated(picture, doors, steps, assumes)
    write_out(simulation_json(found) if options.format == "json" else simulation_text(found))
    return BROKEN if found.lost or found.shifts.is_risk else 0


def _simulated(
    picture: Picture, doors: Doors, steps: list[Step], assumes: tuple[str, ...]
) -> "Simulated":
    from podwire.present.simulation import Simulated

    made = [s for s in steps if not s.label and all(is_made(c, doors) for c in s.changes)]
    left = [step for step in steps if step not in made]
    changes = changes_of(left)
    fates = Fates(picture.views, doors.gpus, changed=picture.gpus_after)
    order = ordered(fates, left)
    # What comes without a change, such as specs that a plugin writes anew, is no doing of one.
    before = doors.after(picture.gpus_after(()))
    moved, added = (
        shifts(before, doors.after(picture.gpus_after(each)), each) if each else Shifts()
        for each in (changes, changes_of(order) if any(s.is_added for s in order) else ())
    )
    return Simulated(
        asked=tuple(map(str, changes_of(steps))) or ("no change",),
        fates=fates.after(changes),
        steps=order,
        assumes=assumes,
        made=tuple(map(str, changes_of(made))),
        shifts=replace(moved, unknown=tuple(dict.fromkeys((*moved.unknown, *added.unknown)))),
        opened_on_the_way=tuple(each for each in added.opens if each not in moved.opens),
    )


def _operator(options: argparse.Namespace) -> Version | None:
    """Take the operator's version out of what is assumed: it is what comes, not what is."""
    found = None
    for written in tuple(options.assume):
        name, _, text = written.partition("=")
        if name == _OPERATOR:
            options.assume.remove(written)
            try:
                found = Version.parse(text)
            except ValueError as error:
                raise PodwireError(
                    f"--assume {written}: {error}", hint=f"--assume {_OPERATOR}=v25.10.0"
                ) from error
    return found


def _set(written: list[str]) -> Iterator[Step]:
    values: dict[str, str] = {}
    for each in written:
        try:
            change = Change.parse(each)
        except ChangeError as error:
            key = each.partition("=")[0]
            near = difflib.get_close_matches(key, error.known, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(error.known)}"
            raise PodwireError(f"--set {error}", hint=hint) from error
        first = values.setdefault(change.key, change.value)
        if first != change.value:
            raise PodwireError(
                f"--set gives {change.key} two values, {first} and {change.value}",
                hint="simulate the one, then the other",
            )
        yield Step(changes=(change,))


def _know_runtimes(steps: list[Step], gpus: Gpus) -> None:
    """Refuse a default runtime that no configuration has, where any was read."""
    read = [gpus.node(name).runtime_read for name in gpus.plugins.node_names]
    known = {h for each in read if isinstance(each, Known) for h in each.value.handlers}
    for name in (c.value for step in steps for c in step.changes if c.key == DEFAULT_RUNTIME):
        if known and name not in known:
            raise PodwireError(
                f"--set {DEFAULT_RUNTIME}={name}: no node has such a handler",
                hint=f"there are {', '.join(sorted(known))}",
            )


def _dropped(names: list[str], gpus: Gpus) -> list[Step]:
    classes = gpus.facts.runtime_classes
    known = [each.metadata.name for each in classes.items]
    for name in names:
        if classes.is_complete() and name not in known:
            hint = f"there are {', '.join(known)}" if known else "there is none"
            raise PodwireError(f"--drop-runtime-class {name}: there is no such class", hint=hint)
    return [Step(changes=(Change(key=DROP, value=name),)) for name in names]


def _upgrade(version: Version, gpus: Gpus) -> tuple[Step | None, tuple[str, ...]]:
    """Say what another version of the operator sets, by its chart's defaults."""
    policy = next(iter(gpus.plugins.policies.each), None)
    if policy is None:
        raise PodwireError(
            "no ClusterPolicy is in what was given: podwire cannot tell what the operator runs",
            hint="kubectl get clusterpolicies -o json",
        )
    then = by_version(Known(value=version), CDI_BY_DEFAULT)
    if isinstance(then, Unknown):
        raise PodwireError(then.reason)
    now = by_version(policy.version, CDI_BY_DEFAULT)
    if not then.value or (isinstance(now, Known) and now.value):
        return None, (f"{_OPERATOR} {version} sets up GPUs as the one that runs does",)
    step = Step(
        changes=operator_changes(runs_toolkit=policy.runs_toolkit),
        label=f"upgrade the GPU Operator to {version}, whose chart has cdi.enabled=true: mode cdi, "
        "no default runtime of NVIDIA's, strategy cdi-annotations,cdi-cri of its own plugin; then "
        "make the pods with GPUs anew",
    )
    kept = "cdi.enabled follows the chart's default; cdi.enabled=false in its values keeps it off"
    return step, (kept,)
