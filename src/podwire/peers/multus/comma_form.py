"""The short form of the networks annotation: `[namespace/]name[@interface], ...`.

Source: multus-cni v4.3.0 pkg/k8sclient/k8sclient.go parsePodNetworkObjectName; v4.2.2 has
the same rules. v4.0.2 also wanted interface names to be lower-case labels.
"""

import re
from collections.abc import Iterator

import msgspec

from podwire.peers.multus.selection import Selection, Unreadable

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_INTERFACE_BYTES = 15  # IFNAMSIZ less its final zero
_NOT_IN_INTERFACE = frozenset(" \t\n\v\f\r/")
_SAYS = "parsePodNetworkAnnotation: parsePodNetworkObjectName: "


def read_comma_form(value: str, *, namespace: str) -> tuple[Selection, ...] | Unreadable:
    """Split at commas; spaces around an item do not count."""
    found: list[Selection] = []
    for index, (at, item) in enumerate(_items(value)):
        read = _read_item(item, namespace=namespace)
        if isinstance(read, Unreadable):
            return msgspec.structs.replace(read, at=at)
        name, target, interface = read
        found.append(
            Selection(index=index, name=name, namespace=target, interface=interface, text=item)
        )
    return tuple(found)


def _items(value: str) -> Iterator[tuple[int, str]]:
    at = 0
    for part in value.split(","):
        yield at + len(part) - len(part.lstrip()), part.strip()
        at += len(part) + 1


def _read_item(item: str, *, namespace: str) -> tuple[str, str, str] | Unreadable:
    slashes = item.split("/")
    if len(slashes) > 2:
        return _refused(
            "Invalid network object (failed at '/')", "one slash, between namespace and name"
        )
    target = slashes[0].strip() if len(slashes) == 2 else ""
    signs = slashes[-1].split("@")
    if len(signs) > 2:
        return _refused(
            "Invalid network object (failed at '@')", "one @, between name and interface"
        )
    name = signs[0].strip()
    interface = signs[1].strip() if len(signs) == 2 else ""
    fault = _name_fault(target, name) or _interface_fault(interface)
    return fault or (name, target or namespace, interface)


def _name_fault(target: str, name: str) -> Unreadable | None:
    for part in (target, name):
        if part and not _LABEL.fullmatch(part):
            return _refused(
                "Failed to parse: one or more items did not match comma-delimited format (must "
                "consist of lower case alphanumeric characters). Must start and end with an "
                f"alphanumeric character), mismatch @ '{part}'",
                _name_hint(part),
            )
    return None


def _name_hint(part: str) -> str:
    if any(c.isspace() or c in ";|" for c in part):
        return "separate networks by commas"
    if "." in part:
        return 'a name with dots needs the JSON form: [{"name": "..."}]'
    return "lower-case letters, digits and '-' inside"


def _interface_fault(interface: str) -> Unreadable | None:
    size = len(interface.encode(errors="replace"))
    if size <= _INTERFACE_BYTES and not _NOT_IN_INTERFACE.intersection(interface):
        return None
    return _refused(
        "Failed to parse interface name: must be less than 15 chars and not contain '/' or "
        f"spaces. interface name '{interface}'",
        f"at most {_INTERFACE_BYTES} characters, this has {size}"
        if size > _INTERFACE_BYTES
        else "no spaces inside an interface name",
    )


def _refused(reason: str, hint: str) -> Unreadable:
    return Unreadable(message=_SAYS + reason, reason=reason, hint=hint)
