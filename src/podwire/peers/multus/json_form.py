"""The long form of the networks annotation: a JSON list of objects.

Source: multus-cni v4.3.0 pkg/types/types.go NetworkSelectionElement, pkg/k8sclient
parsePodNetworkAnnotation. Types are looked at two levels deep.
"""

import ipaddress
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Path
from podwire.peers.go_json import (
    Fields,
    Kind,
    Misfit,
    NotJson,
    Object,
    Value,
    fields_of,
    kind_of,
    parse,
    written,
)
from podwire.peers.multus.selection import Selection, Unreadable

_SAYS = (
    "parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation "
    "JSON format: "
)
_LIST = "a list of objects: "


class _Field(msgspec.Struct, frozen=True, gc=False):
    """How Go names the type of a field, and that of the elements of a list."""

    kind: Kind
    go: str
    go_of: str = ""


_TEXT = _Field(Kind.STRING, "string")
_FIELDS: Mapping[str, _Field] = {
    "name": _TEXT,
    "namespace": _TEXT,
    "ips": _Field(Kind.STRINGS, "[]string", "string"),
    "mac": _TEXT,
    "infiniband-guid": _TEXT,
    "interface": _TEXT,
    "interfaceRequest": _TEXT,
    "portMappings": _Field(Kind.OBJECTS, "[]*types.PortMapEntry", "types.PortMapEntry"),
    "bandwidth": _Field(Kind.MAP, "types.BandwidthEntry"),
    "deviceID": _TEXT,
    "cni-args": _Field(Kind.MAP, "map[string]interface {}"),
    "default-route": _Field(Kind.STRINGS, "[]net.IP", "net.IP"),
}
_KINDS = {name: field.kind for name, field in _FIELDS.items()}


def read_json_form(value: str, *, namespace: str) -> tuple[Selection, ...] | Unreadable:
    """Read every element; the first that has a wrong type makes the whole unreadable."""
    try:
        tree = parse(value)
    except NotJson as error:
        return refused(_SAYS, str(error), at=error.at, hint=_quote_hint(value))
    if not isinstance(tree, list):
        reason = (
            f"json: cannot unmarshal {kind_of(tree)} into Go value of type "
            "[]*types.NetworkSelectionElement"
        )
        hint = _LIST + "wrap it in [ ]" if isinstance(tree, Object) else _plain_hint(tree)
        return refused(_SAYS, reason, path=(), hint=hint)
    found: list[Selection] = []
    for index, element in enumerate(tree):
        read = _read_element(element, index=index, namespace=namespace)
        if isinstance(read, Unreadable):
            return read
        found.append(read)
    return tuple(found)


def refused(
    says: str, reason: str, *, path: Path | None = None, at: int | None = None, hint: str = ""
) -> Unreadable:
    """Put together what Multus says."""
    return Unreadable(message=says + reason, reason=reason, path=path, at=at, hint=hint)


def _quote_hint(value: str) -> str:
    if "'" in value and '"' not in value:
        return "JSON takes double quotes"
    if value.lstrip()[:1] not in {"[", "{"}:
        return "names alone take no quotes, and a JSON list begins with ["
    return ""


def _plain_hint(tree: Value) -> str:
    return "names alone take no quotes" if isinstance(tree, str) else f'{_LIST}[{{"name": ...}}]'


def _read_element(element: Value, *, index: int, namespace: str) -> Selection | Unreadable:
    if element is None:
        reason = "runtime error: invalid memory address or nil pointer dereference"
        return refused("", reason, path=(index,), hint="remove the null")
    if not isinstance(element, Object):
        reason = (
            f"json: cannot unmarshal {kind_of(element)} into Go value of type "
            "types.NetworkSelectionElement"
        )
        is_name = isinstance(element, str)
        hint = f'{_LIST}[{{"name": {written(element)}}}]' if is_name else _LIST[:-2]
        return refused(_SAYS, reason, path=(index,), hint=hint)
    fields = fields_of(element, _KINDS)
    fault = _fault_in(fields, path=(index,))
    if fault is not None:
        return fault
    return Selection(
        index=index,
        name=fields.text("name"),
        namespace=fields.text("namespace") or namespace,
        # interfaceRequest is the old name of interface; Multus takes it where that is empty.
        interface=fields.text("interface") or fields.text("interfaceRequest"),
        device_id=fields.text("deviceID"),
        guid=fields.text("infiniband-guid"),
        mac=fields.text("mac"),
        ips=fields.texts("ips"),
        gateways=fields.texts("default-route"),
        path=(index,),
        text=written(element),
    )


def _fault_in(fields: Fields, *, path: Path) -> Unreadable | None:
    for wrong in fields.misfits:
        return _wrong(wrong, path=path)
    for at, item in enumerate(fields.texts("default-route")):
        if item and not is_ip(item):
            return refused(
                _SAYS,
                f"invalid IP address: {item}",
                path=(*path, fields.written("default-route"), at),
                hint="addresses without a prefix length",
            )
    return None


def _wrong(wrong: Misfit, *, path: Path) -> Unreadable:
    # Go names the key as its struct has it, not as it was written.
    field = _FIELDS[wrong.name]
    wanted = field.go_of if wrong.is_element else field.go
    return refused(
        _SAYS,
        f"json: cannot unmarshal {kind_of(wrong.value)} into Go struct field "
        f"NetworkSelectionElement.{wrong.name} of type {wanted}",
        path=(*path, *wrong.path),
        hint=f"{wrong.key} takes {_TAKES.get(wanted, wanted)}",
    )


_TAKES = {
    "string": "text",
    "[]string": "a list of texts",
    "[]net.IP": "a list of addresses",
    "net.IP": "an address",
}


def is_ip(text: str) -> bool:
    """Say whether Go's net.ParseIP takes it: no zone, no prefix length."""
    if "%" in text:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
