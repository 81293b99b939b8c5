"""GUIDs that more than one port has, and whether those ports are in one subnet."""

from collections import defaultdict

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.model.names import Ref
from podwire.wire.fabric.managers import in_charge_at
from podwire.wire.fabric.ports import Port, infiniband_ports
from podwire.wire.picture import Picture


class Twins(msgspec.Struct, frozen=True):
    """Ports of different devices with one GUID, sorted by node and address."""

    guid: Guid
    ports: tuple[Port, ...]

    @property
    def ref(self) -> Ref:
        """The second: the first was there before."""
        return self.ports[1].ref

    @property
    def is_of_one_pf(self) -> bool:
        """All of them hang on one cable."""
        return len({(p.node, (p.pf or p.function).address) for p in self.ports}) == 1


def twins(picture: Picture) -> tuple[Twins, ...]:
    """Find the GUIDs that ports of different devices share."""
    by_guid: dict[Guid, dict[tuple[str, str], Port]] = defaultdict(dict)
    for port in infiniband_ports(picture):
        guid = _guid(port)
        if guid is not None and guid.is_set:
            by_guid[guid].setdefault((port.node, str(port.function.address)), port)
    return tuple(
        Twins(guid=guid, ports=tuple(ports[key] for key in sorted(ports)))
        for guid, ports in sorted(by_guid.items())
        if len(ports) > 1
    )


def is_one_subnet(of: Twins, picture: Picture) -> Answer[bool]:
    """Say whether the ports are in one subnet: one cable, or one subnet manager for all."""
    if of.is_of_one_pf:
        return Known(value=True)
    guids = {}
    for node in sorted({port.node for port in of.ports}):
        answer = in_charge_at(node, picture)
        if isinstance(answer, Unknown):
            return answer
        guids[node] = answer.value
    if len(guids) == 1:  # Rails of one machine may have subnets of their own.
        return Unknown(
            reason="whether the PFs of one machine are in one subnet",
            give="sminfo -C <device> of each PF",
            fact="the subnet of each PF",
        )
    return Known(value=len(set(guids.values())) == 1)


def _guid(port: Port) -> Guid | None:
    """Take the port's own GUID, else the device's: tools set both alike."""
    for answer in (port.port_guid, port.node_guid):
        if isinstance(answer, Known) and answer.value is not None and answer.value.is_set:
            return answer.value
    return None
