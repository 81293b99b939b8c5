"""systemd .link files that give VFs names which come back when a pod is gone.

The default policy begins with `keep`: a net device that was called net1 in a pod and comes
back because the pod's namespace was killed keeps that name (seen with systemd 257). A file
without `keep`, or with a literal name, restores it. Only the first file that matches a
device is applied, so these sort before 99-default.link and match VFs alone.
Source: systemd.link(5), systemd 257.
"""

import string
from collections.abc import Iterable, Mapping

from podwire.artefacts.text_file import MARK, TextFile
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError

FOLDER = "etc/systemd/network"
BY_PATH = f"{FOLDER}/60-podwire-vfs.link"
LITERAL = f"{FOLDER}/60-podwire-{{}}.link"
_LONGEST = 15  # bytes: IFNAMSIZ of linux include/uapi/linux/if.h, less the end
# systemd 257 src/basic/socket-util.c ifname_valid_full; quotes and the like are left out too,
# for what reads names in shells.
_ALLOWED = frozenset(string.ascii_letters + string.digits + "-_.+")


def by_path(vfs: Iterable[PciAddress]) -> TextFile:
    """Name VFs by where they are: `ibp24s0v3`, the PF's own name and the VF's number."""
    lines = "".join(f"Path={' '.join(paths)}\n" for paths in _by_bus(vfs))
    return TextFile(path=BY_PATH, text=f"{MARK}[Match]\n{lines}\n[Link]\nNamePolicy=path\n")


def _by_bus(vfs: Iterable[PciAddress]) -> list[list[str]]:
    """Write a line for each card: several lines of Path= are one list (systemd.link(5))."""
    found: dict[str, list[str]] = {}
    for vf in sorted(vfs):
        found.setdefault(str(vf).rpartition(":")[0], []).append(f"pci-{vf}")
    return list(found.values())


def literal(names: Mapping[PciAddress, str]) -> tuple[TextFile, ...]:
    """Give each VF a name of its own, a file a VF.

    Raises:
        PodwireError: a name that the kernel refuses, or one for two VFs.
    """
    seen: dict[str, PciAddress] = {}
    for vf, name in sorted(names.items()):
        fault = name_fault(name)
        if fault:
            raise PodwireError(
                f"fabric.names: {name!r} for {vf} {fault}", hint="for example rail0vf0"
            )
        if name in seen:
            raise PodwireError(f"fabric.names: {name} is for {seen[name]} and for {vf}")
        seen[name] = vf
    return tuple(
        TextFile(
            path=LITERAL.format(str(vf).replace(":", "-")),
            text=f"{MARK}[Match]\nPath=pci-{vf}\n\n[Link]\nName={name}\n",
        )
        for vf, name in sorted(names.items())
    )


def name_fault(name: str) -> str:
    """Say why a net device cannot have a name, or should not; empty: it can."""
    if not name or name in {".", ".."} or not _ALLOWED.issuperset(name):
        return "is no name of a net device: no slash, colon, %, white space or accent"
    if len(name.encode()) > _LONGEST:
        return f"has {len(name.encode())} bytes, and the kernel takes {_LONGEST}"
    if name.isdecimal():
        return "is a number, which systemd refuses"
    if name.rstrip("0123456789") in {"ib", "eth"}:
        return "is a name that the kernel gives out itself"
    if name.rstrip("0123456789") in {"net", "dev", "vfdev"}:
        return "is a name that VFs come back from pods with, so nobody could tell it from one"
    return ""
