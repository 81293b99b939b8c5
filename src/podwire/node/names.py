"""Names that a killed pod left on VFs: which net devices have one, and giving it back.

A net device that comes back because its namespace ended keeps the pod's name (net1), or the
kernel calls it dev<n> where that name is taken (linux v6.12 net/core/dev.c
default_device_exit_net); ib-sriov's own name on the way is vfdev<n>. udev names it anew when
it hears of the device again, by the first .link file that fits.
"""

import re
from collections.abc import Iterator

import msgspec

from podwire.facts.node import PCI
from podwire.model.addresses import PciAddress
from podwire.node.reading import names_in
from podwire.plan.machine import Machine
from podwire.ports.hostfs import HostFs
from podwire.ports.machine import Udev

_LEFT = re.compile(r"net\d+|dev\d+|vfdev\d+")
_LIMIT_S = 30.0


class Left(msgspec.Struct, frozen=True):
    """A VF's net device with a pod's name; `now` is what it is called afterwards."""

    vf: PciAddress
    name: str
    now: str = ""

    @property
    def is_healed(self) -> bool:
        """It got another name."""
        return bool(self.now) and self.now != self.name


def left_names(machine: Machine, files: HostFs) -> tuple[Left, ...]:
    """Find the VFs whose net device on the host has such a name."""
    return tuple(
        Left(vf=vf.address, name=name)
        for pf in machine.pfs
        for vf in pf.vfs
        for name in names_in(files, f"{PCI}/{vf.address}/net")
        if _LEFT.fullmatch(name)
    )


def heal(left: tuple[Left, ...], *, files: HostFs, udev: Udev) -> tuple[Left, ...]:
    """Have udev look at each device again, and say what it is called now."""
    for one in left:
        udev.add_again(f"/sys/class/net/{one.name}")
    udev.settle(limit_s=_LIMIT_S)
    return tuple(_looked_up(one, files) for one in left)


def _looked_up(one: Left, files: HostFs) -> Left:
    names: Iterator[str] = iter(names_in(files, f"{PCI}/{one.vf}/net"))
    return msgspec.structs.replace(one, now=next(names, ""))
