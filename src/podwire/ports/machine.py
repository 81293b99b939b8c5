"""What only the running machine can say: udev, processes, the kernel's log."""

from collections.abc import Iterable
from typing import Protocol

import msgspec


class Holding(msgspec.Struct, frozen=True):
    """A process with something open, or in a network namespace with a net device.

    `what` is a character device (`infiniband/uverbs3`, `vfio/11`, `nvidia0`) or a PCI address.
    """

    what: str
    pid: int
    command: str = ""
    netns: str = ""


class Udev(Protocol):
    """Waiting for udev."""

    def settle(self, *, limit_s: float) -> bool:
        """Wait until udev has nothing to do; False: it still had, or there is no udev."""

    def add_again(self, device: str) -> None:
        """Have udev treat a device, `/sys/class/net/net1`, as if it had just been added."""


class Processes(Protocol):
    """What processes hold, and which pods have any."""

    def holdings(self) -> Iterable[Holding]:
        """Walk through open character devices and PCI functions in other namespaces."""

    def are_all_seen(self) -> bool:
        """Say whether other users' processes can be looked into."""

    def pods(self) -> frozenset[str]:
        """Give the UIDs of pods that have a process."""


class KernelLog(Protocol):
    """The kernel's ring buffer."""

    def lines(self) -> tuple[str, ...]:
        """Read what is in it, oldest first; nothing where it may not be read."""
