"""What the plugin found on the host when it started, as far as today's sysfs tells.

The plugin looks once, at its start; sysfs was collected later. What a card is (ids, PF, VFs,
driver, names) is taken not to have changed between the two. A net device or an RDMA device
comes and goes with pods, so for those

- a function that a pod held at the start had no net device on the host, whatever sysfs shows;
- a net device that sysfs shows, of a function that no pod held then, was there;
- one that sysfs does not show may be in a pod that came later: Unknown, unless the driver
  never makes one, or the function is a PF with VFs, which no pod gets.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from podwire.facts.node import Function, NetDevice
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown, joined
from podwire.model.versions import Table, Version, by_version

# Drivers that hand a function to user space: no net device, no RDMA device, no devlink.
USERSPACE: Final = frozenset({"vfio-pci", "uio_pci_generic", "igb_uio"})

# netlink's encapsulation types by ARPHRD number (linux include/uapi/linux/if_arp.h).
_LINK_TYPES: Final[Mapping[str, str]] = {"1": "ether", "32": "infiniband"}

# pkg/devices/gen_net.go NewGenNetDevice takes the PF's link type since #479.
LINK_TYPE_OF_PF: Final[Table[bool]] = Table(
    component="sriov-network-device-plugin",
    newest="v3.11.0",
    rows=(("v3.0.0", False), ("v3.6.0", True)),
)

# pkg/devices/rdma.go IsRdma asks devlink's enable_rdma where there is no RDMA device, since
# #603 (October 2024). v3.7.0 is older; of v3.8.x it was not established, so it counts as maybe.
DEVLINK_COUNTS: Final[Table[bool]] = Table(
    component="sriov-network-device-plugin",
    newest="v3.11.0",
    rows=(("v3.0.0", False), ("v3.8.0", True)),
)

MODE_UNKNOWN: Final = Unknown(
    reason="the network namespace mode of RDMA was not collected", give="rdma system show"
)


class Possible(msgspec.Struct, frozen=True):
    """Values one of which was there; `why` says what would tell which.

    `is_open`: it may also have been a value that is not among them.
    """

    values: tuple[str, ...]
    why: Unknown | None = None
    is_open: bool = False


NO_NAME: Final = Possible(values=("",))


class Start(msgspec.Struct, frozen=True):
    """The node at the plugin's start: its functions, who was away, and what decides the rest.

    `indexes` numbers each VF as its PF does; `pf_names` are those of the PFs with VFs.
    """

    functions: Mapping[PciAddress, Function]
    indexes: Mapping[PciAddress, int]
    pf_names: Mapping[PciAddress, Possible]
    away: frozenset[PciAddress]
    version: Answer[Version]
    rdma_mode: Answer[str] = MODE_UNKNOWN


def start_of(
    functions: Iterable[Function],
    *,
    away: frozenset[PciAddress],
    version: Answer[Version],
    rdma_mode: Answer[str] = MODE_UNKNOWN,
) -> Start:
    """Index the functions of a node once."""
    by_address = {function.address: function for function in functions}
    return Start(
        functions=by_address,
        indexes={vf: i for function in by_address.values() for i, vf in function.virtfns},
        pf_names={
            function.address: _names_of(function, away=away)
            for function in by_address.values()
            if function.virtfns
        },
        away=away,
        version=version,
        rdma_mode=rdma_mode,
    )


def pf_of(function: Function, start: Start) -> Answer[Function | None]:
    """Find the PF; None: the function is no VF."""
    if function.physfn is None:
        return Known(value=None)
    pf = start.functions.get(function.physfn)
    if pf is None:
        return Unknown(reason=f"{function.physfn} of node {function.node} was not collected")
    return Known(value=pf)


def index_of(function: Function, start: Start) -> Answer[int]:
    """Number the VF as its PF does; -1: the function is no VF, or its PF lacks it."""
    pf = pf_of(function, start)
    if isinstance(pf, Unknown):
        return pf
    return Known(value=start.indexes.get(function.address, -1))


def pf_names(function: Function, start: Start) -> Possible:
    """Name the PF's net device; "" for none.

    A function that is no VF has no PF name, its own does not count: pkg/utils/utils.go
    GetPfName, the same at 7e7aad9 (before v3.6.0) and at 1daca46 (after it).
    """
    if function.physfn is None:
        return NO_NAME
    found = start.pf_names.get(function.physfn)
    if found is not None:
        return found
    pf = pf_of(function, start)
    if isinstance(pf, Unknown):
        return Possible(values=(), why=pf, is_open=True)
    return NO_NAME if pf.value is None else _names_of(pf.value, away=start.away)


def _names_of(pf: Function, *, away: frozenset[PciAddress]) -> Possible:
    ports = _ports(pf, away=away)
    if len(ports) < 2:
        return Possible(values=tuple(port.name for port in ports)) if ports else NO_NAME
    why = Unknown(
        reason=f"{pf.address} of node {pf.node} has several net devices, and its eswitch "
        "mode, which decides whose name counts, was not collected",
        give=f"devlink dev eswitch show pci/{pf.address}",
    )
    return Possible(values=tuple(port.name for port in ports), why=why)


def link_types(function: Function, start: Start) -> Possible:
    """Give the link type of the function's net device, or of its PF's in its place."""
    device = net_device(function, start)
    if isinstance(device, Known) and device.value is not None:
        return _possible((_link_type(device.value),), why=())
    of_pf = _link_type_of_pf(function, start)
    from_pf = by_version(start.version, LINK_TYPE_OF_PF)
    may: list[Answer[str]] = []
    if isinstance(device, Unknown):
        # A VF's port is its PF's: a net device out of sight has the link type of the PF.
        may.append(of_pf if function.is_vf else device)
    if isinstance(from_pf, Unknown) or from_pf.value:
        may.append(of_pf)
    if isinstance(from_pf, Unknown) or not from_pf.value:
        may.append(Known(value=""))
    return _possible(may, why=(a for a in (device, from_pf) if isinstance(a, Unknown)))


def net_device(function: Function, start: Start) -> Answer[NetDevice | None]:
    """Find the net device that the plugin saw on the host."""
    if function.address in start.away or function.driver in USERSPACE:
        return Known(value=None)
    if function.netdevs:
        return Known(value=function.netdevs[0])
    if function.virtfns:
        return Known(value=None)
    return _came_and_went(function, "net")


def has_rdma(function: Function, start: Start) -> Answer[bool]:
    """Tell whether the plugin took the function for one with an RDMA device."""
    had = rdma_device(function, start)
    if isinstance(had, Known) and (had.value or function.driver in USERSPACE):
        return had
    asks = by_version(start.version, DEVLINK_COUNTS)
    if isinstance(asks, Known) and not asks.value:
        return had
    if isinstance(asks, Unknown) and isinstance(had, Unknown):
        return joined((had, asks))
    return Unknown(
        reason=f"{function.address} of node {function.node} had no RDMA device on the host, "
        "and devlink's parameter enable_rdma, which can stand for one, was not collected"
        if isinstance(had, Known)
        else had.reason,
        give=f"devlink dev param show pci/{function.address} name enable_rdma",
    )


def rdma_device(function: Function, start: Start) -> Answer[bool]:
    """Tell whether the RDMA device was on the host: it leaves only in exclusive mode."""
    here, is_back = bool(function.rdma), bool(function.netdevs)
    if function.driver in USERSPACE:
        return Known(value=False)
    if isinstance(start.rdma_mode, Known) and start.rdma_mode.value == "shared":
        return Known(value=here)
    if function.address in start.away:
        # Back on the host with its net device: in exclusive mode it was away as well.
        return _returned(function) if here and is_back else Known(value=here)
    if here or is_back:
        return Known(value=here)
    return _came_and_went(function, "infiniband")


def _returned(function: Function) -> Unknown:
    return Unknown(
        reason=f"{function.address} of node {function.node} was in a pod when the device plugin "
        "started; in exclusive RDMA mode its RDMA device was too",
        give=MODE_UNKNOWN.give,
    )


def _came_and_went(function: Function, folder: str) -> Unknown:
    return Unknown(
        reason=f"/{function.attributes.folder}/{folder} of node {function.node} has nothing in "
        "it now; whether it had when the device plugin started, was not collected",
        give="the plugin pod's log since its start",
    )


def _ports(pf: Function, *, away: frozenset[PciAddress]) -> tuple[NetDevice, ...]:
    """List the net devices that may give a PF its name; IPoIB knows no eswitch mode."""
    if pf.address in away:
        return ()
    types = {device.attributes.values.get("type", "").strip() for device in pf.netdevs}
    return pf.netdevs[:1] if "32" in types else pf.netdevs


def _link_type_of_pf(function: Function, start: Start) -> Answer[str]:
    pf = pf_of(function, start)
    if isinstance(pf, Unknown):
        return pf
    ports = () if pf.value is None else _ports(pf.value, away=start.away)
    return _link_type(ports[0]) if ports else Known(value="")


def _link_type(device: NetDevice) -> Answer[str]:
    number = device.attributes.read("type")
    if isinstance(number, Unknown):
        return number
    found = _LINK_TYPES.get((number.value or "").strip())
    if found is None:
        return Unknown(reason=f"podwire does not know net device type {number.value}")
    return Known(value=found)


def _possible(may: Iterable[Answer[str]], *, why: Iterable[Unknown]) -> Possible:
    values: dict[str, None] = {}
    unread: list[Unknown] = []
    for answer in may:
        if isinstance(answer, Unknown):
            unread.append(answer)
        else:
            values[answer.value] = None
    if not unread and len(values) < 2:
        return Possible(values=tuple(values))
    return Possible(values=tuple(values), why=joined(unread or why), is_open=bool(unread))
