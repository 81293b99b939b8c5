"""Who holds a VF: a namespace, a process with its device open, a pod that kubelet gave it to."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from podwire.facts.node import PCI, Function
from podwire.model.addresses import PciAddress
from podwire.node.kubelet_checkpoint import CHECKPOINT, Given, pod_names, read_checkpoint
from podwire.node.observe import Observed
from podwire.plan.machine import Machine
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.ports.machine import Processes

_OTHERS = "other users' processes were not looked into: a VF may be held; root sees all"
_UNREADABLE = f"/{CHECKPOINT} cannot be read: a pod may hold a VF"


def with_holders(
    observed: Observed, vfs: Iterable[PciAddress], *, files: HostFs, processes: Processes
) -> Machine:
    """Find the holders of these VFs; this walks through every process."""
    wanted = {*vfs}
    functions = [f for f in observed.functions if f.address in wanted]
    given = read_checkpoint(files)
    found: dict[PciAddress, list[str]] = defaultdict(list)
    for address, holder in (
        *_by_process(functions, files, processes),
        *_by_pod(given or (), files, processes),
    ):
        if address in wanted and holder not in found[address]:
            found[address].append(holder)
    for pf in observed.machine.pfs:
        for vf in pf.vfs:
            if vf.address in wanted and vf.is_elsewhere and not found[vf.address]:
                found[vf.address].append("a network namespace (no process of it was found)")
    holders = {address: tuple(by) for address, by in found.items() if by}
    unseen = (
        *(() if processes.are_all_seen() else (_OTHERS,)),
        *((_UNREADABLE,) if given is None else ()),
    )
    return msgspec.structs.replace(observed.machine, holders=holders, unseen_holders=unseen)


def _by_process(
    functions: Sequence[Function], files: HostFs, processes: Processes
) -> Iterator[tuple[PciAddress, str]]:
    devices = devices_of(functions, files)
    for holding in processes.holdings():
        process = f"process {holding.pid}" + (f" {holding.command}" if holding.command else "")
        address = devices.get(holding.what)
        if address is not None:
            yield address, f"{process}, which has /dev/{holding.what} open"
        elif holding.netns and PciAddress.is_one(holding.what):
            yield (
                PciAddress(text=holding.what),
                f"network namespace {holding.netns} ({process})",
            )


def devices_of(functions: Iterable[Function], files: HostFs) -> Mapping[str, PciAddress]:
    """Map character devices to the function they belong to."""
    found: dict[str, PciAddress] = {}
    for function in functions:
        for device in function.rdma:
            found |= {f"infiniband/{node}": function.address for node in device.char_nodes}
        try:
            group = files.readlink(f"{PCI}/{function.address}/iommu_group")
        except ReadFault:
            continue
        found[f"vfio/{group.rpartition('/')[2]}"] = function.address
    return found


def _by_pod(
    every: Iterable[Given], files: HostFs, processes: Processes
) -> Iterator[tuple[PciAddress, str]]:
    """Name pods of kubelet's checkpoint; it keeps pods that have ended: theirs need a process."""
    given = [g for g in every if PciAddress.is_one(g.device)]
    running = processes.pods() if given else frozenset()
    names = pod_names(files) if given else {}
    for one in given:
        if one.pod_uid in running:
            pod = names.get(one.pod_uid, one.pod_uid)
            yield (
                PciAddress(text=one.device),
                f"pod {pod} as {one.resource} (kubelet's checkpoint)",
            )
