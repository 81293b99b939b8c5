"""Ports of PFs and VFs on all nodes: state, GUID, link policy, and whose VF each is."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.link_layer import INFINIBAND
from podwire.facts.node import Function, NodeFiles, RdmaDevice
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.guids import Guid
from podwire.model.names import Ref
from podwire.peers.infiniband_diags import IbstatPort, ibstat
from podwire.wire.picture import Picture

_POLICIES = {"auto": "Follow", "enable": "Up", "disable": "Down"}
_LINKS = re.compile(r"^\d+: (?P<device>[^:@]+)", re.MULTILINE)
_VF = re.compile(r"^\s*vf (?P<index>\d+) .*link-state (?P<state>auto|enable|disable)", re.MULTILINE)


class Port(msgspec.Struct, frozen=True):
    """One port of one RDMA device of a function.

    `pf`, its port `pf_port` and `index` are a VF's; the PF's port is None where it has none.
    """

    node: str
    function: Function
    device: RdmaDevice
    number: str
    pf: Function | None = None
    pf_port: "Port | None" = None
    index: int | None = None
    printed: IbstatPort | None = None
    printed_at: Place | None = None
    policies: Mapping[int, tuple[str, Place]] = {}

    @property
    def ref(self) -> Ref:
        """What findings call it: the function on its node."""
        kind = "VF" if self.function.is_vf else "PF"
        return Ref(kind=kind, name=f"{self.node}/{self.function.address}")

    @property
    def state(self) -> Answer[str | None]:
        """`ACTIVE`, `INIT`, `DOWN`: the SM's view of it."""
        return derived(
            self._or_printed(self.device.attributes.read(f"ports/{self.number}/state"), "State"),
            _word,
        )

    @property
    def phys_state(self) -> Answer[str | None]:
        """`LinkUp`, `Polling`, `Disabled`: what the cable says."""
        return derived(
            self._or_printed(
                self.device.attributes.read(f"ports/{self.number}/phys_state"), "Physical state"
            ),
            _word,
        )

    @property
    def link_layer(self) -> Answer[str | None]:
        """`InfiniBand` or `Ethernet`."""
        return self._or_printed(
            self.device.attributes.read(f"ports/{self.number}/link_layer"), "Link layer"
        )

    @property
    def is_infiniband(self) -> bool:
        """Whether it was read to be InfiniBand."""
        layer = self.link_layer
        return isinstance(layer, Known) and layer.value == INFINIBAND

    @property
    def node_guid(self) -> Answer[Guid | None]:
        """The device's GUID, all zero too."""
        return derived(self.device.attributes.read("node_guid"), _guid)

    @property
    def port_guid(self) -> Answer[Guid | None]:
        """The port's own, out of its first GID."""
        gid = self.device.attributes.read(f"ports/{self.number}/gids/0")
        if isinstance(gid, Known) and gid.value is not None:
            return derived(gid, lambda text: Guid.of_gid((text or "").strip()))
        if self.printed is not None and self.printed.guid is not None:
            return Known(value=self.printed.guid, places=self._printed_places())
        return derived(gid, lambda _: None)

    @property
    def policy(self) -> Answer[str | None]:
        """A VF's link policy: `Follow`, `Up` or `Down`.

        OFED's file of the PF tells, else `ip -d link show`; the kernel has no other.
        """
        if self.pf is None or self.index is None:
            return Known(value=None)
        given = self.pf.attributes.read(f"sriov/{self.index}/policy")
        if isinstance(given, Known) and given.value is not None:
            return derived(given, lambda text: (text or "").strip())
        if self.index in self.policies:
            policy, place = self.policies[self.index]
            return Known(value=policy, places=(place,))
        return Unknown(
            reason=f"the link policy of {self.ref} was not read",
            give="nodes/<node>/ip-link.txt (ip -d link show)",
            fact="the link policy of a VF",
        )

    def place(self, name: str) -> Place:
        """Name an attribute of the port."""
        return self.device.attributes.place(f"ports/{self.number}/{name}")

    def _or_printed(self, answer: Answer[str | None], printed: str) -> Answer[str | None]:
        """Take what sysfs says, else what ibstat printed."""
        if isinstance(answer, Known) and answer.value is not None:
            return answer
        if self.printed is not None and printed in self.printed.values:
            return Known(value=self.printed.values[printed], places=self._printed_places())
        return answer

    def _printed_places(self) -> tuple[Place, ...]:
        return (self.printed_at,) if self.printed_at else ()


