"""The lab: a guest that is booted and frozen once, and thawed in a second for each test."""

import base64
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.lab.machine import Disks, Image, Machine, arguments, card
from tests.lab.payload import libraries, write_libraries, write_sources
from tests.lab.talk import RefusedError

_BUILD = Path(__file__).parent / "image/build.sh"
_CANNOT = 3  # build.sh's status where this machine lacks something
_BOOT = 300.0
_UNPACK = (
    "mkdir -p /lab && dd if=/dev/disk/by-id/virtio-payload bs=1M iflag=direct status=none"
    " | tar x -C /lab"
)
_SETTLE = (
    _UNPACK,
    "python3 -m compileall -q /lab/libraries",
    "systemctl is-system-running --wait; udevadm settle; sync",
    "echo 3 >/proc/sys/vm/drop_caches",
)
_COMMAND = "ln -sf /lab/tests/lab/guest/podwire.sh /usr/bin/podwire"
_PYTHONPATH = "/lab:/lab/src:/lab/libraries"


class UnavailableError(Exception):
    """What this machine lacks for a lab."""


class Output(msgspec.Struct, frozen=True):
    """A command's end, with both of its streams in one."""

    status: int
    text: str


class Guest:
    """A running guest, and what tests do to it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def call(self, function: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Call `module.function` of `tests/lab/guest` inside and give what it returned."""
        asked = json.dumps(arguments)
        self.write("/lab/arguments.json", asked.encode())
        command = f"cd /lab && python3 -m tests.lab.guest {function} arguments.json answer.json"
        done = self.run(f"export PYTHONPATH={_PYTHONPATH}; {command}")
        assert done.status == 0, f"{function} in the guest ended with {done.status}:\n{done.text}"
        return json.loads(self.run("cat /lab/answer.json").text)

    def run(self, script: str, *, patience: float = 300) -> Output:
        shell = ["-c", f"exec 2>&1; {script}"]
        options: dict[str, object] = {"path": "/bin/bash", "arg": shell, "capture-output": True}
        process = self._machine.agent.ask("guest-exec", **options)["pid"]
        end, pause = time.monotonic() + patience, 0.02
        while time.monotonic() < end:
            state = self._machine.agent.ask("guest-exec-status", pid=process)
            if state["exited"]:
                said = base64.b64decode(state.get("out-data", "")).decode(errors="replace")
                return Output(state.get("exitcode", 128 + state.get("signal", 0)), said)
            threading.Event().wait(pause)
            pause = min(pause * 1.5, 0.5)
        raise AssertionError(f"not within {patience:g} s: {script}")

    def write(self, path: str, content: bytes) -> None:
        agent = self._machine.agent
        handle = agent.ask("guest-file-open", path=path, mode="w")
        for start in range(0, len(content), 1 << 20):
            piece = base64.b64encode(content[start : start + (1 << 20)]).decode()
            agent.ask("guest-file-write", **{"handle": handle, "buf-b64": piece})
        agent.ask("guest-file-close", handle=handle)

    def reboot(self) -> None:
        """Shut down in order and come up again with the disk as it was left."""
        self._machine.agent.send("guest-shutdown", mode="reboot")  # it answers only to refuse
        self._machine.monitor.await_event("RESET", patience=_BOOT)
        self.await_agent()

    def unplug(self, number: int) -> None:
        """Pull a card as a hand does: the guest is asked, and lets go."""
        self._machine.monitor.ask("device_del", id=f"card{number}")
        self._machine.monitor.await_event("DEVICE_DELETED")

    def plug(self, number: int) -> None:
        self._machine.monitor.ask("device_add", **card(number))

    def await_agent(self, *, patience: float = _BOOT) -> None:
        """Wait until the guest's agent answers, and to this question."""
        end, number = time.monotonic() + patience, 0
        while time.monotonic() < end and self._machine.process.poll() is None:
            number += 1
            self._machine.agent.send("guest-sync", id=number)
            with contextlib.suppress(TimeoutError):
                while self._machine.agent.receive(2).get("return") != number:
                    pass
                return
        raise AssertionError(f"the guest's agent does not answer\n{self._machine.logs()}")


