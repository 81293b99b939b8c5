"""Other programs that make VFs of a PF: found by the files that tell them to."""

from collections.abc import Iterator, Mapping

from podwire.documents import ini, yaml
from podwire.facts.node import Function
from podwire.model.evidence import Document, Known, Origin
from podwire.node.reading import names_in, text_of
from podwire.peers.systemd_link.applying import fits
from podwire.peers.systemd_link.reading import read_link
from podwire.peers.systemd_link.records import LinkDevice, LinkFile
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
    ethernets = _mapping(_mapping(_mapping(tree).get("network")).get("ethernets"))
    for key, value in ethernets.items():
        wanted = _mapping(value)
        is_pf = bool({key, _text(wanted.get("set-name"))} & names)
        if is_pf and any(word in wanted for word in _VF_WORDS):
            return True
        link = _text(wanted.get("link"))
        if {link, _text(_mapping(ethernets.get(link)).get("set-name"))} & names:
            return True
    return False


def _mapping(tree: object) -> Mapping[str, object]:
    return tree if isinstance(tree, dict) else {}


def _text(tree: object) -> str:
    return tree if isinstance(tree, str) else ""


def _network_manager(files: HostFs, function: Function) -> Iterator[str]:
    """A connection with `[sriov] total-vfs` (nm-settings-nmcli(5), sriov)."""
    names = {netdev.name for netdev in function.netdevs}
    for name in names_in(files, _NETWORK_MANAGER):
        text = text_of(files, f"{_NETWORK_MANAGER}/{name}") or ""
        found = {(a.section, a.key): a.value for a in ini.parse(text).assignments}
        is_pf = found.get(("connection", "interface-name"), "") in names
        if is_pf and found.get(("sriov", "total-vfs")):
            yield f"NetworkManager (/{_NETWORK_MANAGER}/{name})"


def _systemd(files: HostFs, function: Function) -> Iterator[str]:
    """`SR-IOVVirtualFunctions=` of a .link file that fits (systemd 251, systemd.link(5))."""
    devices = [_link_device(function, netdev.name) for netdev in function.netdevs]
    for folder in _SYSTEMD:
        for name in names_in(files, folder):
            path = f"{folder}/{name}"
            text = text_of(files, path) if name.endswith(".link") else None
            link = read_link(name, [(Document(name=path, origin=Origin.NODE), text or "")])
            if link.vf_count is not None and any(_is_for(link, device) for device in devices):
                yield f"systemd's SR-IOVVirtualFunctions= (/{path})"


def _link_device(function: Function, name: str) -> LinkDevice:
    """Say what is known of a PF's net device; its name now may well be its first."""
    path = f"pci-{function.address}"
    return LinkDevice(
        name=name,
        facts={"Path": path, "OriginalName": name, "Kind": None},
        properties={"ID_PATH": path},
    )


def _is_for(link: LinkFile, device: LinkDevice) -> bool:
    answer = fits(link, device)
    return isinstance(answer, Known) and answer.value
