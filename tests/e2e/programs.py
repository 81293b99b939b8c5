"""Running our own scripts and builds, and reading what they print."""

import os
import subprocess
from pathlib import Path

KUBE = Path(__file__).parent / "kube"


def run(*command: str) -> str:
    """Give standard output; a status other than 0 fails the test with what it said."""
    environment = {**os.environ, "KUBE_OWNER": str(os.getpid())}
    done = subprocess.run(  # noqa: S603 - our own scripts and builds
        command, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stderr}"
    return done.stdout
