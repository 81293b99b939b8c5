"""What `mstconfig -e query` prints: firmware settings by default, now, and at the next boot.

Source: mstflint 4.21.0 mlxconfig/mlxcfg_ui.cpp (queryDevCfg); outputs in public threads
(sriov-network-operator issue 492). A parameter that the card does not have has no line.
"""

import re
from collections.abc import Mapping

import msgspec

from podwire.model.addresses import PciAddress

SRIOV_EN = "SRIOV_EN"
NUM_OF_VFS = "NUM_OF_VFS"
LINK_TYPE = "LINK_TYPE_P{}"
INFINIBAND, ETHERNET = "1", "2"
LINK_TYPES: Mapping[str, str] = {INFINIBAND: "InfiniBand", ETHERNET: "Ethernet"}

# What people write in the spec, and what mlxconfig takes.
_WRITTEN = {"infiniband": INFINIBAND, "ib": INFINIBAND, "ethernet": ETHERNET, "eth": ETHERNET}
_DEVICE = re.compile(r"^Device:\s+(?P<device>\S+)", re.MULTILINE)
_HEAD = re.compile(r"^Configurations:(?P<columns>.*)$", re.MULTILINE)
_COLUMNS = re.compile(r"Default|Current|Next Boot")
_LINE = re.compile(r"^[*\s]*(?P<name>[A-Z][A-Z0-9_]+)\s+(?P<values>\S.*)$", re.MULTILINE)
_VALUE = re.compile(r"\S+\((?P<number>\d+)\)|\S+")
_SHORT_ADDRESS = re.compile(r"[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class Setting(msgspec.Struct, frozen=True, gc=False):
    """One parameter: numbers as text (`True(1)` is `1`). None: that column was not printed."""

    default: str | None
    current: str | None
    next_boot: str | None

    @property
    def is_pending(self) -> bool:
        """The next boot changes it."""
        return None not in {self.current, self.next_boot} and self.current != self.next_boot


class Settings(msgspec.Struct, frozen=True):
    """All parameters of one device; `device` as it was asked for."""

    device: str
    parameters: Mapping[str, Setting]

    @property
    def address(self) -> PciAddress | None:
        """Its PCI address; None where it was asked for by another name (/dev/mst/...)."""
        text = self.device.casefold()
        return PciAddress.maybe(f"0000:{text}" if _SHORT_ADDRESS.fullmatch(text) else text)

    def get(self, name: str) -> Setting | None:
        """Give a parameter; None: the card does not have it."""
        return self.parameters.get(name)

    def link_type_name(self, function: PciAddress) -> str:
        """Name the link type of a function's own port: 0000:18:00.1 is port 2 of a card of two."""
        number = int(str(function)[-1]) + 1
        return LINK_TYPE.format(number if number in self.ports else 1)

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports whose link type can be set: those of a single-port card are (1,)."""
        return tuple(n for n in (1, 2) if LINK_TYPE.format(n) in self.parameters)


def link_type_number(written: str) -> str | None:
    """Give the number of a link type by its name, in any case; None: there is none so called."""
    return _WRITTEN.get(written.lower())


def read_settings(text: str) -> tuple[Settings, ...]:
    """Read the blocks of all devices; what is no such output gives none."""
    starts = [*_DEVICE.finditer(text)]
    ends = [*(match.start() for match in starts), len(text)][1:]
    return tuple(
        _of_device(start["device"], text[start.end() : end])
        for start, end in zip(starts, ends, strict=True)
    )


def _of_device(device: str, block: str) -> Settings:
    head = _HEAD.search(block)
    if head is None:
        return Settings(device=device, parameters={})
    columns = _COLUMNS.findall(head["columns"])
    found = {}
    for line in _LINE.finditer(block, head.end()):
        values = [match["number"] or match[0] for match in _VALUE.finditer(line["values"])]
        if len(values) >= len(columns):
            by = dict(zip(columns, values, strict=False))
            found[line["name"]] = Setting(
                default=by.get("Default"),
                current=by.get("Current"),
                next_boot=by.get("Next Boot"),
            )
    return Settings(device=device, parameters=found)
