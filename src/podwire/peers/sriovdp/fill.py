"""Share the network functions of a node out among the pools, as the plugin does at its start.

Entries in the order of the file, selectors in theirs; the first that fits has the function.
Sources: cmd/sriovdp/manager.go initServers and excludeAllocatedDevices,
pkg/netdevice/netDeviceProvider.go AddTargetDevices, v3.11.0.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from podwire.facts.node import Function
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown, joined
from podwire.model.versions import Version
from podwire.peers.sriovdp.fates import (
    Exclusion,
    Fate,
    Filled,
    PoolFill,
    Step,
    Trial,
)
from podwire.peers.sriovdp.keys import NET_DEVICE
from podwire.peers.sriovdp.records import Config, Entry
from podwire.peers.sriovdp.selectors import PASSED, Check, Outcome, checks_of, decided, judge_key
from podwire.peers.sriovdp.start import MODE_UNKNOWN, Start, start_of

_NOT_MODELLED: Final = "podwire models pools of type netDevice only, not {}"


class _Question(msgspec.Struct, frozen=True):
    """One selector of one entry; its checks are numbers, for pools often ask the same."""

    entry: int
    selector: int
    checks: tuple[int, ...]


class _Plan(msgspec.Struct, frozen=True):
    """Everything to ask a function, in the plugin's order, and the distinct checks of it."""

    questions: tuple[_Question, ...]
    checks: tuple[Check, ...]


def fill(
    config: Config,
    *,
    functions: tuple[Function, ...],
    default_routes: frozenset[str],
    away: frozenset[PciAddress],
    version: Answer[Version],
    rdma_mode: Answer[str] = MODE_UNKNOWN,
) -> Filled:
    """Fill the pools.

    Args:
        config: the plugin's file.
        functions: all network functions of the node, as they are now.
        default_routes: net devices that carry an IPv4 default route.
        away: functions that pods held when the plugin started; see `start` for the rule.
        version: of the plugin.
        rdma_mode: `shared` or `exclusive`: whether RDMA devices go with pods.
    """
    start = start_of(functions, away=away, version=version, rdma_mode=rdma_mode)
    if isinstance(config.is_fatal, Known) and config.is_fatal.value:
        return Filled(pools=(), fates={}, start=start)
    entries = tuple(entry for entry in config.entries if entry.is_kept)
    plan = _plan(entries)
    fates = {
        function.address: Fate(
            function=function,
            excluded=(excluded := exclusion(function, default_routes=default_routes, start=start)),
            trials=_trials(function, plan=plan, excluded=excluded, start=start),
        )
        for function in sorted(functions, key=lambda function: function.address.text)
    }
    return Filled(
        pools=tuple(_pools(entries, fates=fates.values(), config=config)),
        fates=fates,
        start=start,
    )


def exclusion(
    function: Function, *, default_routes: frozenset[str], start: Start
) -> Exclusion | None:
    """Say why the plugin does not list a function at all.

    A PF without VFs is listed. `virtfn*` are complete, so an unread sriov_numvfs does no harm.
    """
    values = function.attributes.values
    if not values.get("class", "0x02").startswith("0x02"):
        return Exclusion.NOT_NETWORK
    if function.virtfns or values.get("sriov_numvfs", "0").strip() not in {"", "0"}:
        return Exclusion.PF_WITH_VFS
    if function.driver is None:
        return Exclusion.NO_DRIVER
    is_here = function.address not in start.away
    if is_here and any(device.name in default_routes for device in function.netdevs):
        return Exclusion.DEFAULT_ROUTE
    return None


def _plan(entries: Iterable[Entry]) -> _Plan:
    numbers: dict[Check, int] = {}
    questions = [
        _Question(
            entry=entry.index,
            selector=selector.index,
            checks=tuple(numbers.setdefault(check, len(numbers)) for check in checks_of(selector)),
        )
        for entry in entries
        if entry.device_type == NET_DEVICE
        for selector in entry.selectors
    ]
    return _Plan(questions=tuple(questions), checks=tuple(numbers))


def _trials(
    function: Function,
    *,
    plan: _Plan,
    excluded: Exclusion | None,
    start: Start,
) -> tuple[Trial, ...]:
    trials: list[Trial] = []
    holder: int | None = None
    doubts: dict[int, Unknown] = {}  # By entry: it may have taken the function before.
    said: dict[int, Outcome] = {}
    for question in plan.questions:
        outcome = _asked(question, said=said, function=function, plan=plan, start=start)
        if outcome.is_dropped:
            step = Step.DROPPED
        elif excluded is not None:
            step = Step.EXCLUDED
        elif holder is not None:
            step = Step.BUSY
        else:
            step, outcome = _took(outcome, entry=question.entry, doubts=doubts)
        trials.append(
            Trial(
                entry=question.entry,
                selector=question.selector,
                step=step,
                outcome=outcome,
                holder=holder if step is Step.BUSY else None,
            )
        )
        if step is Step.TAKEN:
            holder = question.entry
    return tuple(trials)


def _asked(
    question: _Question,
    *,
    said: dict[int, Outcome],
    function: Function,
    plan: _Plan,
    start: Start,
) -> Outcome:
    """Ask a selector; what a check said to the function holds for every pool that has it."""
    objections: list[Outcome] = []
    for number in question.checks:
        outcome = said.get(number)
        if outcome is None:
            outcome = said[number] = judge_key(plan.checks[number], function, start)
        if outcome is not PASSED:
            objections.append(outcome)
            if outcome.is_dropped:
                return outcome
    return decided(objections) if objections else PASSED


def _took(outcome: Outcome, *, entry: int, doubts: dict[int, Unknown]) -> tuple[Step, Outcome]:
    """Take it, unless nobody knows that this selector fits, or that no earlier pool has it."""
    if isinstance(outcome.answer, Unknown):
        doubts.setdefault(entry, outcome.answer)
        return Step.UNKNOWN, outcome
    earlier = [why for other, why in doubts.items() if other != entry]
    if not earlier:
        return Step.TAKEN, outcome
    doubts.setdefault(entry, earlier[0])
    return Step.UNKNOWN, msgspec.structs.replace(outcome, answer=earlier[0])


def _pools(
    entries: Iterable[Entry], *, fates: Iterable[Fate], config: Config
) -> Iterator[PoolFill]:
    taken: dict[int, dict[PciAddress, int]] = defaultdict(dict)
    unsure: dict[int, dict[PciAddress, Unknown]] = defaultdict(dict)
    for fate in fates:
        address = fate.function.address
        for trial in fate.trials:
            if trial.step is Step.TAKEN:
                taken[trial.entry][address] = trial.selector
            elif trial.step is Step.UNKNOWN and isinstance(trial.outcome.answer, Unknown):
                unsure[trial.entry][address] = trial.outcome.answer
    for entry in entries:
        if entry.device_type != NET_DEVICE:
            why = Unknown(reason=_NOT_MODELLED.format(entry.device_type))
            yield PoolFill(entry=entry, members=why, taken={})
            continue
        sure = taken[entry.index]
        # Where one selector may have it, another selector of the pool can have it for sure.
        doubts = {a: why for a, why in unsure[entry.index].items() if a not in sure}
        yield PoolFill(
            entry=entry,
            members=_members(tuple(sure), list(doubts.values()), config=config),
            taken=sure,
            unsure=tuple(doubts),
        )


def _members(
    taken: tuple[PciAddress, ...], unsure: list[Unknown], *, config: Config
) -> Answer[tuple[PciAddress, ...]]:
    if isinstance(config.is_fatal, Unknown):
        return config.is_fatal
    return joined(unsure) if unsure else Known(value=taken)
