"""How `podwire node apply` ended: each PF, and what a second look still finds."""

import msgspec

from podwire.model.addresses import PciAddress
from podwire.plan.step import Plan


class PfOutcome(msgspec.Struct, frozen=True):
    """How one PF ended. `undone` says what was taken back, `left` what could not be."""

    pf: PciAddress
    name: str
    written: int = 0
    failed: str = ""
    undone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What was planned, how each PF ended, and what a second look still finds."""

    plan: Plan
    pfs: tuple[PfOutcome, ...] = ()
    left: Plan | None = None

    @property
    def is_done(self) -> bool:
        """The machine is as it is wanted."""
        last = self.left or self.plan
        return last.is_converged and not any(pf.failed for pf in self.pfs)
