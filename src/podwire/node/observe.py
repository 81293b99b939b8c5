"""What this machine has, read once: PFs, their VFs, and what stands in the way."""

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from podwire.collect.sysfs import read_tree
from podwire.facts.link_layer import IPOIB, link_layer_of
from podwire.facts.node import PCI, Function
from podwire.facts.sysfs_tree import functions_of
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.model.guids import Guid
from podwire.node.owners import owners_of
from podwire.node.reading import names_in, text_of, word_of
from podwire.peers.mstconfig import Settings, read_settings
from podwire.peers.pci_ids import MELLANOX
from podwire.plan.machine import Identity, Machine, Pf, Vf, Way
from podwire.ports.hostfs import HostFs
from podwire.ports.machine import KernelLog
from podwire.ports.vf_links import VfLinks

_DOWN = "1: DOWN"
# kernel/module/main.c: "%s: Unknown symbol %s (err %d)", "%s: version magic '%s' should be '%s'",
# "%s: disagrees about version of symbol %s".
_REFUSED = re.compile(
    r"(?P<module>[\w-]+): (?P<why>Unknown symbol \w+|version magic '.*' should be '.*'"
    r"|disagrees about version of symbol \w+)"
)


class Observed(msgspec.Struct, frozen=True):
    """The machine as the plan needs it, and the functions as they were read."""

    machine: Machine
    functions: tuple[Function, ...]


class Senses(msgspec.Struct, frozen=True):
    """Where to look; `links` and `log` are None for a copied root.

    `firmware` gives what mstconfig prints of some PFs; None: it is not asked.
    """

    files: HostFs
    links: VfLinks | None = None
    log: KernelLog | None = None
    firmware: Callable[[Iterable[PciAddress]], str] | None = None


def observe(senses: Senses, *, name: str) -> Observed:
    """Read the machine; link policies over netlink, where InfiniBand PFs have VFs."""
    files = senses.files
    tree = read_tree(files)
    document = Document(name="", origin=Origin.NODE, owner=name)
    functions = functions_of(tree.values, links=tree.links, document=document, is_whole=True)
    vfs = {f.address: f for f in functions if f.is_vf}
    reader = _PfReader(senses, vfs)
    pfs = tuple(reader.pf(f) for f in functions if _is_pf(f))
    is_incomplete = any(map(_lacks_something, pfs))
    machine = Machine(
        name=name,
        identity=Identity(
            id=word_of(files, "etc/machine-id"),
            product=word_of(files, "sys/class/dmi/id/product_uuid"),
        ),
        boot=word_of(files, "proc/sys/kernel/random/boot_id"),
        kernel=word_of(files, "proc/sys/kernel/osrelease"),
        modules=frozenset(
            line.split()[0] for line in (text_of(files, "proc/modules") or "").splitlines() if line
        ),
        module_kernels=_kernels_with(files, "mlx5_core") if is_incomplete else (),
        log=_refused(senses.log) if is_incomplete else (),
        pfs=pfs,
        others=tuple(vfs),
        firmware=_firmware(senses, pfs),
    )
    return Observed(machine=machine, functions=functions)


def _is_pf(function: Function) -> bool:
    values = function.attributes.values
    return not function.is_vf and (
        "sriov_totalvfs" in values or values.get("vendor", "").endswith(MELLANOX)
    )


def _firmware(senses: Senses, pfs: Iterable[Pf]) -> tuple[Settings, ...]:
    if senses.firmware is None:
        return ()
    return read_settings(senses.firmware(pf.address for pf in pfs if pf.vendor == MELLANOX))


def _lacks_something(pf: Pf) -> bool:
    is_mute = pf.is_infiniband and (pf.rdma is None or pf.way is Way.NONE)
    return pf.driver is None or is_mute


def _kernels_with(files: HostFs, module: str) -> tuple[str, ...]:
    folder = "lib/modules"
    return tuple(
        kernel
        for kernel in names_in(files, folder)
        if f"/{module}.ko" in (text_of(files, f"{folder}/{kernel}/modules.dep") or "")
    )


