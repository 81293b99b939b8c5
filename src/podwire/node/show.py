"""`podwire node show`: read this machine, and nothing that takes long unless it is asked for."""

from collections.abc import Iterable, Mapping

import msgspec

from podwire.collect.glance import glance
from podwire.facts.hardware import Shown, ShownGpu
from podwire.facts.node import PCI, Function
from podwire.facts.sysfs_tree import functions_of
from podwire.model.evidence import Document, Known, Origin
from podwire.node.gpus import gpus_of
from podwire.node.holders import devices_of
from podwire.node.kubelet_checkpoint import given_devices, pod_names
from podwire.node.owners import owners_of
from podwire.node.reading import word_of
from podwire.node.shown import Beside, shown_machine
from podwire.peers.mstconfig import LINK_TYPES, read_settings
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.ports.machine import Processes
from podwire.ports.vf_links import VfLinks


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Where to look, and what costs more than sysfs.

    `links` answers link policies over netlink, `processes` walks through every process,
    `firmware` is what mstconfig printed. None: not asked for.
    """

    files: HostFs
    reserved: frozenset[str] | None = None
    links: VfLinks | None = None
    processes: Processes | None = None
    firmware: str | None = None


def show(asked: Asked, *, name: str) -> Shown:
    """Read the machine."""
    files = asked.files
    tree = glance(files)
    document = Document(name="", origin=Origin.NODE, owner=name)
    functions = functions_of(tree.values, links=tree.links, document=document, is_whole=True)
    gpus = gpus_of(files, reserved=asked.reserved)
    holders = _holders(asked, functions)
    return shown_machine(
        name,
        functions,
        gpus=tuple(_with_holders(gpu, holders, asked) for gpu in gpus),
        beside=Beside(
            paths=_paths(files, functions, gpus),
            holders={what: ", ".join(by) for what, by in holders.items()},
            policies=dict(_policies(functions, asked.links)),
            next_layers=_next_layers(asked.firmware or ""),
            owners={str(f.address): owners_of(files, f) for f in functions if not f.is_vf},
        ),
        kernel=word_of(files, "proc/sys/kernel/osrelease") or None,
    )


def _holders(asked: Asked, functions: Iterable[Function]) -> Mapping[str, tuple[str, ...]]:
    """Name holders by PCI address and GPU UUID; a pod's name, else its UID."""
    names = pod_names(asked.files)
    found: dict[str, list[str]] = {}
    for given in given_devices(asked.files):
        device = given.device.partition("::")[0]  # NVIDIA's plugin numbers shares of a GPU
        found.setdefault(device, []).append(f"pod {names.get(given.pod_uid, given.pod_uid)}")
    devices = devices_of(functions, asked.files) if asked.processes else {}
    for holding in asked.processes.holdings() if asked.processes else ():
        words = f"process {holding.pid} {holding.command}".strip()
        found.setdefault(str(devices.get(holding.what, holding.what)), []).append(words)
    return {what: tuple(dict.fromkeys(by)) for what, by in found.items()}


def _with_holders(gpu: ShownGpu, holders: Mapping[str, tuple[str, ...]], asked: Asked) -> ShownGpu:
    mine = (*holders.get(gpu.uuid, ()), *holders.get(f"nvidia{gpu.minor}", ()))
    looked = asked.processes is not None or bool(mine)
    return msgspec.structs.replace(gpu, holders=mine if looked else None)


def _paths(
    files: HostFs, functions: Iterable[Function], gpus: Iterable[ShownGpu]
) -> Mapping[str, str]:
    """Give the place of each PF and GPU in the tree of devices."""
    pfs = (str(f.address) for f in functions if not f.is_vf)
    found = {}
    for address in (*pfs, *(gpu.address or "" for gpu in gpus)):
        try:
            found[address] = files.readlink(f"{PCI}/{address}")
        except ReadFault:
            continue
    return found


def _policies(functions: Iterable[Function], links: VfLinks | None) -> Iterable[tuple[str, str]]:
    """Give each VF's policy: of OFED's file, else over netlink where that was asked for."""
    for pf in functions:
        if not pf.virtfns:
            continue
        answer = links.policies(pf.netdevs[0].name) if links and pf.netdevs else None
        told = answer.value if isinstance(answer, Known) else {}
        for index, vf in pf.virtfns:
            filed = pf.attributes.values.get(f"sriov/{index}/policy", "").strip().lower()
            policy = filed or told.get(index)
            if policy:
                yield str(vf), policy


def _next_layers(firmware: str) -> Mapping[str, str]:
    found = {}
    for settings in read_settings(firmware):
        address = settings.address
        setting = settings.get(settings.link_type_name(address)) if address else None
        if setting and setting.next_boot:
            layer = LINK_TYPES.get(setting.next_boot, setting.next_boot)
            found[str(address)] = layer
    return found
