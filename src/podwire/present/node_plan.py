"""A plan of `podwire node` for people and for programs: each write, what was there, and why."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from podwire.plan.outcome import Outcome
from podwire.plan.step import Action, PfPlan, Plan, Step
from podwire.present.lines import counted, plain, wrapped

SCHEMA_VERSION = 1
_LEFT = 40
_GAP = 2


def plan_text(plan: Plan) -> str:
    """Write a plan in 80 columns; writes that differ in their VF alone are one line."""
    lines = [_head(plan)]
    for repair in plan.gate:
        lines += ["", *wrapped(repair.text, first="repair: ")]
        lines += wrapped(repair.fix, first="   fix: ") if repair.fix else []
    for note in plan.notes:
        lines += ["", *wrapped(note, first="note: ")]
    for pf in plan.pfs:
        lines += _pf(pf)
    return "\n".join(lines) + "\n"


def _head(plan: Plan) -> str:
    name = plain(plan.machine)
    if plan.is_converged and not plan.writes:
        return f"{name}: nothing to do"
    if plan.gate:
        return f"{name}: nothing is planned before {counted(len(plan.gate), 'repair')}"
    busy = sum(1 for pf in plan.pfs if pf.steps)
    refused = sum(1 for pf in plan.pfs if pf.refusals)
    words = [f"{counted(plan.writes, 'write')} to {counted(busy, 'PF')}"] if busy else []
    words += [f"{counted(refused, 'PF')} refused"] if refused else []
    return f"{name}: {', '.join(words)}"


def _pf(pf: PfPlan) -> list[str]:
    if not (pf.steps or pf.refusals or pf.notes):
        return []
    lines = ["", plain(pf.name) + (": taken back" if pf.is_undo else "")]
    for refusal in pf.refusals:
        lines += wrapped(refusal, first="  refused: ")
    for note in pf.notes:
        lines += wrapped(note, first="  note: ")
    for _, group in groupby(pf.steps, key=_likeness):
        lines += _row(tuple(group))
    return lines


def _likeness(step: Step) -> tuple[object, ...]:
    # GUIDs differ from VF to VF, for one and the same reason.
    what = "" if step.action is Action.LINK else _what(step)
    return (step.action, what, step.was, step.reason)


def _row(steps: tuple[Step, ...]) -> list[str]:
    if steps[0].action is Action.LINK:
        lines = [plain(f"  VF {step.vf}: {_what(step)}") for step in steps]
        return [*lines, *wrapped(steps[0].reason, first=" " * _LEFT)]
    first, last = steps[0].vf, steps[-1].vf
    who = "" if first is None else f"VF {first}: " if first == last else f"VF {first}-{last}: "
    left = plain(f"  {who}{_what(steps[0])}")
    reason = wrapped(steps[0].reason, first=" " * _LEFT)
    if len(left) <= _LEFT - _GAP:
        return [left + reason[0][len(left) :], *reason[1:]]
    return [left, *reason]


def _what(step: Step) -> str:
    """Say what a step does, without the VF's number."""
    if step.action is Action.LINK and step.link is not None:
        words = [f"GUID {step.link.guid.octets}"] if step.link.guid else []
        words += [f"state {step.link.policy}"] if step.link.policy else []
        return ", ".join(words)
    if step.action is Action.WRITE:
        name = step.target.rpartition("/")[2]
        return f"{name} {step.was} -> {step.value}" if step.was else f"{name} {step.value}"
    return {Action.BIND: "drivers_probe", Action.UNBIND: "unbind"}.get(
        step.action, f"wait for udev and {step.value.replace(' ', ', ') or 'the driver'}"
    )


def plan_tree(plan: Plan) -> dict[str, Any]:
    """Give a plan for programs."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "machine": plan.machine,
        "converged": plan.is_converged,
        "writes": plan.writes,
        "gate": [{"text": repair.text, "fix": repair.fix} for repair in plan.gate],
        "notes": [*plan.notes],
        "pfs": [_pf_tree(pf) for pf in plan.pfs],
    }


def _pf_tree(pf: PfPlan) -> dict[str, Any]:
    return {
        "pf": str(pf.pf),
        "name": pf.name,
        "refusals": [*pf.refusals],
        "notes": [*pf.notes],
        "steps": [dict(_step(step)) for step in pf.steps],
    }


def _step(step: Step) -> Iterator[tuple[str, object]]:
    yield "action", step.action.value
    yield "vf", step.vf
    yield "target", step.target
    yield "value", step.value
    yield "was", step.was
    yield "undo", step.undo
    yield "blind", step.is_blind
    yield "reason", step.reason


def outcome_text(outcome: Outcome) -> str:
    """Write how `apply` ended; the plan was shown before."""
    lines: list[str] = []
    for pf in outcome.pfs:
        done = counted(pf.written, "write")
        lines += wrapped(f"{pf.name}: {'stopped after' if pf.failed else 'done,'} {done}")
        lines += wrapped(pf.failed, first="  failed: ") if pf.failed else []
        for text in pf.undone:
            lines += wrapped(text, first="  taken back: ")
        for text in pf.left:
            lines += wrapped(text, first="  not taken back: ")
    if outcome.is_done:
        lines.append(f"{plain(outcome.plan.machine)}: as the spec wants it")
    else:
        lines += [*([""] if lines else []), "still to do:"]
        lines += plan_text(outcome.left or outcome.plan).rstrip("\n").split("\n")
    return "\n".join(lines) + "\n"


def outcome_tree(outcome: Outcome) -> dict[str, Any]:
    """Give the end of `apply` for programs."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "done": outcome.is_done,
        "plan": plan_tree(outcome.plan),
        "pfs": [
            {
                "pf": str(pf.pf),
                "written": pf.written,
                "failed": pf.failed or None,
                "undone": [*pf.undone],
                "left": [*pf.left],
            }
            for pf in outcome.pfs
        ],
        "left": plan_tree(outcome.left) if outcome.left else None,
    }
