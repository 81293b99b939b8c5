"""Changing what is below a root: attributes of the kernel, and files that are podwire's own."""

from contextlib import AbstractContextManager
from typing import Protocol


class WriteFault(Exception):  # noqa: N818 - an answer of the kernel, no error of podwire
    """The kernel refused a write, or did not answer in time; `code` is `EBUSY` and the like."""

    def __init__(self, target: str, value: str, *, code: str, detail: str = "") -> None:
        where = f"/{target}" if "/" in target else target  # an attribute, or a net device
        super().__init__(f"{value} to {where}: {code}" + (f" ({detail})" if detail else ""))
        self.target = target
        self.value = value
        self.code = code
        self.detail = detail


TIMED_OUT = "no answer"


class HostWriter(Protocol):
    """What podwire asks of files that it changes. Every method raises `WriteFault`."""

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        """Write a value to an attribute; past the limit it is not known what became of it."""

    def replace(self, path: str, data: bytes) -> None:
        """Put a file in the place of another, whole, and on the disk; folders are made."""

    def remove(self, path: str) -> None:
        """Remove a file; one that is not there is no fault."""


class LockHeld(Exception):  # noqa: N818 - somebody else works, no error of podwire
    """Somebody else has the lock; `holder` is what they wrote into it."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(f"/{path} is held by {holder or 'another process'}")
        self.path = path
        self.holder = holder


class Locks(Protocol):
    """Locks that other programs see (flock), below the same root."""

    def hold(self, path: str, *, limit_s: float) -> AbstractContextManager[None]:
        """Take a lock, and give it back at the end.

        Raises:
            LockHeld: it was not free within the limit.
        """
