"""Why a pool holds what it holds: the fates of all functions before it, counted by reason."""

from collections import defaultdict

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Unknown, joined
from podwire.peers.sriovdp.fates import Fate, Filled, PoolFill, Step, Trial

# What tells functions apart by nature: a group for each value would repeat the list.
_IDENTITIES = frozenset({"pciAddresses", "acpiIndexes"})


class Reason(msgspec.Struct, frozen=True):
    """One reason, and the functions it holds for.

    `key`, `wanted` and `had` say what dropped them; `had` is empty for none, and for keys
    where each function has its own. `holder` is the name of the pool that has them already,
    `excluded` why the plugin does not list them, `unknown` what nobody could answer.
    """

    step: Step
    selector: int
    addresses: tuple[PciAddress, ...]
    key: str = ""
    wanted: tuple[str, ...] = ()
    had: str = ""
    holder: str = ""
    excluded: str = ""
    unknown: Unknown | None = None

    @property
    def count(self) -> int:
        """How many functions it holds for."""
        return len(self.addresses)

    def __str__(self) -> str:
        who = f"{self.count} function{'' if self.count == 1 else 's'}"
        if self.step is Step.DROPPED:
            return f"{who}: {self.key} wants {', '.join(self.wanted)}, {self._had()}"
        if self.step is Step.BUSY:
            return f"{who}: {self.holder} has {'them' if self.count > 1 else 'it'} already"
        if self.step is Step.EXCLUDED:
            return f"{who}: not listed: {self.excluded}"
        if self.unknown is not None:
            return f"{who}: {self.unknown.reason}"
        return f"{who}: {self.step.value}"

    def _had(self) -> str:
        many = self.count > 1
        if self.key in _IDENTITIES:
            return "they have others" if many else "it has another"
        if not self.had or self.had.startswith("no "):
            return f"{'they have' if many else 'it has'} {self.had or 'none'}"
        return f"{'they are' if many else 'it is'} {self.had}"


def why_empty(filled: Filled, pool: PoolFill) -> tuple[Reason, ...]:
    """Count the fates before one pool by reason: most functions first, then as in the file.

    It answers for a pool that is not empty too; what it took is among the reasons. A function
    that the plugin does not list is counted only where the selector would take it.
    """
    names = {p.entry.index: p.entry.name for p in filled.pools}
    groups: dict[Reason, list[PciAddress]] = defaultdict(list)
    unknown: dict[Reason, list[Unknown]] = defaultdict(list)
    for fate in filled.fates.values():
        for trial in fate.trials_of(pool.entry):
            if trial.step is not Step.EXCLUDED and fate.excluded is not None:
                continue
            if trial.step is not Step.EXCLUDED or trial.outcome.is_passed:
                reason = _reason(trial, fate=fate, names=names)
                groups[reason].append(fate.function.address)
                if isinstance(trial.outcome.answer, Unknown):
                    unknown[reason].append(trial.outcome.answer)
    found = [
        msgspec.structs.replace(
            reason,
            addresses=tuple(addresses),
            unknown=joined(unknown[reason]) if reason in unknown else None,
        )
        for reason, addresses in groups.items()
    ]
    return tuple(sorted(found, key=lambda reason: (-reason.count, reason.selector)))


def _reason(trial: Trial, *, fate: Fate, names: dict[int, str]) -> Reason:
    outcome = trial.outcome
    holder = names.get(trial.holder, "") if trial.holder is not None else ""
    excluded = fate.excluded.value if trial.step is Step.EXCLUDED and fate.excluded else ""
    return Reason(
        step=trial.step,
        selector=trial.selector,
        addresses=(),
        key=outcome.key,
        wanted=outcome.wanted,
        had="" if outcome.key in _IDENTITIES else outcome.had,
        holder=holder,
        excluded=excluded,
    )
