"""Time, as far as waiting needs it."""

from typing import Protocol


class Clock(Protocol):
    """A clock that only moves forward."""

    def monotonic(self) -> float:
        """Give seconds from some start."""

    def wait(self, seconds: float) -> None:
        """Let time pass."""
