"""Names of CDI devices: `vendor/class=device`, alone and in annotations.

Characters are judged byte by byte where the library does, so that its sentences come out.
Source: tags.cncf.io/container-device-interface pkg/parser/parser.go and
pkg/cdi/annotations.go, alike in v0.8.1 to v1.1.2.
"""

from collections.abc import Mapping

import msgspec

from podwire.peers.go_text import quoted

ANNOTATION_PREFIX = "cdi.k8s.io/"

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ALPHANUMERIC = _LETTERS | _DIGITS
_IN_KIND = _ALPHANUMERIC | frozenset("_-.")
_IN_DEVICE = _IN_KIND | {":"}


class QualifiedName(msgspec.Struct, frozen=True, gc=False):
    """A device as containers ask for it."""

    vendor: str
    device_class: str
    device: str

    @property
    def kind(self) -> str:
        """What a spec declares: `nvidia.com/gpu`."""
        return f"{self.vendor}/{self.device_class}"

    def __str__(self) -> str:
        return f"{self.kind}={self.device}"


class RefusedNameError(ValueError):
    """The library does not take the text for a name; the message is its sentence."""


def parse_qualified(text: str) -> QualifiedName:
    """Read a name as ParseQualifiedName does.

    Raises:
        RefusedNameError: a part is missing, or has characters that it may not have.
    """
    vendor, device_class, device = _parts(text)
    if not vendor:
        raise RefusedNameError(f"unqualified device {quoted(text)}, missing vendor")
    refusal = vendor_refusal(vendor) or class_refusal(device_class) or device_refusal(device)
    if refusal:
        raise RefusedNameError(f"invalid device {quoted(text)}: {refusal}")
    return QualifiedName(vendor=vendor, device_class=device_class, device=device)


def is_qualified(text: str) -> bool:
    """Say whether a runtime takes the text for a CDI device, and not for an index or a UUID."""
    try:
        parse_qualified(text)
    except RefusedNameError:
        return False
    return True


def split_kind(kind: str) -> tuple[str, str]:
    """Cut `vendor/class`; a kind without a vendor is a class, as in ParseQualifier."""
    vendor, slash, device_class = kind.partition("/")
    return (vendor, device_class) if slash and vendor and device_class else ("", kind)


def annotated(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """Give the devices that `cdi.k8s.io/*` annotations ask for, by key; blanks stay in names.

    The library goes through them in any order.

    Raises:
        RefusedNameError: one of the names is none; the whole container is refused.
    """
    found = []
    for key in sorted(annotations):
        if key.startswith(ANNOTATION_PREFIX):
            for name in annotations[key].split(","):
                if not is_qualified(name):
                    raise RefusedNameError(f"invalid CDI device name {quoted(name)}")
                found.append(name)
    return tuple(found)


def vendor_refusal(vendor: str) -> str:
    """Say what is wrong with a vendor; empty: nothing."""
    refusal = _kind_part_refusal(vendor)
    return f"invalid vendor. {refusal}" if refusal else ""


def class_refusal(device_class: str) -> str:
    """Say what is wrong with a class; empty: nothing."""
    refusal = _kind_part_refusal(device_class)
    return f"invalid class. {refusal}" if refusal else ""


def device_refusal(name: str) -> str:
    """Say what is wrong with a device's own name; empty: nothing."""
    if not name:
        return "invalid (empty) device name"
    if name[0] not in _ALPHANUMERIC:
        return f"invalid class {quoted(name)}, should start with a letter or digit"
    odd = _odd_character(name, allowed=_IN_DEVICE)
    if odd:
        return f"invalid character '{odd}' in device name {quoted(name)}"
    if name[-1] not in _ALPHANUMERIC:
        return f"invalid name {quoted(name)}, should end with a letter or digit"
    return ""


def _parts(text: str) -> tuple[str, str, str]:
    """Cut a name as ParseDevice does; what is not qualified is all device."""
    qualifier, equals, device = text.partition("=")
    if text.startswith("/") or not (equals and qualifier and device):
        return "", "", text
    vendor, device_class = split_kind(qualifier)
    return (vendor, device_class, device) if vendor else ("", "", text)


def _kind_part_refusal(name: str) -> str:
    if not name:
        return "empty name"
    if name[0] not in _LETTERS:
        return f"{quoted(name)}, should start with letter"
    odd = _odd_character(name, allowed=_IN_KIND)
    if odd:
        return f"invalid character '{odd}' in name {quoted(name)}"
    if name[-1] not in _ALPHANUMERIC:
        return f"{quoted(name)}, should end with a letter or digit"
    return ""


def _odd_character(name: str, *, allowed: frozenset[str]) -> str:
    """Find the first between the first and the last byte, which may be half a character."""
    inner = name.encode()[1:-1].decode(errors="replace")
    return next((character for character in inner if character not in allowed), "")
