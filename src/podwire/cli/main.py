"""From a command line to an exit status: the one place where errors become words."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from podwire.cli.statuses import FAILED, INTERRUPTED, NOBODY_READS, WRONG
from podwire.cli.streams import fill_gaps, say, write_out
from podwire.cli.world import World, real_world
from podwire.model.errors import PodwireError


def entry() -> None:
    """Run as a program."""
    gc.disable()  # All that is read lives to the end: 7 ms of 120 went into walking it.
    try:
        fill_gaps()
        status = main(sys.argv[1:], world=real_world())
    except SystemExit as end:  # argparse has said why.
        status = end.code if isinstance(end.code, int) else WRONG
    except KeyboardInterrupt:
        status = INTERRUPTED
    except Exception:  # noqa: BLE001 - a fault of podwire: all of it, with a status of its own
        import traceback

        traceback.print_exc()
        status = FAILED
    # Nothing is left to do but to free memory: 20 ms, or seconds for a big dump.
    os._exit(_flushed(status))


def _flushed(status: int) -> int:
    """Write out what argparse printed; nothing does that after `os._exit`."""
    try:
        if status != WRONG:
            write_out("")
    except BrokenPipeError:
        return NOBODY_READS
    except PodwireError as error:
        _say(error)
        return WRONG
    return status


def main(arguments: Sequence[str], *, world: World) -> int:
    """Run one command and say how it ended."""
    try:
        from podwire.cli.arguments import parser

        options = parser(arguments).parse_args(arguments)
        status: int = import_module(f"podwire.cli.{options.command}").run(options, world=world)
    except PodwireError as error:
        _say(error)
        return WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more when it ends, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    return status


def _say(error: PodwireError) -> None:
    from podwire.present.lines import wrapped

    lines = wrapped(str(error), first="podwire: ")
    say(lines + (wrapped(error.hint, first="hint: ") if error.hint else []))
