"""The lab's machine: QEMU with two SR-IOV cards, each on a NUMA node of its own.

It runs under emulation (TCG): the machines this is for seldom offer KVM.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.lab.talk import Line

# The cards are 0000:41:00.0 and 0000:81:00.0, their VFs 0000:41:10.0 and on.
_BUSES = (64, 128)
_MEMORY = 1024
_KERNEL = (
    "root=LABEL=labroot rw console=ttyS0 quiet systemd.show_status=false net.ifnames=1 "
    "mitigations=off nokaslr audit=0 apparmor=0 lsm=capability random.trust_cpu=1 8250.nr_uarts=1 "
    "tsc=unstable nmi_watchdog=0 nowatchdog no_timer_check panic=1"
)


class Image(msgspec.Struct, frozen=True):
    """What `image/build.sh` made: QEMU, and the folder with the guest's disk and kernel."""

    qemu: Path
    folder: Path


class Disks(msgspec.Struct, frozen=True):
    """`root` is written to only where `keeps`; `payload` is a tar archive for the guest to read."""

    root: Path
    payload: Path
    keeps: bool = False


class Machine:
    """A running QEMU; `monitor` speaks QMP, `agent` to the guest."""

    def __init__(self, image: Image, disks: Disks, *, state: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="podwire-lab-"))
        # It ends with the tests, also when these are killed.
        command = ["setpriv", "--pdeathsig", "KILL", *arguments(image, disks, self.folder)]
        if state is not None:
            command += ["-incoming", f"file:{state}"]
        with (self.folder / "qemu.log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own QEMU
        self._lines: list[Line] = []
        self.monitor = self._connect("monitor")
        self.monitor.receive(20)  # its greeting
        self.monitor.ask("qmp_capabilities")
        self.agent = self._connect("agent")

    def _connect(self, name: str) -> Line:
        try:
            line = Line(self.folder / name, patience=20)
        except OSError as error:
            self.stop()
            raise AssertionError(f"QEMU did not start: {error}\n{self.logs()}") from error
        self._lines.append(line)
        return line

    def logs(self) -> str:
        """Give the ends of what QEMU and the guest's console said."""
        files = [self.folder / "qemu.log", self.folder / "console.log"]
        texts = [file.read_text(errors="replace") for file in files if file.exists()]
        return "\n".join(text[-3000:] for text in texts)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for line in self._lines:
            line.close()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def arguments(image: Image, disks: Disks, run: Path) -> list[str]:
    return [
        str(image.qemu),
        *["-name", "podwire-lab", "-nodefaults", "-no-user-config", "-display", "none"],
        *["-machine", "q35,smbus=off,sata=off,i8042=off,vmport=off,hpet=off"],
        *["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max", "-smp", "2,sockets=2"],
        *_numa(),
        *["-kernel", str(image.folder / "vmlinuz"), "-initrd", str(image.folder / "initrd.img")],
        *["-append", _KERNEL],
        *_disk("root", f"{disks.root},snapshot={'off' if disks.keeps else 'on'},cache=unsafe"),
        *_disk("payload", f"{disks.payload},readonly=on"),
        *["-device", "virtio-rng-pci", "-device", "virtio-serial-pci"],
        *["-chardev", f"socket,id=agent,path={run}/agent,server=on,wait=off"],
        *["-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0"],
        *["-qmp", f"unix:{run}/monitor,server=on,wait=off", "-monitor", "none"],
        *["-serial", f"file:{run}/console.log"],
        *_cards(),
    ]


def _numa() -> Iterator[str]:
    yield from ("-m", str(_MEMORY))
    for node in range(len(_BUSES)):
        size = _MEMORY // len(_BUSES)
        yield from ("-object", f"memory-backend-ram,id=memory{node},size={size}M")
        yield from ("-numa", f"node,nodeid={node},cpus={node},memdev=memory{node}")


def _disk(name: str, file: str) -> list[str]:
    drive = f"if=none,id={name},format=raw,file={file}"
    return ["-drive", drive, "-device", f"virtio-blk-pci,drive={name},serial={name}"]


def _cards() -> Iterator[str]:
    """Give each card its own root port, so that it can be pulled; a hub wires them together."""
    for number, bus in enumerate(_BUSES):
        bridge = f"pxb-pcie,id=bridge{number},bus=pcie.0,bus_nr={bus},numa_node={number}"
        port = f"pcie-root-port,id=port{number},bus=bridge{number},chassis={number + 1}"
        yield from ("-device", bridge, "-device", f"{port},slot={number + 1}")
        yield from ("-netdev", f"hubport,id=hub{number},hubid=1")
        yield from ("-device", ",".join(f"{key}={value}" for key, value in card(number).items()))


def card(number: int) -> dict[str, str]:
    """Give a card as QEMU's options, the driver first."""
    return {
        "driver": "igb",
        "id": f"card{number}",
        "bus": f"port{number}",
        "netdev": f"hub{number}",
        "mac": f"02:00:00:00:{_BUSES[number] + 1:02x}:00",
        "romfile": "",
    }
