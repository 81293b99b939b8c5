"""What udev makes of .link files: `udevadm test-builtin net_setup_link`, device by device."""

import fcntl
import shutil
import struct
from pathlib import Path
from typing import Any

from tests.lab.guest import card
from tests.lab.guest.shell import attempt, run
from tests.lab.tables.link_rows import LinkRow, link_rows

_KEPT = Path("/tmp/kept")  # noqa: S108 - nobody else is here
_FOLDERS = tuple(f"{top}/systemd/network" for top in ("/etc", "/run", "/usr/lib", "/usr/local/lib"))
_TUNSETIFF, _TUNSETPERSIST, _TUNSETLINK = 0x400454CA, 0x400454CB, 0x400454CD
_TAP, _NO_HEADER, _INFINIBAND = 0x0002, 0x1000, 32
_ANSWERS = {
    "ID_NET_LINK_FILE": "link_file",
    "ID_NET_LINK_FILE_DROPINS": "dropins",
    "ID_NET_NAME": "name",
}
_CHATTER = (": Device has ", ": Running in test mode")


def record(every: int = 1) -> dict[str, Any]:
    """Ask about every row; a device's name is what it has when it is asked about."""
    devices = _devices()
    shutil.copytree("/usr/lib/systemd/network", _KEPT)
    return {
        "about": about(),
        "devices": {name: _properties(netdev) for name, netdev in devices.items()},
        "rows": [_asked(row, devices) for row in list(link_rows())[::every]],
    }


def about() -> dict[str, str]:
    return {
        "systemd": run("dpkg-query", "-W", "-f", "${Version}", "systemd"),
        "udev": run("dpkg-query", "-W", "-f", "${Version}", "udev"),
        "kernel": run("uname", "-r").strip(),
        "command": "udevadm test-builtin net_setup_link /sys/class/net/NAME",
    }


def _devices() -> dict[str, str]:
    card.make(2)
    vf, other = card.names().values()
    run("ip", "link", "set", other, "name", "net1")  # as a killed pod leaves it
    _tun_of_type_infiniband("ib-tun")
    return {"pf": card.netdev(card.PFS[0]), "vf": vf, "vf-renamed": "net1", "ib": "ib-tun"}


def _tun_of_type_infiniband(name: str) -> None:
    """Make a netdev whose `type` is 32: no driver of InfiniBand can be had without a card."""
    with Path("/dev/net/tun").open("r+b", buffering=0) as tun:
        fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _TAP | _NO_HEADER))
        fcntl.ioctl(tun, _TUNSETPERSIST, 1)
        fcntl.ioctl(tun, _TUNSETLINK, _INFINIBAND)
    card.settle()


def _properties(netdev: str) -> dict[str, str]:
    """Give udev's properties, and as `sysfs.*` what the kernel says."""
    lines = run("udevadm", "info", "-q", "property", f"/sys/class/net/{netdev}").splitlines()
    known = dict(line.split("=", 1) for line in lines)
    for name in ("type", "address", "name_assign_type", "addr_assign_type"):
        known[f"sysfs.{name}"] = _attribute(netdev, name)
    return known


def _attribute(netdev: str, name: str) -> str:
    try:
        return Path(f"/sys/class/net/{netdev}/{name}").read_text().strip()
    except OSError:  # the kernel does not know how a tun got its name
        return ""


def _asked(row: LinkRow, devices: dict[str, str]) -> dict[str, Any]:
    for path, text in row.files.items():
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.symlink_to("/dev/null")
        else:
            file.write_text(text, encoding="utf-8", newline="")
    try:
        answers = {device: _answer(devices[device]) for device in row.devices}
    finally:
        _put_back()
    return {"name": row.name, "files": dict(row.files), "answers": answers}


def _put_back() -> None:
    for folder in _FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_KEPT, "/usr/lib/systemd/network")
    Path("/etc/systemd/network").mkdir()


def _answer(netdev: str) -> dict[str, Any]:
    """Give what would be set, and what was said about files and this device."""
    path = f"/sys/class/net/{netdev}"
    status, text = attempt("udevadm", "test-builtin", "net_setup_link", path)
    answer: dict[str, Any] = {"link_file": "", "dropins": "", "name": "", "said": []}
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in _ANSWERS:
            answer[_ANSWERS[key]] = value
        elif line.startswith(("/", f"{netdev}: ")) and not any(x in line for x in _CHATTER):
            answer["said"].append(line)
    return answer if status == 0 else {**answer, "status": status}
