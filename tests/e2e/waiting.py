"""Waiting for a cluster to get somewhere, and saying where it stayed when it does not."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(
    what: str, ask: Callable[[], T], *, holds: Callable[[T], bool], within_s: float = 60
) -> T:
    """Ask until the answer holds, and give it; on time-out fail with the last one."""
    end = time.monotonic() + within_s
    while not holds(answer := ask()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {within_s:g} s, last seen: {answer}")
        threading.Event().wait(0.3)
    return answer
