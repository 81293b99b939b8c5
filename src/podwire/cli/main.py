"""From a command line to an exit status: the one place where errors become words."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from podwire.cli.arguments import parser
from podwire.cli.world import World, real_world
from podwire.model.errors import PodwireError

WRONG = 2  # wrong usage, or nothing could be read
_INTERRUPTED = 130
_NOBODY_READS = 141  # what a shell reports of a program that SIGPIPE ended


def entry() -> None:
    """Run as a program."""
    status = main(sys.argv[1:], world=real_world())
    sys.stderr.flush()
    os._exit(status)  # Nothing is left to do but to free memory: 20 ms, or seconds for a big dump.


def main(arguments: Sequence[str], *, world: World) -> int:
    """Run one command and say how it ended."""
    try:
        options = parser().parse_args(arguments)
        status: int = import_module(f"podwire.cli.{options.command}").run(options, world=world)
        sys.stdout.flush()
    except PodwireError as error:
        _say(error)
        return WRONG
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more when it ends, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NOBODY_READS
    return status


def _say(error: PodwireError) -> None:
    from podwire.present.lines import wrapped

    lines = wrapped(str(error), first="podwire: ")
    lines += wrapped(error.hint, first="hint: ") if error.hint else []
    print("\n".join(lines), file=sys.stderr)
