"""The cards' part of sysfs, as lines of podwire's `sysfs.txt`."""

from collections.abc import Iterator
from pathlib import Path

from tests.lab.guest import card
from tests.lab.guest.card import PFS, function, write
from tests.lab.guest.shell import run

# What says something of a function and of a netdev; links are all kept.
_OF_FUNCTION = ("class", "device", "local_cpulist", "numa_node", "revision", "vendor", "subsystem_")
_OF_SRIOV = ("sriov_", "driver_override", "current_link_", "max_link_")
_OF_NETDEV = ("addr", "dev_", "flags", "mtu", "name_assign_type", "operstate", "phys_", "type")


def recorded() -> dict[str, list[str]]:
    """Give the tree without VFs, with some, with some unbound, and after two pods died."""
    trees = {"no-vfs": list(_tree())}
    card.make(2)
    card.make(1, PFS[1])
    trees["vfs"] = list(_tree())
    held = card.netdev(card.vfs()[0])
    run("ip", "netns", "add", "pod")
    run("ip", "link", "set", held, "netns", "pod")
    trees["vf-in-a-pod"] = list(_tree())
    run("ip", "-n", "pod", "link", "set", held, "name", "net1")
    run("ip", "netns", "del", "pod")
    run("udevadm", "settle")
    trees["vf-after-a-pod"] = list(_tree())
    for text, name in (
        ("0", "sriov_numvfs"),
        ("0", "sriov_drivers_autoprobe"),
        ("2", "sriov_numvfs"),
    ):
        write(function(PFS[0]) / name, text)
    run("udevadm", "settle")
    trees["vfs-unbound"] = list(_tree())
    return trees


def _tree() -> Iterator[str]:
    for folder in sorted((card.BUS / "devices").iterdir()):
        if (folder / "class").read_text().startswith("0x02"):
            yield from _lines(folder, (*_OF_FUNCTION, *_OF_SRIOV))
            for netdev in sorted((folder / "net").glob("*")):
                yield from _lines(netdev, _OF_NETDEV)


def _lines(folder: Path, wanted: tuple[str, ...]) -> Iterator[str]:
    for entry in sorted(folder.iterdir()):
        name = str(entry).lstrip("/")
        if entry.is_symlink():
            if entry.name not in ("subsystem", "firmware_node", "device"):
                yield f"{name} -> {entry.readlink()}"
        elif entry.is_file() and entry.name.startswith(wanted):
            value = _value(entry)
            if value is not None and "\n" not in value:
                yield f"{name} = {value}"


def _value(file: Path) -> str | None:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return None
