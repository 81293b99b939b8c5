"""What the library refuses in a spec that it could read, in its order and its words.

Sources: tags.cncf.io/container-device-interface v0.8.1, v1.0.1, v1.1.1, v1.1.2 pkg/cdi/spec.go
validate, device.go validate, container-edits.go; v0.8.1 pkg/cdi/version.go and specs-go v1.1.1
version.go. Annotations are never checked: ValidateSpecAnnotations looks for another type.
"""

from collections.abc import Iterator

import msgspec

from podwire.model.evidence import Path
from podwire.peers.cdi import names
from podwire.peers.cdi.libraries import Library
from podwire.peers.cdi.raw import RawDevice, RawEdits, RawSpec
from podwire.peers.cdi.records import DeviceNode, Hook, Mount
from podwire.peers.go_text import quoted

_EARLIEST = "0.3.0"
_CLOS_LIMIT = 4096
_DEVICE_TYPES = frozenset(("", "b", "c", "u", "p"))
_HOOK_NAMES = frozenset(
    ("prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop")
)


class Refusal(msgspec.Struct, frozen=True):
    """The library's sentence, and the value that it speaks of.

    Where an item of a list is empty the library crashes (before 1.1.2), and the sentence is
    podwire's.
    """

    sentence: str
    path: Path
    is_exact: bool = True


def refusal_of(spec: RawSpec, *, library: Library) -> Refusal | None:
    """Find the first thing that keeps a spec from being loaded."""
    return next(_refusals(spec, library), None)


def minimum_version(spec: RawSpec, *, library: Library) -> str:
    """Give the least cdiVersion that has everything the spec uses."""
    edits = spec.every_edits
    if any(e.net_devices or (e.intel_rdt and e.intel_rdt.needs_1_1) for e in edits):
        return "1.1.0"
    if any(e.intel_rdt is not None or e.additional_gids for e in edits):
        return "0.7.0"
    if _needs_0_6(spec, library):
        return "0.6.0"
    # Built as Go 1.19, every pointer into the loop over devices is that to the last of them
    # (specs-go v0.7.0 to v1.1.1 go.mod, version.go requiresV050 and requiresV040).
    edits = (spec.edits, *(device.edits for device in spec.devices[-1:]))
    if any(node and node.host_path for e in edits for node in e.device_nodes) or any(
        _is_odd_start(device.name, library) for device in spec.devices
    ):
        return "0.5.0"
    if any(mount and mount.type for e in edits for mount in e.mounts):
        return "0.4.0"
    return _EARLIEST


def _needs_0_6(spec: RawSpec, library: Library) -> bool:
    if spec.annotations or any(device.annotations for device in spec.devices):
        return True
    vendor, device_class = names.split_kind(spec.kind)
    if not library.reads_json:
        vendor, _, device_class = spec.kind.partition("/")
        return "." in device_class
    return bool(vendor) and "." in device_class


def _is_odd_start(name: str, library: Library) -> bool:
    first = name[:1]
    if library.counts_odd_names:
        return bool(first) and not (first.isascii() and first.isalpha())
    return first.isascii() and first.isdigit()


def _refusals(spec: RawSpec, library: Library) -> Iterator[Refusal]:
    yield from _empty_items(spec)
    yield from _version_refusals(spec, library)
    vendor, device_class = names.split_kind(spec.kind)
    kind = names.vendor_refusal(vendor) or names.class_refusal(device_class)
    if kind:
        yield Refusal(sentence=kind, path=("kind",))
    yield from _edits_refusals(spec.edits, library, ("containerEdits",))
    seen: set[str] = set()
    for index, device in enumerate(spec.devices):
        for found in _device_refusals(device, library, ("devices", index)):
            sentence = f"failed add device {quoted(device.name)}: {found.sentence}"
            yield Refusal(sentence=sentence, path=found.path)
        if device.name in seen:
            sentence = f"invalid spec, multiple device {quoted(device.name)}"
            yield Refusal(sentence=sentence, path=("devices", index, "name"))
        seen.add(device.name)
    if not spec.devices and library.refuses_empty:
        yield Refusal(sentence="invalid spec, no devices", path=("devices",))


def _empty_items(spec: RawSpec) -> Iterator[Refusal]:
    above: list[Path] = [()]
    above += [("devices", index) for index in range(len(spec.devices))]
    for path, edits in zip(above, spec.every_edits, strict=True):
        for name, items in edits.lists:
            if None in items:
                at = (*path, "containerEdits", name, items.index(None))
                sentence = f"an item of {name} is empty"
                yield Refusal(sentence=sentence, path=at, is_exact=False)