def _word(text: str | None) -> str | None:
    """Drop the number of `4: ACTIVE`; ibstat writes `Active`."""
    if text is None:
        return None
    word = text.rpartition(":")[2].strip()
    known = {"active": "ACTIVE", "initializing": "INIT", "down": "DOWN", "armed": "ARMED"}
    return known.get(word.casefold(), word)


def _guid(text: str | None) -> Guid | None:
    return Guid.maybe((text or "").strip())


def ports(picture: Picture) -> tuple[Port, ...]:
    """List all ports of all nodes whose functions were read."""
    return tuple(
        port
        for name in sorted(picture.facts.node_files)
        for port in ports_of(picture.facts.node_files[name])
    )


def infiniband_ports(picture: Picture) -> tuple[Port, ...]:
    """List those that are InfiniBand."""
    return tuple(port for port in ports(picture) if port.is_infiniband)


def vf_ports(picture: Picture) -> tuple[Port, ...]:
    """List those of VFs on InfiniBand."""
    return tuple(port for port in infiniband_ports(picture) if port.function.is_vf)


def ports_of(files: NodeFiles) -> Iterator[Port]:
    """List the ports of one node, those of PFs first."""
    if isinstance(files.functions, Unknown):
        return
    functions = {f.address: f for f in files.functions.value}
    reader = _Reader(files)
    firsts: dict[PciAddress, Port] = {}
    for function in functions.values():
        if not function.is_vf:
            for port in reader.ports(function):
                firsts.setdefault(function.address, port)
                yield port
    indexes = {address: (pf, index) for pf in functions.values() for index, address in pf.virtfns}
    for function in functions.values():
        if function.is_vf:
            pf, index = indexes.get(function.address, (None, None))
            yield from reader.ports(
                function, pf=pf, index=index, pf_port=firsts.get(pf.address) if pf else None
            )


class _Reader:
    def __init__(self, files: NodeFiles) -> None:
        self._node = files.name
        self._printed, self._printed_at = _printed(files)
        self._policies = _policies(files)

    def ports(
        self,
        function: Function,
        *,
        pf: Function | None = None,
        index: int | None = None,
        pf_port: Port | None = None,
    ) -> Iterator[Port]:
        device_of_pf = pf.netdevs[0].name if pf and pf.netdevs else ""
        for device in function.rdma:
            for number in _numbers(device):
                yield Port(
                    node=self._node,
                    function=function,
                    device=device,
                    number=number,
                    pf=pf,
                    pf_port=pf_port,
                    index=index,
                    printed=self._printed.get((device.name, number)),
                    printed_at=self._printed_at,
                    policies=self._policies.get(device_of_pf, {}),
                )


def _numbers(device: RdmaDevice) -> tuple[str, ...]:
    """Give the port numbers that were read; a VF's device has one."""
    found = {n.split("/")[1] for n in device.attributes.values if n.startswith("ports/")}
    return tuple(sorted(found)) or ("1",)


def _printed(files: NodeFiles) -> tuple[Mapping[tuple[str, str], IbstatPort], Place | None]:
    file = files.files.get("ibstat.txt")
    if file is None:
        return {}, None
    every = {(port.device, port.number): port for port in ibstat(file.text)}
    return every, Place(document=file.document)


def _policies(files: NodeFiles) -> Mapping[str, Mapping[int, tuple[str, Place]]]:
    """Read `ip -d link show`: the VFs of a PF stand below it, each with its link state."""
    file = files.files.get("ip-link.txt")
    if file is None:
        return {}
    place = Place(document=file.document)
    found: dict[str, dict[int, tuple[str, Place]]] = {}
    heads = [*_LINKS.finditer(file.text)]
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        block = file.text[head.end() : after.start() if after else None]
        found[head["device"]] = {
            int(vf["index"]): (_POLICIES[vf["state"]], place) for vf in _VF.finditer(block)
        }
    return found
