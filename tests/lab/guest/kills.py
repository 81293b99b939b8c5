"""`podwire node apply`, killed by SIGKILL before each of its writes, and run again."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import podwire.cli.node  # noqa: F401 - loaded once, for all the processes below
from podwire.adapters import rootwriter
from podwire.cli.main import main
from podwire.cli.world import real_world
from tests.lab.guest import card
from tests.lab.guest.card import PFS, function
from tests.lab.guest.shell import run

_JOURNAL = Path("/var/lib/podwire/journal")
_SAID = Path("/lab/said")


class _Mortal(rootwriter.RootWriter):
    """A writer whose process dies instead of the write of this number."""

    left = 0

    def _count(self) -> None:
        type(self).left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        self._count()
        super().write(path, value, limit_s=limit_s)

    def replace(self, path: str, data: bytes) -> None:
        self._count()
        super().replace(path, data)

    def remove(self, path: str) -> None:
        self._count()
        super().remove(path)


def killed_everywhere(spec: str, start: int) -> list[dict[str, Any]]:
    """Tell for each cut what was left, and what the next run made of it.

    `start` is how many VFs the first card has before. The spec is of that card alone: several
    are worked on at once, and so in another order each time.
    """
    run("modprobe", "igbvf")
    cuts: list[dict[str, Any]] = []
    while True:
        card.make(start)
        _Mortal.left = len(cuts)
        if _podwire("apply", spec, before=_make_mortal) != -signal.SIGKILL:
            return cuts
        left = _state()
        cuts.append(
            {
                "left": left,
                "apply": _podwire("apply", spec),
                "verify": _podwire("verify", spec),
                "then": {**_state(), "mtus": _mtus()},
                "said": _SAID.read_text(),
            }
        )


def _make_mortal() -> None:
    rootwriter.RootWriter = _Mortal  # type: ignore[misc]


def _podwire(command: str, spec: str, *, before: Callable[[], None] = lambda: None) -> int:
    """Run in a process of its own; give its status, or less the signal that ended it."""
    child = os.fork()
    if child == 0:
        said = os.open(_SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        before()
        os._exit(main(["node", command, "--spec", spec], world=real_world()))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _state() -> dict[str, Any]:
    vfs = card.vfs()
    return {
        "autoprobe": (function(PFS[0]) / "sriov_drivers_autoprobe").read_text().strip(),
        "count": len(vfs),
        "bound": sum(bool(card.driver(vf)) for vf in vfs),
        "journals": len(list(_JOURNAL.glob("*.json"))),
    }


def _mtus() -> list[str]:
    card.settle()
    net = ((function(vf) / "net" / name) for vf, name in card.names().items())
    return [(folder / "mtu").read_text().strip() for folder in net]
