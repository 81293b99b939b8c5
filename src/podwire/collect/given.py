"""What somebody gave podwire to read, and what its documents are called.

An input is a file, a folder of manifests, a bundle, or the root of a machine. Which, is read
off its names alone, so that whoever wants a document again finds it in the same way.
"""

import enum
from collections.abc import Sequence

import msgspec

from podwire.collect import layout
from podwire.ports.hostfs import EntryKind, HostFs, ReadFault

_NODE_FILES = frozenset(
    {
        "sysfs.txt",
        "kubelet-config.yaml",
        "podresources-list.json",
        "podresources-allocatable.json",
        "rdma-system.txt",
        "ip-route.txt",
        "ip-link.txt",
        "ibstat.txt",
        "sminfo.txt",
        "opensm-version.txt",
        "mstconfig.txt",
        "lspci.txt",
        "uname.txt",
        "dmesg.txt",
        "nvidia-smi-L.txt",
        "images.json",
    }
)
_NODE_FOLDERS = frozenset({"sys", "etc", "var", "toolkit"})


class Input(msgspec.Struct, frozen=True):
    """One path as typed, and its files. `is_node_root`: the root of a machine, or a copy."""

    typed: str
    files: HostFs
    is_node_root: bool = False


class Form(enum.Enum):
    """How the files of an input are to be read."""

    FILE = "one file"
    FOLDER = "a folder of manifests"
    BUNDLE = "a bundle"
    NODE_ROOT = "the root of a machine"


class Mount(msgspec.Struct, frozen=True):
    """An input, recognised.

    `top` is where it begins in `files`; `shown` is what stands for that in the names of
    documents; `at` is what stands for it in a bundle, for a part of one.
    """

    files: HostFs
    form: Form
    typed: str
    top: str = ""
    shown: str = ""
    at: str = ""

    def name(self, path: str) -> str:
        """Name a document, by its path in `files`."""
        return _printable(_joined(self.shown, _below(path, self.top)))

    def slot(self, path: str) -> layout.Slot:
        """Say what a file is in a bundle."""
        return layout.slot_of(_joined(self.at, _below(path, self.top)))

    def path(self, name: str) -> str | None:
        """Give the path in `files` of a document, by its name."""
        if self.shown and name != self.shown and not name.startswith(self.shown.rstrip("/") + "/"):
            return None
        path = _joined(self.top, _below(name, self.shown))
        return path if self.files.exists(path) and not self.files.is_dir(path) else None


def mounts_of(inputs: Sequence[Input]) -> tuple[Mount, ...]:
    """Recognise every input; names in bundles are relative to it where there is only one."""
    mounts = [_mount(given) for given in inputs]
    if sum(mount.form is Form.BUNDLE for mount in mounts) <= 1:
        return tuple(mounts)
    return tuple(
        msgspec.structs.replace(mount, shown=mount.shown or mount.typed)
        if mount.form is Form.BUNDLE
        else mount
        for mount in mounts
    )


def _mount(given: Input) -> Mount:
    files, typed = given.files, given.typed
    shown = "" if typed in {".", "./"} else typed.removeprefix("./")
    if given.is_node_root:
        return Mount(files=files, form=Form.NODE_ROOT, typed=typed, shown=typed)
    if not files.is_dir():
        at = _part_of_bundle(typed)
        form = Form.BUNDLE if at else Form.FILE
        return Mount(files=files, form=form, typed=typed, shown=shown, at=at)
    names = _names(files, "")
    if layout.is_bundle(names):
        return Mount(files=files, form=Form.BUNDLE, typed=typed)
    parent, _, node = typed.rstrip("/").rpartition("/")
    if parent.rpartition("/")[2] == "nodes" and (_NODE_FILES | _NODE_FOLDERS).intersection(names):
        at = f"nodes/{node}"
        return Mount(files=files, form=Form.BUNDLE, typed=typed, shown=shown, at=at)
    top = _only_folder(files)
    if top and layout.is_bundle(_names(files, top)):
        return Mount(files=files, form=Form.BUNDLE, typed=typed, top=top)
    return Mount(files=files, form=Form.FOLDER, typed=typed, shown=shown)


def _part_of_bundle(typed: str) -> str:
    """Recognise one file of a node by its name and where it lies."""
    steps = typed.split("/")[-3:]
    if len(steps) == 3 and steps[0] == "nodes" and steps[2] in _NODE_FILES:
        return "/".join(steps)
    return ""


def _names(files: HostFs, folder: str) -> tuple[str, ...]:
    """List a folder; its own files count only as far as they tell a bundle from manifests."""
    try:
        return tuple(
            entry.name
            for entry in files.entries(folder)
            if entry.kind is EntryKind.FOLDER or entry.name not in layout.FOLDERS
        )
    except ReadFault:
        return ()


def _only_folder(files: HostFs) -> str:
    try:
        entries = files.entries()
    except ReadFault:
        return ""
    is_only = len(entries) == 1 and entries[0].kind is EntryKind.FOLDER
    return entries[0].name if is_only else ""


def _below(path: str, top: str) -> str:
    return path[len(top) :].strip("/") if top else path


def _joined(front: str, rest: str) -> str:
    return f"{front.rstrip('/')}/{rest}" if front and rest else front or rest


def _printable(name: str) -> str:
    """Write bytes that are no UTF-8 so that any stream takes them."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
