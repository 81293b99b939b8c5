"""Calls into the kernel that may hang: given up after a time, never interrupted."""

import threading
from collections.abc import Callable


class StillRunning(Exception):  # noqa: N818 - nothing went wrong yet
    """The call has not come back; what becomes of it is not known."""


def within(limit_s: float, call: Callable[[], None]) -> None:
    """Run a call, and go on without it when it takes longer.

    A write to sysfs that waits for firmware sleeps uninterruptibly: a signal would not end it,
    so the thread is left behind.

    Raises:
        StillRunning: it has not come back; else whatever the call raises.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        raise StillRunning
    if failed:
        raise failed[0]
