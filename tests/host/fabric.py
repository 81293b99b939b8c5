"""A simulated InfiniBand fabric: ibsim, with opensm as its subnet manager.

Debian: ibsim-utils libumad2sim0 opensm infiniband-diags. Only libumad is redirected: sysfs
shows nothing of it. A socket name of its own keeps two fabrics apart. opensm hangs on TERM
once ibsim is gone, so it is killed, and before ibsim.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.waiting import wait_for

_TOOLS = ("ibsim", "ibsim-run", "opensm", "sminfo", "ibstat", "ibnetdiscover")
_NET = """\
Switch 36 "leaf0"
[1] "gpu-a"[1]
[2] "gpu-b"[1]
[36] "sm-1"[1]

Hca 1 "gpu-a"
[1] "leaf0"[1]

Hca 1 "gpu-b"
[1] "leaf0"[2]

Hca 1 "sm-1"
[1] "leaf0"[36]
"""


class Fabric:
    """Where it runs, and what is asked of it."""

    def __init__(self, folder: Path, console: int) -> None:
        self.folder = folder
        self._console = console

    def ask(self, node: str, *command: str) -> str:
        """Run a command as seen from a node."""
        environment = {**self.environment, "SIM_HOST": node}
        done = subprocess.run(  # noqa: S603 - Debian's own programs
            ["ibsim-run", *command],  # noqa: S607 - where Debian has it
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=30,
        )
        return done.stdout + done.stderr

    def tell(self, line: str) -> None:
        """Type at the simulator's console: `Unlink "gpu-a"[1]`."""
        os.write(self._console, f"{line}\n".encode())

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "IBSIM_DIR": str(self.folder), "IBSIM_SOCKNAME": self.folder.name}

    @property
    def said(self) -> str:
        """What opensm printed."""
        return (self.folder / "opensm.out").read_text(errors="replace")


def is_up(text: str) -> bool:
    return "State: Active" in text


@contextlib.contextmanager
def fabric(*, config: str = "") -> Iterator[Fabric]:
    """Start one with this opensm.conf, wait until its subnet is up, and end it."""
    missing = [tool for tool in _TOOLS if shutil.which(tool, path=_PATH) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)}: apt-get install ibsim-utils opensm infiniband-diags")
    with tempfile.TemporaryDirectory(prefix="podwire-fabric-") as made:
        folder = Path(made)
        (folder / "fabric.net").write_text(_NET)
        (folder / "opensm.conf").write_text(config)
        os.mkfifo(folder / "console")
        console = os.open(folder / "console", os.O_RDWR)
        running = Fabric(folder, console)
        with contextlib.ExitStack() as ends:
            ends.callback(os.close, console)
            ends.enter_context(_started(running, "ibsim.log", "ibsim", "-s", "fabric.net"))
            wait_for("the simulator", _reads(folder / "ibsim.log"), holds=_is_ready)
            command = ("ibsim-run", "opensm", "-F", "opensm.conf", "-f", "osm.log")
            ends.enter_context(_started(running, "opensm.out", *command, host="sm-1"))
            wait_for("the subnet", lambda: running.ask("gpu-a", "ibstat"), holds=is_up)
            yield running


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin"


def _is_ready(text: str) -> bool:
    return "simulator ready" in text


def _reads(path: Path):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a callable of no arguments
    return lambda: path.read_text(errors="replace")


@contextlib.contextmanager
def _started(running: Fabric, log: str, *command: str, host: str = "") -> Iterator[None]:
    environment = {**running.environment, "PATH": _PATH, **({"SIM_HOST": host} if host else {})}
    with (
        (running.folder / log).open("wb") as output,
        subprocess.Popen(  # noqa: S603 - Debian's own programs
            command,
            cwd=running.folder,
            env=environment,
            stdin=running._console,
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            yield
        finally:
            process.kill()
