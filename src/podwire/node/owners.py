"""Other programs that make VFs of a PF: found by the files that tell them to."""

import configparser
import fnmatch
from collections.abc import Iterator

from podwire.documents import yaml
from podwire.facts.node import Function
from podwire.node.reading import names_in, text_of
from podwire.ports.hostfs import HostFs

# sriov-network-operator pkg/consts/constants.go PfAppliedConfig; a file for each PF it manages.
_OPERATOR = "etc/sriov-operator/pci"
_NETPLAN = "etc/netplan"
_NETWORK_MANAGER = "etc/NetworkManager/system-connections"
_SYSTEMD = ("etc/systemd/network", "run/systemd/network")
_VF_WORDS = ("virtual-function-count", "embedded-switch-mode")


def owners_of(files: HostFs, function: Function) -> tuple[str, ...]:
    """Name every other owner of a PF's VFs, with its file."""
    return (
        *_operator(files, function),
        *_netplan(files, function),
        *_network_manager(files, function),
        *_systemd(files, function),
    )


def _operator(files: HostFs, function: Function) -> Iterator[str]:
    path = f"{_OPERATOR}/{function.address}"
    if files.exists(path):
        yield f"the SR-IOV operator (/{path})"


def _netplan(files: HostFs, function: Function) -> Iterator[str]:
    """`virtual-function-count` of the interface, or a VF whose `link` it is (netplan 0.99)."""
    names = {netdev.name for netdev in function.netdevs}
    for name in names_in(files, _NETPLAN):
        text = text_of(files, f"{_NETPLAN}/{name}") if name.endswith(".yaml") else None
        if text and any(_is_netplanned(d.value, names) for d in yaml.load(text)):
            yield f"netplan (/{_NETPLAN}/{name})"


def _is_netplanned(tree: object, names: set[str]) -> bool:
    network = tree.get("network") if isinstance(tree, dict) else None
    ethernets = network.get("ethernets") if isinstance(network, dict) else None
    if not isinstance(ethernets, dict):
        return False
    for key, wanted in ethernets.items():
        if not isinstance(wanted, dict):
            continue
        is_pf = key in names or wanted.get("set-name") in names
        if is_pf and any(word in wanted for word in _VF_WORDS):
            return True
        link = ethernets.get(str(wanted.get("link", "")))
        link_name = link.get("set-name") if isinstance(link, dict) else None
        if "link" in wanted and {wanted["link"], link_name} & names:
            return True
    return False


def _network_manager(files: HostFs, function: Function) -> Iterator[str]:
    """A connection with `[sriov] total-vfs` (nm-settings-nmcli(5), sriov)."""
    names = {netdev.name for netdev in function.netdevs}
    for name in names_in(files, _NETWORK_MANAGER):
        text = text_of(files, f"{_NETWORK_MANAGER}/{name}") or ""
        found = _sections(text)
        if found is None or not found.get("sriov", "total-vfs", fallback=""):
            continue
        if found.get("connection", "interface-name", fallback="") in names:
            yield f"NetworkManager (/{_NETWORK_MANAGER}/{name})"


def _systemd(files: HostFs, function: Function) -> Iterator[str]:
    """`SR-IOVVirtualFunctions=` of a .link file that fits (systemd 251, systemd.link(5))."""
    names = {netdev.name for netdev in function.netdevs}
    for folder in _SYSTEMD:
        for name in names_in(files, folder):
            text = text_of(files, f"{folder}/{name}") if name.endswith(".link") else None
            found = _sections(text or "")
            if found is None or not found.get("Link", "SR-IOVVirtualFunctions", fallback=""):
                continue
            path = found.get("Match", "Path", fallback="").split()
            is_path = any(fnmatch.fnmatchcase(f"pci-{function.address}", p) for p in path)
            original = found.get("Match", "OriginalName", fallback="").split()
            is_name = any(fnmatch.fnmatchcase(n, p) for n in names for p in original)
            if is_path or is_name:
                yield f"systemd's SR-IOVVirtualFunctions= (/{folder}/{name})"


def _sections(text: str) -> configparser.ConfigParser | None:
    parser = configparser.ConfigParser(
        strict=False, interpolation=None, delimiters=("=",), allow_no_value=True
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return parser
