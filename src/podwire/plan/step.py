"""The plan as data: what is to be done, why, what was there, and how it is taken back."""

import enum

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.guid_map import GuidMap

DRIVERS_PROBE = "sys/bus/pci/drivers_probe"


class Action(enum.Enum):
    """What a step does."""

    WRITE = "write"  # an attribute of sysfs; `*` in it is looked up when it is written
    LINK = "netlink"  # one message on the PF's net device
    UNBIND = "unbind"
    BIND = "bind"
    SETTLE = "settle"  # no write: waits for udev, then for the devices named in `value`


class VfLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one message sets on a VF; None: left as it is."""

    vf: int
    guid: Guid | None = None
    policy: str | None = None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do.

    `target` is an attribute's path below the root, or a net device; VFs that are not there yet
    are found through `virtfn<n>` of their PF. `was` is the old value where it could be read.
    `undo` is the value that takes the step back; None: there is nothing to take back.
    `is_blind`: nobody can read back whether it was needed, so it says nothing of the machine.
    """

    action: Action
    pf: PciAddress
    target: str
    value: str
    reason: str
    vf: int | None = None
    was: str | None = None
    undo: str | None = None
    link: VfLink | None = None
    limit_s: float = 30
    is_blind: bool = False

    @property
    def is_write(self) -> bool:
        """It changes something."""
        return self.action is not Action.SETTLE

    def __str__(self) -> str:
        """Say it in one line."""
        if self.action is Action.SETTLE:
            return "wait for udev and the new devices"
        where = f"/{self.target}" if "/" in self.target else self.target
        return f"{self.action.value} {self.value} to {where}"


class Repair(msgspec.Struct, frozen=True):
    """Something in the way of everything, and what to do about it.

    `pf` is the PF that is missing, where it is about one.
    """

    text: str
    fix: str = ""
    pf: str = ""


class PfPlan(msgspec.Struct, frozen=True):
    """What is to be done for one PF; nothing where it is refused.

    `autoprobe` and `count` are the values to come back to; a journal of an earlier run knows
    better than the machine, where autoprobe is `autoprobe_now`. `disturbs`
    are VFs that are destroyed or bound anew.
    """

    pf: PciAddress
    name: str
    autoprobe: str | None = None
    autoprobe_now: str | None = None
    count: int = 0
    steps: tuple[Step, ...] = ()
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    disturbs: tuple[PciAddress, ...] = ()
    is_undo: bool = False

    @property
    def rebinds(self) -> bool:
        """It takes a bound VF away for a moment."""
        return any(step.action is Action.UNBIND for step in self.steps)


class Plan(msgspec.Struct, frozen=True):
    """Everything for one machine. `guids` is the map to write before the first step."""

    machine: str
    gate: tuple[Repair, ...] = ()
    pfs: tuple[PfPlan, ...] = ()
    guids: GuidMap | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_converged(self) -> bool:
        """Nothing is in the way, and nothing that can be read is otherwise than wanted."""
        open_pfs = (pf for pf in self.pfs if pf.refusals or any(not s.is_blind for s in pf.steps))
        return not self.gate and next(open_pfs, None) is None

    @property
    def writes(self) -> int:
        """How many writes there are."""
        return sum(step.is_write for pf in self.pfs for step in pf.steps)

    @property
    def disturbs(self) -> tuple[PciAddress, ...]:
        """VFs that somebody might hold, and that it takes away."""
        return tuple(address for pf in self.pfs for address in pf.disturbs)
