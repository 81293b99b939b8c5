"""The SR-IOV cards of the guest, through sysfs as anybody would use them."""

import errno
import os
from pathlib import Path

from tests.lab.guest.shell import run, wait_for

PFS = ("0000:41:00.0", "0000:81:00.0")
BUS = Path("/sys/bus/pci")


def function(address: str) -> Path:
    return BUS / "devices" / address


def write(path: Path, text: str) -> str:
    """Write an attribute; give the name of the error, or nothing."""
    try:
        descriptor = os.open(path, os.O_WRONLY)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    finally:
        os.close(descriptor)
    return ""


def settle() -> None:
    run("udevadm", "settle")


def make(count: int, pf: str = PFS[0]) -> None:
    """Create VFs anew, and wait until udev has named them all."""
    attribute = function(pf) / "sriov_numvfs"
    for value in ("0", str(count)):
        if refused := write(attribute, value):
            raise RuntimeError(f"{value} > {attribute}: {refused}")
    settle()
    wait_for(f"{count} netdevs", lambda: len(names(pf)) == count)
    settle()


def vfs(pf: str = PFS[0]) -> list[str]:
    links = sorted(function(pf).glob("virtfn*"), key=lambda link: int(link.name[6:]))
    return [link.resolve().name for link in links]


def netdev(address: str) -> str:
    folder = function(address) / "net"
    return next((entry.name for entry in folder.iterdir()), "") if folder.exists() else ""


def names(pf: str = PFS[0]) -> dict[str, str]:
    """Give the VFs' netdevs by address, as far as this namespace sees them."""
    return {vf: name for vf in vfs(pf) if (name := netdev(vf))}


def driver(address: str) -> str:
    link = function(address) / "driver"
    return link.resolve().name if link.exists() else ""