class Lab(msgspec.Struct, frozen=True):
    """A frozen guest: image, and the folder with its state."""

    image: Image
    frozen: Path

    @contextlib.contextmanager
    def thawed(self, *, more: Mapping[str, bytes] | None = None) -> Iterator[Guest]:
        """Go on from the frozen state; what is written to the disk is lost at the end."""
        with tempfile.TemporaryDirectory(prefix="podwire-lab-") as folder:
            payload = Path(folder) / "payload.tar"
            write_sources(payload, more or {})
            disks = Disks(root=self.frozen / "root.img", payload=payload)
            with _running(Machine(self.image, disks, state=self.frozen / "state")) as guest:
                done = guest.run(f"{_UNPACK} && {_COMMAND}")
                assert done.status == 0, done.text
                yield guest


def built_lab() -> Lab:
    """Build and freeze what is missing, and say how long that took."""
    image = _built_image()
    needs = libraries(cache_folder())
    frozen = image.folder / f"frozen-{_key(image, needs)}"
    with (image.folder / "freezing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be at it
        if not frozen.exists():
            _freeze(image, frozen, needs)
    return Lab(image=image, frozen=frozen)


def cache_folder() -> Path:
    above = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("PODWIRE_LAB_CACHE") or above / "podwire-lab")


def _built_image() -> Image:
    done = subprocess.run([str(_BUILD)], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - ours
    if done.returncode == _CANNOT:
        raise UnavailableError(done.stdout.strip())
    assert done.returncode == 0, f"{_BUILD.name} ended with {done.returncode}"
    qemu, folder = done.stdout.split()
    return Image(qemu=Path(qemu), folder=Path(folder))


def _key(image: Image, needs: Path) -> str:
    """Hash what a frozen state depends on beside the image."""
    fixed = Disks(root=Path("root"), payload=Path("payload"))
    machine = [*arguments(image, fixed, Path("run")), *_SETTLE, needs.name]
    return hashlib.sha256(json.dumps(machine).encode()).hexdigest()[:8]


def _freeze(image: Image, to: Path, needs: Path) -> None:
    began = time.monotonic()
    new = to.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    root, payload = new / "root.img", new / "payload.tar"
    _run("cp", "--sparse=always", "--reflink=auto", str(image.folder / "root.img"), str(root))
    write_libraries(payload, needs)
    machine = Machine(image, Disks(root=root, payload=payload, keeps=True))
    with _running(machine) as guest:
        _tell("booted", began)
        for command in _SETTLE:
            guest.run(command)
        machine.monitor.ask("stop")
        machine.monitor.ask("migrate", uri=f"file:{new / 'state'}")
        _await_migration(machine)
    payload.unlink()
    for old in to.parent.glob("frozen-*"):
        if old != new:
            shutil.rmtree(old)
    new.rename(to)
    _tell("frozen", began)


def _await_migration(machine: Machine) -> None:
    while (now := machine.monitor.ask("query-migrate")).get("status") != "completed":
        if now.get("status") == "failed":
            raise RefusedError(now.get("error-desc", "migrate"))
        threading.Event().wait(0.1)


@contextlib.contextmanager
def _running(machine: Machine) -> Iterator[Guest]:
    guest = Guest(machine)
    try:
        while machine.monitor.ask("query-status")["status"] == "inmigrate":
            threading.Event().wait(0.05)
        if machine.monitor.ask("query-status")["status"] == "paused":
            machine.monitor.ask("cont")
        guest.await_agent()
        yield guest
    finally:
        machine.stop()
        machine.remove()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603 - fixed commands


def _tell(what: str, since: float) -> None:
    sys.stderr.write(f"lab: {what} after {time.monotonic() - since:.1f} s\n")
