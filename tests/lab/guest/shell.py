"""Commands in the guest."""

import subprocess
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def run(*command: str, stdin: str | None = None) -> str:
    """Give what a command printed; it has to succeed."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)  # noqa: S603 - fixed commands
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def attempt(*command: str) -> tuple[int, str]:
    """Give a command's status and both of its streams."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, **streams, text=True, check=False)  # type: ignore[call-overload]  # noqa: S603 - fixed commands
    return done.returncode, done.stdout


def wait_for(what: str, ask: Callable[[], T], *, within_s: float = 60) -> T:
    """Ask until the answer is true."""
    end = time.monotonic() + within_s
    while not (answer := ask()):
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {within_s:g} s")
        threading.Event().wait(0.1)
    return answer
