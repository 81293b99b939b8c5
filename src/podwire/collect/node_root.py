"""A machine's root, `/` or a copy of one: where the files of a bundle lie on a real system."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from podwire.collect import systemd_files
from podwire.collect.nodes import KERNEL_ROUTES, KUBELET
from podwire.collect.systemd_files import ROOTS as SYSTEMD_ROOTS
from podwire.ports.hostfs import HostFs, ReadFault

# By the name in a bundle; the first that is there counts.
_FILES: Mapping[str, tuple[str, ...]] = {
    KUBELET: (
        "var/lib/kubelet/config.yaml",  # kubeadm
        "etc/kubernetes/kubelet/config.json",  # EKS, Amazon Linux 2023
        "etc/kubernetes/kubelet/kubelet-config.json",  # EKS, Amazon Linux 2
        "etc/rancher/k3s/kubelet.config",
    ),
    # The host's own, where podwire runs in a container.
    KERNEL_ROUTES: ("proc/1/net/route", "proc/net/route"),
    "toolkit/config.toml": (
        "usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml",  # GPU Operator
        "etc/nvidia-container-runtime/config.toml",
    ),
    "usr/lib/systemd/system/kubelet.service": (
        "usr/lib/systemd/system/kubelet.service",
        "lib/systemd/system/kubelet.service",
    ),
    "etc/containerd/config.toml": ("etc/containerd/config.toml",),
    "etc/crio/crio.conf": ("etc/crio/crio.conf",),
    "etc/opensm/opensm.conf": ("etc/opensm/opensm.conf",),
    "modules.txt": ("proc/modules",),
}
_FOLDERS = (
    # Never *.kubeconfig, which holds a token.
    ("etc/cni/net.d", "*.conf*"),
    ("etc/containerd/conf.d", "*.toml"),
    ("etc/crio/crio.conf.d", "*"),
    ("etc/modprobe.d", "*.conf"),
    *((f"{root}/systemd/network", "*.link") for root in SYSTEMD_ROOTS),
    ("etc/systemd/system", "*.service"),
    ("run/systemd/system", "*.service"),
    ("var/run/cdi", "*"),
    ("etc/cdi", "*"),
)
_LISTED_ONLY = (
    "opt/cni/bin",
    # Who else may own VFs; the files may hold passwords.
    "etc/netplan",
    "etc/NetworkManager/system-connections",
    "etc/NetworkManager/conf.d",
)
_HOSTNAMES = ("etc/hostname", "proc/sys/kernel/hostname")
_NAME_LIMIT = 1024


def node_name(files: HostFs) -> str | None:
    """Read the host's name, which kubelet takes in lower case for the node's."""
    for path in _HOSTNAMES:
        try:
            lines = files.read(path, limit=_NAME_LIMIT).decode(errors="replace").splitlines()
        except ReadFault:
            continue
        name = next((line.strip() for line in lines if line.strip()), "")
        if name and not name.startswith("#"):
            return name.lower()
    return None


def found_in(files: HostFs) -> Iterator[tuple[str, str]]:
    """Give names in a bundle with the paths that hold the same on this machine."""
    for name, paths in _FILES.items():
        path = next((p for p in paths if is_readable(files, p)), None)
        if path is not None:
            yield name, path
    for folder, pattern in _FOLDERS:
        for name in listing_of(files, folder) or ():
            if fnmatchcase(name, pattern) and is_readable(files, f"{folder}/{name}"):
                yield f"{folder}/{name}", f"{folder}/{name}"
    yield from ((path, path) for path in systemd_files.found_in(files))


def listings(files: HostFs) -> Iterator[tuple[str, tuple[str, ...]]]:
    """List the folders whose names alone are a fact."""
    folders = (folder for folder, _ in _FOLDERS)
    for folder in (*folders, *_LISTED_ONLY, *systemd_files.REQUIRES):
        names = listing_of(files, folder)
        if names is not None:
            yield folder, names


def listing_of(files: HostFs, folder: str) -> tuple[str, ...] | None:
    """Give all names in a folder; None where it cannot be listed."""
    try:
        return tuple(entry.name for entry in files.entries(folder))
    except ReadFault:
        return None


def is_readable(files: HostFs, path: str) -> bool:
    """Say whether a path leads to a file that opens: many of /proc and /etc are root's."""
    try:
        files.open(path).close()
    except ReadFault:
        return False
    return True
