"""Network functions in the output of `lspci -nn`, which lists all of a machine's."""

import re
from collections.abc import Iterator

import msgspec

from podwire.model.addresses import PciAddress

_LINE = re.compile(
    r"(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) "
    r"[^\[]*\[(?P<kind>02[0-9a-f]{2})\]:"
    r"(?P<text>.*)\[(?P<vendor>[0-9a-f]{4}):(?P<device>[0-9a-f]{4})\]",
    re.IGNORECASE,
)
_INFINIBAND = "0207"
_VF = "Virtual Function"


class Listed(msgspec.Struct, frozen=True, gc=False):
    """One network function; `line` counts from 1."""

    address: PciAddress
    vendor: str
    device: str
    is_infiniband: bool
    is_vf: bool
    line: int


def network_functions(text: str) -> Iterator[Listed]:
    """Read every line of PCI class 02; others are no network functions."""
    for number, line in enumerate(text.split("\n"), start=1):
        match = _LINE.match(line.strip())
        if match is None:
            continue
        address = match["address"].lower()
        yield Listed(
            address=PciAddress.parse(address if address.count(":") > 1 else f"0000:{address}"),
            vendor=match["vendor"].lower(),
            device=match["device"].lower(),
            is_infiniband=match["kind"] == _INFINIBAND,
            is_vf=_VF in match["text"],
            line=number,
        )