def _version_refusals(spec: RawSpec, library: Library) -> Iterator[Refusal]:
    version = spec.version.removeprefix("v")
    if version not in library.specs:
        sentence = f"invalid version {quoted(spec.version)}"
        yield Refusal(sentence=sentence, path=("cdiVersion",))
        return
    least = minimum_version(spec, library=library)
    if _order(least) > _order(version):
        sentence = f"the spec version must be at least v{least}"
        yield Refusal(sentence=sentence, path=("cdiVersion",))


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _device_refusals(device: RawDevice, library: Library, path: Path) -> Iterator[Refusal]:
    name = names.device_refusal(device.name)
    if name:
        yield Refusal(sentence=name, path=(*path, "name"))
    below = (*path, "containerEdits")
    if device.edits.is_empty:
        yield Refusal(sentence="invalid device, empty device edits", path=below)
    for found in _edits_refusals(device.edits, library, below):
        sentence = f"invalid device {quoted(device.name)}: {found.sentence}"
        yield Refusal(sentence=sentence, path=found.path)


def _edits_refusals(edits: RawEdits, library: Library, path: Path) -> Iterator[Refusal]:
    for index, variable in enumerate(edits.env):
        if variable.find("=") <= 0:
            sentence = f"invalid container edits: {_no_variable(variable)}"
            yield Refusal(sentence=sentence, path=(*path, "env", index))
    for name, sentences in (
        ("deviceNodes", [_node_refusal(node, library) for node in edits.device_nodes]),
        ("hooks", [_hook_refusal(hook) for hook in edits.hooks]),
        ("mounts", [_mount_refusal(mount) for mount in edits.mounts]),
    ):
        for index, sentence in enumerate(sentences):
            if sentence:
                yield Refusal(sentence=sentence, path=(*path, name, index))
    if edits.intel_rdt is not None and not _is_clos(edits.intel_rdt.clos_id, library):
        yield Refusal(sentence="invalid ClosID", path=(*path, "intelRdt", "closID"))
    yield from _net_device_refusals(edits, (*path, "netDevices"))


def _no_variable(text: str) -> str:
    return f"invalid environment variable {quoted(text)}"


def _node_refusal(node: DeviceNode | None, library: Library) -> str:
    if node is None:
        return ""
    if not node.path:
        return "invalid (empty) device path"
    path = quoted(node.path)
    if node.type not in _DEVICE_TYPES:
        return f"device {path}: invalid type {quoted(node.type)}"
    is_none = library.takes_none and node.permissions == "none"
    if node.permissions.strip("rwm") and not is_none:
        return f"device {path}: invalid permissions {quoted(node.permissions)}"
    if library.refuses_negative and (node.major < 0 or node.minor < 0):
        return f"device {path}: invalid (negative) device number {node.major}:{node.minor}"
    return ""


def _hook_refusal(hook: Hook | None) -> str:
    if hook is None:
        return ""
    name = quoted(hook.hook_name)
    if hook.hook_name not in _HOOK_NAMES:
        return f"invalid hook name {name}"
    if not hook.path:
        return f"invalid hook {name} with empty path"
    wrong = next((variable for variable in hook.env if variable.find("=") <= 0), None)
    return "" if wrong is None else f"invalid hook {name}: {_no_variable(wrong)}"


def _mount_refusal(mount: Mount | None) -> str:
    if mount is None:
        return ""
    if not mount.host_path:
        return "invalid mount, empty host path"
    return "" if mount.container_path else "invalid mount, empty container path"


def _is_clos(name: str, library: Library) -> bool:
    if name == "/":
        return library.takes_root
    length = len(name.encode())
    return length < _CLOS_LIMIT and name not in {".", ".."} and not set("/\n") & set(name)


def _net_device_refusals(edits: RawEdits, path: Path) -> Iterator[Refusal]:
    hosts: dict[str, str] = {}
    inside: dict[str, str] = {}
    for index, each in enumerate(edits.net_devices):
        if each is None:
            continue
        host, name = each.host_interface_name, each.name
        sentence = ""
        if not host or not name:
            sentence = f"empty {'Name' if host else 'HostInterfaceName'}"
        elif host in hosts:
            sentence = (
                f"duplicate HostInterfaceName {quoted(host)} with names "
                f"{quoted(name)} and {quoted(hosts[host])}"
            )
        elif name in inside:
            sentence = (
                f"duplicate Name {quoted(name)} with HostInterfaceName "
                f"{quoted(host)} and {quoted(inside[name])}"
            )
        if sentence:
            yield Refusal(sentence=f"invalid linux net device, {sentence}", path=(*path, index))
        hosts[host], inside[name] = name, host
