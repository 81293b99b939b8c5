"""The running machine: its clock, udev, processes and kernel log."""

import errno
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Container, Iterator
from pathlib import Path

from podwire.ports.machine import Holding

_DEVICES = ("/dev/infiniband/", "/dev/vfio/", "/dev/nvidia")
_POD = re.compile(r"pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})")
_TRIGGER_S = 30
_RECORD = 8192  # printk: LOG_LINE_MAX and its prefix fit


class SystemClock:
    """The machine's monotonic clock."""

    def monotonic(self) -> float:
        """Give seconds from some start."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        threading.Event().wait(seconds)


class Udevadm:
    """`udevadm settle`; without it devices are waited for alone."""

    def settle(self, *, limit_s: float) -> bool:
        """Wait for an empty queue."""
        program = shutil.which("udevadm")
        if program is None:
            return False
        command = [program, "settle", f"--timeout={max(1, int(limit_s))}"]
        try:
            done = subprocess.run(command, check=False, capture_output=True, timeout=limit_s + 5)  # noqa: S603 - a fixed list
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def add_again(self, device: str) -> None:
        """Send the device's event once more."""
        program = shutil.which("udevadm")
        if program is not None:
            command = [program, "trigger", "--action=add", device]
            subprocess.run(command, check=False, capture_output=True, timeout=_TRIGGER_S)  # noqa: S603 - a fixed list


class ProcFs:
    """Every process of the machine; one that ends while it is looked at holds nothing."""

    def __init__(self, proc: str = "/proc") -> None:
        self._proc = Path(proc)

    def holdings(self) -> Iterator[Holding]:
        """Walk through open devices and net devices of other namespaces."""
        own = _link(self._proc / "self/ns/net")
        # A process may be in another namespace and still show this one's sysfs (unshare -n).
        here = {*_net_devices(self._proc / "self")}
        seen = {own}
        for folder in self._folders():
            yield from _open_devices(folder)
            netns = _link(folder / "ns/net")
            if netns and netns not in seen:
                found = tuple(_net_functions(folder, netns, here))
                seen |= {netns} if found else set()
                yield from found

    def are_all_seen(self) -> bool:
        """Root sees all."""
        return os.geteuid() == 0

    def pods(self) -> frozenset[str]:
        """Read the pods' UIDs out of the processes' cgroups."""
        texts = (_text(folder / "cgroup") for folder in self._folders())
        return frozenset(m[1].replace("_", "-") for text in texts for m in _POD.finditer(text))

    def _folders(self) -> Iterator[Path]:
        try:
            names = os.listdir(self._proc)  # noqa: PTH208 - names alone, thousands of them
        except OSError:
            return
        for name in sorted((n for n in names if n.isdecimal()), key=int):
            yield self._proc / name


def _open_devices(folder: Path) -> Iterator[Holding]:
    try:
        names = os.listdir(folder / "fd")  # noqa: PTH208
    except OSError:
        return
    held = {_link(folder / "fd" / name) for name in names}
    for target in sorted(t for t in held if t.startswith(_DEVICES)):
        yield Holding(
            what=target.removeprefix("/dev/"), pid=int(folder.name), command=_command(folder)
        )


def _net_functions(folder: Path, netns: str, here: Container[str]) -> Iterator[Holding]:
    """Give the functions whose net devices are in a process's namespace and not in this one."""
    for device in _net_devices(folder):
        if device not in here:
            yield Holding(
                what=device,
                pid=int(folder.name),
                command=_command(folder),
                netns=netns.strip("net:[]"),
            )


def _net_devices(folder: Path) -> Iterator[str]:
    """Look into a process's own sysfs: it shows the net devices of whoever mounted it."""
    classes = folder / "root/sys/class/net"
    try:
        names = sorted(os.listdir(classes))  # noqa: PTH208
    except OSError:
        return
    yield from filter(None, (_link(classes / n / "device").rpartition("/")[2] for n in names))


def _link(path: Path) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - magic links lead nowhere
    except OSError:
        return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _command(folder: Path) -> str:
    return _text(folder / "comm").strip()


class KernelRing:
    """/dev/kmsg, read to its end without waiting for more."""

    def __init__(self, path: str = "/dev/kmsg") -> None:
        self._path = path

    def lines(self) -> tuple[str, ...]:
        """Give every record's text."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return ()
        try:
            return tuple(_records(descriptor))
        finally:
            os.close(descriptor)


def _records(descriptor: int) -> Iterator[str]:
    """One read gives one record, `priority,number,time,flags;text` (Documentation/ABI dev-kmsg)."""
    while True:
        try:
            record = os.read(descriptor, _RECORD)
        except OSError as error:
            if error.errno == errno.EPIPE:  # It was overwritten meanwhile; the next one is there.
                continue
            return
        if not record:
            return
        text = record.decode(errors="replace").partition(";")[2]
        yield text.partition("\n")[0]
