"""What became of each function, as records: taken, dropped by which key, or why nobody knows."""

import enum
from collections.abc import Mapping

import msgspec

from podwire.facts.node import Function
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known
from podwire.peers.sriovdp.records import Entry
from podwire.peers.sriovdp.selectors import PASSED, Outcome
from podwire.peers.sriovdp.start import Start


class Exclusion(enum.Enum):
    """Why the plugin does not list a function at all, whatever the selectors say."""

    NOT_NETWORK = "no network controller"
    PF_WITH_VFS = "a PF that has VFs"
    NO_DRIVER = "no driver"
    DEFAULT_ROUTE = "carries the default route"


class Step(enum.Enum):
    """What one selector of one pool did with one function."""

    TAKEN = "taken"
    BUSY = "an earlier selector has it"
    DROPPED = "dropped"
    EXCLUDED = "the plugin does not list it"
    UNKNOWN = "not known"


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One function before one selector; `entry` and `selector` count as in the file.

    `outcome` names the key that dropped it, or that nobody can answer; of a function that is
    BUSY or EXCLUDED it says whether it would fit. `holder` is the entry that has a BUSY one.
    """

    entry: int
    selector: int
    step: Step
    outcome: Outcome = PASSED
    holder: int | None = None


class Fate(msgspec.Struct, frozen=True):
    """All trials of one function, in the plugin's order; `excluded` is up front."""

    function: Function
    excluded: Exclusion | None
    trials: tuple[Trial, ...]

    def trials_of(self, entry: Entry) -> tuple[Trial, ...]:
        """What the selectors of one pool did with it."""
        return tuple(t for t in self.trials if t.entry == entry.index)


class PoolFill(msgspec.Struct, frozen=True):
    """One pool: who is surely in it (by which selector), and who may be.

    `members` are Unknown while one function is, or while nobody knows whether the plugin
    runs at all. A pool without members is not registered: the node lacks the resource.
    """

    entry: Entry
    members: Answer[tuple[PciAddress, ...]]
    taken: Mapping[PciAddress, int]
    unsure: tuple[PciAddress, ...] = ()

    @property
    def is_empty(self) -> Answer[bool]:
        """It has no member: one that is sure decides."""
        if isinstance(self.members, Known):
            return Known(value=not self.members.value)
        return Known(value=False) if self.taken and self.unsure else self.members


class Filled(msgspec.Struct, frozen=True):
    """All pools in the order of the file, and each function's fate."""

    pools: tuple[PoolFill, ...]
    fates: Mapping[PciAddress, Fate]
    start: Start

    def pool(self, entry: Entry) -> PoolFill | None:
        """Find the pool of an entry; None where the plugin ended or dropped it."""
        return next((pool for pool in self.pools if pool.entry.index == entry.index), None)