def _refused(log: KernelLog | None) -> tuple[str, ...]:
    found = (_REFUSED.search(line) for line in (log.lines() if log else ()))
    return tuple(f"{m['module'].replace('-', '_')}: {m['why']}" for m in found if m)


class _PfReader:
    def __init__(self, senses: Senses, vfs: Mapping[PciAddress, Function]) -> None:
        self._senses = senses
        self._vfs = vfs

    def pf(self, function: Function) -> Pf:
        values = function.attributes.values
        netdev = function.netdevs[0] if function.netdevs else None
        found = Pf(
            address=function.address,
            driver=function.driver,
            vendor=values.get("vendor", "").removeprefix("0x"),
            link_layer=link_layer_of(function),
            netdev=netdev.name if netdev else None,
            rdma=function.rdma[0].name if function.rdma else None,
            guid=_rdma_guid(function),
            total=_number(values.get("sriov_totalvfs")),
            count=_number(values.get("sriov_numvfs")) or 0,
            autoprobe=values.get("sriov_drivers_autoprobe"),
            way=self._way(function),
            is_elsewhere=netdev is None and self._has_empty_net(function),
            owners=owners_of(self._senses.files, function),
        )
        policies = self._policies(found, values)
        is_up = _state(function) not in {"", _DOWN}
        return msgspec.structs.replace(
            found,
            vfs=tuple(
                self._vf(n, vf, policy=policies(n), pf_is_up=is_up)
                for n, address in function.virtfns
                if (vf := self._vfs.get(address)) is not None
            ),
        )

    def _way(self, function: Function) -> Way:
        if any(d.attributes.values.get("type") == IPOIB for d in function.netdevs):
            return Way.NETLINK
        if self._senses.files.is_dir(f"{PCI}/{function.address}/sriov"):
            return Way.OFED
        return Way.NONE

    def _policies(self, pf: Pf, values: Mapping[str, str]) -> Callable[[int], Answer[str | None]]:
        """Give each VF's policy: of OFED's file, else of the PF's net device."""
        filed = {n: values.get(f"sriov/{n}/policy", "").lower() for n in range(pf.count)}
        if any(filed.values()):
            return lambda n: Known(value=filed.get(n) or None)
        links = self._senses.links
        if not pf.is_infiniband or not pf.count or pf.netdev is None:
            return lambda _: Unknown(reason="an Ethernet PF, or none of its VFs is there")
        if links is None:
            return lambda _: Unknown(reason="a copied root has no netlink")
        answer = links.policies(pf.netdev)
        if isinstance(answer, Unknown):
            return lambda _: answer
        return lambda n: Known(value=answer.value.get(n))

    def _has_empty_net(self, function: Function) -> bool:
        """The folder stays, and shows nothing, while the device is in another namespace."""
        return self._senses.files.is_dir(f"{PCI}/{function.address}/net")

    def _vf(
        self, index: int, function: Function, *, policy: Answer[str | None], pf_is_up: bool
    ) -> Vf:
        netdev = function.netdevs[0] if function.netdevs else None
        return Vf(
            index=index,
            address=function.address,
            driver=function.driver,
            node_guid=Known(value=_rdma_guid(function)),
            port_guid=Known(value=_port_guid(function)),
            policy=policy,
            mtu=_number(netdev.attributes.values.get("mtu")) if netdev else None,
            is_elsewhere=netdev is None and self._has_empty_net(function),
            is_down=pf_is_up and _state(function) == _DOWN,
        )


def _rdma_guid(function: Function) -> Guid | None:
    texts = (device.attributes.values.get("node_guid", "") for device in function.rdma)
    return next((guid for text in texts if (guid := Guid.maybe(text)) is not None), None)


def _port_guid(function: Function) -> Guid | None:
    for device in function.rdma:
        found = Guid.of_gid(device.attributes.values.get("ports/1/gids/0", ""))
        if found is not None:
            return found
    for netdev in function.netdevs:
        found = Guid.of_hardware_address(netdev.attributes.values.get("address", ""))
        if found is not None:
            return found
    return None


def _state(function: Function) -> str:
    states = (device.attributes.values.get("ports/1/state", "") for device in function.rdma)
    return next((state for state in states if state), "")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
