"""The long form of the networks annotation: a JSON list of objects.

Source: multus-cni v4.3.0 pkg/types/types.go NetworkSelectionElement, pkg/k8sclient
parsePodNetworkAnnotation. Types are looked at two levels deep.
"""

import ipaddress
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Path
from podwire.peers.multus.go_json import NotJson, decode, decode_list, kind_of
from podwire.peers.multus.selection import Selection, Unreadable

_SAYS = (
    "parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation "
    "JSON format: "
)
_LIST = "a list of objects: "


class _Field(msgspec.Struct, frozen=True, gc=False):
    """What Go expects under a key; `of` is the kind of the elements of a list."""

    attribute: str
    kind: str
    go: str
    of: str = ""
    go_of: str = ""


_FIELDS: Mapping[str, _Field] = {
    "name": _Field("name", "string", "string"),
    "namespace": _Field("namespace", "string", "string"),
    "ips": _Field("ips", "array", "[]string", "string", "string"),
    "mac": _Field("mac", "string", "string"),
    "infiniband-guid": _Field("guid", "string", "string"),
    "interface": _Field("interface", "string", "string"),
    "interfacerequest": _Field("old_interface", "string", "string"),
    "portmappings": _Field("", "array", "[]*types.PortMapEntry", "object", "types.PortMapEntry"),
    "bandwidth": _Field("", "object", "types.BandwidthEntry"),
    "deviceid": _Field("device_id", "string", "string"),
    "cni-args": _Field("cni_args", "object", "map[string]interface {}"),
    "default-route": _Field("gateways", "array", "[]net.IP", "string", "net.IP"),
}


def read_json_form(value: str, *, namespace: str) -> tuple[Selection, ...] | Unreadable:
    """Read every element; the first that has a wrong type makes the whole unreadable."""
    try:
        tree = decode(value)
    except NotJson as error:
        return Unreadable(message=f"{_SAYS}{error}", at=error.at, hint=_quote_hint(value))
    if not isinstance(tree, list):
        return Unreadable(
            message=f"{_SAYS}json: cannot unmarshal {kind_of(tree)} into Go value of type "
            "[]*types.NetworkSelectionElement",
            path=(),
            hint=_LIST + "wrap it in [ ]" if isinstance(tree, dict) else _plain_hint(tree),
        )
    found: list[Selection] = []
    for index, (element, text) in enumerate(zip(tree, decode_list(value), strict=True)):
        read = _read_element(element, index=index, text=text, namespace=namespace)
        if isinstance(read, Unreadable):
            return read
        found.append(read)
    return tuple(found)


def _quote_hint(value: str) -> str:
    if "'" in value and '"' not in value:
        return "JSON takes double quotes"
    if value.lstrip()[:1] not in {"[", "{"}:
        return "names alone take no quotes, and a JSON list begins with ["
    return ""


def _plain_hint(tree: object) -> str:
    return "names alone take no quotes" if isinstance(tree, str) else f'{_LIST}[{{"name": ...}}]'


def _read_element(
    element: object, *, index: int, text: str, namespace: str
) -> Selection | Unreadable:
    if element is None:
        return Unreadable(
            message="runtime error: invalid memory address or nil pointer dereference",
            path=(index,),
            hint="remove the null",
        )
    if not isinstance(element, dict):
        return Unreadable(
            message=f"{_SAYS}json: cannot unmarshal {kind_of(element)} into Go value of type "
            "types.NetworkSelectionElement",
            path=(index,),
            hint=f'{_LIST}[{{"name": {text}}}]' if isinstance(element, str) else _LIST[:-2],
        )
    given: dict[str, object] = {}
    for key, value in element.items():
        field = _FIELDS.get(key.casefold())
        if field is None or value is None:
            continue
        fault = _type_fault(field, value, key=key, path=(index, key))
        if fault is not None:
            return fault
        given[field.attribute] = _without_nulls(value) if isinstance(value, list) else value
    return _selection(given, index=index, text=text, namespace=namespace, unread=_unread(element))


def _without_nulls(items: list[object]) -> tuple[object, ...]:
    return tuple("" if item is None else item for item in items)


def _unread(element: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(key for key in element if key.casefold() not in _FIELDS)


def _selection(
    given: Mapping[str, object],
    *,
    index: int,
    text: str,
    namespace: str,
    unread: tuple[str, ...],
) -> Selection:
    known = {k: v for k, v in given.items() if k in Selection.__struct_fields__ and v != ""}
    # interfaceRequest is the old name of interface; Multus still takes it where that is empty.
    known.setdefault("interface", given.get("old_interface", ""))
    defaults = {"name": "", "namespace": namespace}
    rest = {"index": index, "path": (index,), "text": text, "unread": unread}
    return msgspec.convert({**defaults, **known, **rest}, Selection)


def _type_fault(field: _Field, value: object, *, key: str, path: Path) -> Unreadable | None:
    if kind_of(value) != field.kind:
        return _wrong(kind_of(value), field.go, key=key, path=path)
    if not isinstance(value, list) or not field.of:
        return None
    for at, item in enumerate(value):
        if item is not None and kind_of(item) != field.of:
            return _wrong(kind_of(item), field.go_of, key=key, path=(*path, at))
        if field.go_of == "net.IP" and item and not is_ip(str(item)):
            return Unreadable(
                message=f"{_SAYS}invalid IP address: {item}",
                path=(*path, at),
                hint="addresses without a prefix length",
            )
    return None


def _wrong(kind: str, wanted: str, *, key: str, path: Path) -> Unreadable:
    return Unreadable(
        message=f"{_SAYS}json: cannot unmarshal {kind} into Go struct field "
        f"NetworkSelectionElement.{_TAGS.get(key.casefold(), key.casefold())} of type {wanted}",
        path=path,
        hint=f"{key} takes {_KINDS.get(wanted, wanted)}",
    )


# Go names the key as its struct has it, not as it was written.
_TAGS = {
    "deviceid": "deviceID",
    "interfacerequest": "interfaceRequest",
    "portmappings": "portMappings",
}
_KINDS = {
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
