"""Where a function shows what a selector's key asks for."""

from collections.abc import Mapping
from typing import Final

from podwire.facts.node import Function
from podwire.model.evidence import Place
from podwire.peers.sriovdp.start import Start

_FILES: Final[Mapping[str, str]] = {
    "vendors": "vendor",
    "devices": "device",
    "drivers": "driver",
    "acpiIndexes": "acpi_index",
    "rootDevices": "physfn",
    "linkTypes": "net",
    "pKeys": "infiniband",
    "isRdma": "infiniband",
}


def place_of(key: str, function: Function, start: Start) -> Place:
    """Name the place where the function shows what a key asks for."""
    pf = start.functions.get(function.physfn) if function.physfn else None
    name = _FILES.get(key)
    if name is not None:
        return function.place(name)
    return pf.place("net") if key == "pfNames" and pf is not None else function.place()
