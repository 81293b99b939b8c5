"""Starts podwire with the wheels that fit the interpreter, and nothing of the machine's own."""

import sys

sys.path[:0] = ["/usr/lib/podwire/lib", f"/usr/lib/podwire/{sys.argv.pop(1)}"]
sys.argv[0] = "podwire"

from podwire.cli.main import entry  # noqa: E402 - the path has to be there first

entry()
