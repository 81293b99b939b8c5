"""The annotation `k8s.v1.cni.cncf.io/networks`: what it asks Multus to attach.

Source: multus-cni v4.3.0 pkg/k8sclient/k8sclient.go parsePodNetworkAnnotation, GetPodNetwork.
"""

import ipaddress
import re
from collections.abc import Iterator

from podwire.model.evidence import Path
from podwire.peers.multus.comma_form import read_comma_form
from podwire.peers.multus.json_form import is_ip, read_json_form, refused
from podwire.peers.multus.selection import Selection, Selections, Unreadable

_JSON_SIGNS = frozenset('[{"')

# What Go's net.ParseMAC takes: 6, 8 or 20 octets in one of three ways of writing.
_HARDWARE = re.compile(
    r"(?:[0-9a-f]{2}(?P<sign>[:-])(?:[0-9a-f]{2}(?P=sign)){4}(?:(?:[0-9a-f]{2}(?P=sign)){2}"
    r"|(?:[0-9a-f]{2}(?P=sign)){14})?[0-9a-f]{2}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}"
    r"(?:\.[0-9a-f]{4})?|[0-9a-f]{4}(?:\.[0-9a-f]{4}){9})",
    re.IGNORECASE,
)
_CIDR = re.compile(r"(?P<address>[^/]+)/(?P<bits>[0-9]{1,3})")


def read_networks(value: str, *, namespace: str) -> Selections | Unreadable:
    """Read an annotation as Multus does for a pod of this namespace.

    Nothing at all selects nothing. An item without a name is refused when its network is
    looked up, so white space alone, or a comma too many, fails the pod.
    """
    if not value:
        return Selections()
    is_json = not _JSON_SIGNS.isdisjoint(value)
    read = read_json_form if is_json else read_comma_form
    items = read(value, namespace=namespace)
    if isinstance(items, Unreadable):
        return items
    for item in items:
        fault = _nameless(item, value) or next(_value_faults(item), None)
        if fault is not None:
            return fault
    return _two_routes(items) or Selections(items=items, form="json" if is_json else "comma")


def _two_routes(items: tuple[Selection, ...]) -> Unreadable | None:
    """Find a second default route of a family in the pod; no address counts as IPv6.

    Source: multus-cni v4.3.0 pkg/types/conf.go CheckGatewayConfig.
    """
    seen: set[bool] = set()
    for item in items:
        for gateway in item.gateways:
            if (is_v4 := _is_v4(gateway)) in seen:
                family = "IPv4" if is_v4 else "IPv6"
                return refused(
                    "",
                    "multus does not support ECMP for default-route",
                    path=(*(item.path or ()), "default-route"),
                    hint=f"one {family} default-route for the whole pod",
                )
            seen.add(is_v4)
    return None


def _is_v4(text: str) -> bool:
    if not text:
        return False
    address = ipaddress.ip_address(text)
    return isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped is not None


def _nameless(selection: Selection, value: str) -> Unreadable | None:
    if selection.name:
        return None
    # It is read, and then not found: getKubernetesDelegate asks the API for an empty name.
    reason = f"cannot find a network-attachment-definition () in namespace ({selection.namespace})"
    if selection.path is not None:
        return refused("", reason, path=selection.path, hint="name is missing")
    if not value.strip():
        return refused("", reason, at=0, hint="remove the annotation, or name a network")
    at = _start_of_item(value, selection.index)
    return refused("", reason, at=at, hint="a comma too many, or a name is missing")


def _start_of_item(value: str, index: int) -> int:
    return sum(len(part) + 1 for part in value.split(",")[:index])


def _value_faults(selection: Selection) -> Iterator[Unreadable]:
    path = selection.path or ()
    says = "parsePodNetworkAnnotation: failed to "
    if selection.mac and not _HARDWARE.fullmatch(selection.mac):
        reason = f"address {selection.mac}: invalid MAC address"
        yield refused(f"{says}mac: ", reason, path=(*path, "mac"))
    if selection.guid and not _HARDWARE.fullmatch(selection.guid):
        yield refused(
            f"{says}validate infiniband GUID: ",
            f"address {selection.guid}: invalid MAC address",
            path=(*path, "infiniband-guid"),
            hint="eight octets: 02:00:00:00:00:00:00:01",
        )
    for at, ip in enumerate(selection.ips):
        where: Path = (*path, "ips", at)
        if "/" in ip and not _is_cidr(ip):
            says_ip = f'failed to parse CIDR "{ip}": '
            yield refused(says_ip, f"invalid CIDR address: {ip}", path=where)
        elif "/" not in ip and not is_ip(ip):
            yield refused("", f'failed to parse IP address "{ip}"', path=where)


def _is_cidr(text: str) -> bool:
    found = _CIDR.fullmatch(text)
    if found is None or not is_ip(found["address"]):
        return False
    return int(found["bits"]) <= ipaddress.ip_address(found["address"]).max_prefixlen
