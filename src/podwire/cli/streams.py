"""Standard output and standard error: either may be closed, full, or read by nobody."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO, cast

from podwire.model.errors import PodwireError

_ELSEWHERE = "write to where there is room; podwire check -o json=FILE writes to a file"


def write_out(text: str) -> None:
    """Write to standard output, at once.

    Raises:
        PodwireError: it is closed, or takes no more.
    """
    try:
        if text:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PodwireError(
            f"standard output cannot be written: {error.strerror or 'it is closed'}",
            hint=_ELSEWHERE,
        ) from error


def fill_gaps() -> None:
    """Put nothing where a stream is closed: Python has None there, and `print` another one."""
    if sys.stdin is None:
        sys.stdin = _nothing("r")
    if sys.stdout is None:  # Nobody can write to it: a report that nobody gets is no success.
        sys.stdout = _nothing("r")
    if sys.stderr is None:
        sys.stderr = _nothing("w")


def _nothing(mode: str) -> TextIO:
    # It stays open as long as the program runs.
    return cast("TextIO", Path(os.devnull).open(mode, encoding="utf-8"))


def say(lines: Iterable[str]) -> None:
    """Write to standard error; where nobody can be told, the status has to do."""
    with suppress(OSError):
        print("\n".join(lines), file=sys.stderr, flush=True)
