"""What `sminfo` and `ibstat` print of a subnet and of a machine's ports.

Source: infiniband-diags 44 (rdma-core infiniband-diags/sminfo.c, ibstat.c); the tests read
what both print in a simulated subnet.
"""

import re

import msgspec

from podwire.model.guids import Guid

_SMINFO = re.compile(
    r"sminfo: sm lid (?P<lid>\d+) sm guid (?P<guid>0x[0-9a-f]+), activity count \d+ "
    r"priority (?P<priority>\d+) state (?P<state>\d+) (?P<name>SMINFO_\w+)"
)
_CA = re.compile(r"CA '(?P<name>[^']+)'")
_PORT = re.compile(r"Port (?P<number>\d+):")


class SmInfo(msgspec.Struct, frozen=True, gc=False):
    """The subnet manager that answered: its port, and `SMINFO_MASTER` or `SMINFO_STANDBY`."""

    lid: int
    guid: Guid
    priority: int
    state: str

    @property
    def is_master(self) -> bool:
        """It is the one in charge."""
        return self.state == "SMINFO_MASTER"


class IbstatPort(msgspec.Struct, frozen=True, gc=False):
    """One port of one RDMA device; values as printed: `Active`, `LinkUp`, `0x...`."""

    device: str
    number: str
    values: dict[str, str]

    @property
    def guid(self) -> Guid | None:
        """Its port GUID."""
        return Guid.maybe(self.values.get("Port GUID", ""))


def sminfo(text: str) -> SmInfo | None:
    """Read the line of `sminfo`; None where it prints an error instead."""
    match = _SMINFO.search(text)
    if match is None:
        return None
    return SmInfo(
        lid=int(match["lid"]),
        guid=Guid.parse(match["guid"]),
        priority=int(match["priority"]),
        state=match["name"],
    )


def ibstat(text: str) -> tuple[IbstatPort, ...]:
    """Read the blocks of `ibstat`, one a port."""
    ports: list[IbstatPort] = []
    device = ""
    for line in map(str.strip, text.splitlines()):
        if match := _CA.fullmatch(line):
            device = match["name"]
        elif match := _PORT.fullmatch(line):
            ports.append(IbstatPort(device=device, number=match["number"], values={}))
        elif ports and ports[-1].device == device and ": " in line:
            key, _, value = line.partition(": ")
            ports[-1].values[key] = value
    return tuple(ports)
