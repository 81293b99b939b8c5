"""systemd of this machine: units switched on and off, never started."""

import shutil
import subprocess

from podwire.model.errors import PodwireError

_LIMIT_S = 60


def enable(*units: str) -> None:
    """Have units start at the next boot."""
    _call("daemon-reload")
    _call("enable", *units)


def disable(*units: str) -> None:
    """Have units not start any more; what runs goes on."""
    _call("disable", *units)


def reload() -> None:
    """Have systemd and udev read their files again."""
    _call("daemon-reload")
    udevadm = shutil.which("udevadm")
    if udevadm is not None:
        subprocess.run([udevadm, "control", "--reload"], check=False, timeout=_LIMIT_S)  # noqa: S603 - a fixed list


def _call(*arguments: str) -> None:
    program = shutil.which("systemctl")
    if program is None:
        raise PodwireError("there is no systemctl", hint="--no-enable writes the files alone")
    done = subprocess.run(  # noqa: S603 - a fixed program and our own units
        [program, *arguments], capture_output=True, text=True, check=False, timeout=_LIMIT_S
    )
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0]
        raise PodwireError(f"systemctl {' '.join(arguments)} ended with {done.returncode}: {said}")
