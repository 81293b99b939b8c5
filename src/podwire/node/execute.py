"""One PF's steps, one after another, with a journal; taken back where one fails."""

from collections.abc import Callable

import msgspec

from podwire.facts.node import PCI
from podwire.node.reading import names_in
from podwire.plan.journal import Entry, written
from podwire.plan.machine import Machine
from podwire.plan.outcome import PfOutcome
from podwire.plan.step import Action, PfPlan, Step
from podwire.plan.undo import undo_of
from podwire.ports.clock import Clock
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.ports.machine import Udev
from podwire.ports.vf_links import VfLinks
from podwire.ports.writing import TIMED_OUT, HostWriter, WriteFault

_PAUSE_S = 0.1
_GONE = frozenset({"ENOENT", "ENODEV"})
_DRIVER_PATIENCE_S = 15.0
_HINTS = {
    "EBUSY": "another count is set, or somebody sets one",
    "ERANGE": "more VFs than sriov_totalvfs allows",
    "EINVAL": "an IPoIB netdev takes at most its link's MTU less 4: 4092 of 4096",
    "EOPNOTSUPP": "this driver cannot do it",
    "ENODEV": "the device is gone, or may not be bound now",
    "ENOSPC": "the BIOS left no room on the PCI bus (ARI, or bus numbers)",
    "ENOMEM": "no memory, or no room for the VFs' BARs",
    TIMED_OUT: "the driver hangs; dmesg says more. Nothing more is written to this PF",
}


class Hands(msgspec.Struct, frozen=True):
    """What acting takes from outside.

    `is_stopped` is asked before every step; `told` hears what is being done.
    """

    files: HostFs
    writer: HostWriter
    links: VfLinks
    udev: Udev
    clock: Clock
    is_stopped: Callable[[], bool] = lambda: False
    told: Callable[[str], None] = lambda _: None


def execute(planned: PfPlan, machine: Machine, *, hands: Hands) -> PfOutcome:
    """Do the steps of one PF."""
    return _Run(planned, machine, hands).whole()


class _Run:
    def __init__(self, planned: PfPlan, machine: Machine, hands: Hands) -> None:
        self._plan = planned
        self._hands = hands
        self._entry = Entry(
            boot=machine.boot,
            pf=str(planned.pf),
            autoprobe=planned.autoprobe,
            count=planned.count,
        )
        self._done: list[Step] = []

    def whole(self) -> PfOutcome:
        failed, is_hanging = self._forward()
        undone, left = ((), ()) if not failed or is_hanging else self._back()
        if not left and not is_hanging:
            self._hands.writer.remove(self._entry.path)
        return PfOutcome(
            pf=self._plan.pf,
            name=self._plan.name,
            written=sum(step.is_write for step in self._done),
            failed=failed,
            undone=undone,
            left=left,
        )

    def _forward(self) -> tuple[str, bool]:
        """Do the steps; say what stopped them, and whether a write never came back."""
        for step in self._plan.steps:
            if self._hands.is_stopped():
                return f"stopped by a signal before it would {step}", False
            try:
                self._note(step)
                self._do(step)
            except WriteFault as fault:
                return _words(fault), fault.code == TIMED_OUT
            self._done.append(step)
        return "", False

    def _note(self, step: Step) -> None:
        """Write down what is about to be done, before it is."""
        self._hands.told(f"{self._plan.name}: {step}")
        entry = msgspec.structs.replace(self._entry, doing=str(step), number=len(self._done))
        self._hands.writer.replace(entry.path, written(entry))

    def _back(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        undone, left = [], []
        for step in undo_of(self._done, plan=self._plan):
            try:
                self._do(step)
            except WriteFault as fault:
                left.append(_words(fault))
            else:
                undone.append(str(step))
        return tuple(undone), tuple(left)

    def _do(self, step: Step) -> None:
        if step.action is Action.SETTLE:
            self._settle(step)
        elif step.action is Action.LINK and step.link is not None:
            self._hands.links.set_vf(
                step.target,
                vf=step.link.vf,
                guid=step.link.guid,
                policy=step.link.policy,
                limit_s=step.limit_s,
            )
        elif step.action is Action.BIND:
            self._bind(step)
        elif step.action is Action.UNBIND:
            self._hands.writer.write(step.target, self._vf(step), limit_s=step.limit_s)
        else:
            self._write(step)

    def _write(self, step: Step) -> None:
        """Write an attribute; a device that udev renames under our hands is found again."""
        try:
            self._hands.writer.write(self._found(step), step.value, limit_s=step.limit_s)
        except WriteFault as fault:
            if fault.code not in _GONE or "/*/" not in step.target:
                raise
            self._hands.udev.settle(limit_s=step.limit_s)
            self._hands.writer.write(self._found(step), step.value, limit_s=step.limit_s)

    def _vf(self, step: Step) -> str:
        """Look up a VF's address through its PF."""
        try:
            target = self._hands.files.readlink(f"{PCI}/{step.pf}/virtfn{step.vf}")
        except ReadFault as fault:
            raise WriteFault(step.target, step.value, code="ENODEV", detail=str(fault)) from None
        return target.rpartition("/")[2]

    def _bind(self, step: Step) -> None:
        """Probe, and look: `drivers_probe` takes the write also when the probe failed.

        A VF may have a driver of its own (igbvf), whose module udev loads when the VF appears:
        then it is there a moment later.
        """
        address = self._vf(step)
        end = self._hands.clock.monotonic() + _DRIVER_PATIENCE_S
        while True:
            self._hands.writer.write(step.target, address, limit_s=step.limit_s)
            if self._hands.files.exists(f"{PCI}/{address}/driver"):
                return
            if self._hands.clock.monotonic() >= end:
                detail = "the probe ended without a driver; dmesg says why"
                raise WriteFault(step.target, address, code="not bound", detail=detail)
            self._hands.udev.settle(limit_s=_DRIVER_PATIENCE_S)
            self._hands.clock.wait(_PAUSE_S)

    def _found(self, step: Step) -> str:
        """Replace `*` by the one name that is there."""
        folder, star, rest = step.target.partition("/*/")
        if not star:
            return step.target
        names = names_in(self._hands.files, folder)
        if not names:
            detail = f"/{folder} has no net device"
            raise WriteFault(step.target, step.value, code="ENODEV", detail=detail)
        return f"{folder}/{names[0]}/{rest}"

    def _settle(self, step: Step) -> None:
        """Wait for udev, then until every bound VF has its devices."""
        end = self._hands.clock.monotonic() + step.limit_s
        self._hands.udev.settle(limit_s=step.limit_s)
        while missing := self._missing(step):
            if self._hands.is_stopped():
                raise WriteFault(step.target, "devices of VFs", code="stopped by a signal")
            if self._hands.clock.monotonic() >= end:
                detail = f"after {step.limit_s:g} s there is no {missing}"
                raise WriteFault(step.target, "devices of VFs", code="absent", detail=detail)
            self._hands.clock.wait(_PAUSE_S)
            self._hands.udev.settle(limit_s=max(0.0, end - self._hands.clock.monotonic()))

    def _missing(self, step: Step) -> str:
        bound = [s for s in self._done if s.action is Action.BIND]
        for kind in step.value.split():
            for done in bound:
                folder = f"{step.target}/virtfn{done.vf}"
                if not names_in(self._hands.files, f"{folder}/{kind}"):
                    return f"/{folder}/{kind}/*"
        return ""


def _words(fault: WriteFault) -> str:
    hint = _HINTS.get(fault.code, "")
    return str(fault) + (f": {hint}" if hint else "")
