"""Which pod holds which function of a node, and since when."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.facts.node import Function, NetDevice, NodeFiles
from podwire.facts.workloads import PodView, Stage
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.model.versions import Version
from podwire.peers.multus import NETWORK_STATUS
from podwire.wire.joined.passed import functions_passed, passed_to
from podwire.wire.joined.pods import WiredPod


class Holder(msgspec.Struct, frozen=True, gc=False):
    """A function in a pod. `since` is the pod's start, RFC 3339, where it is known.

    `is_attached` tells that a CNI moved its net device into the pod. `resource` and
    `container` are known from PodResources, `network` from network-status, or from the order
    in which Multus passes devices on.
    """

    address: PciAddress
    pod: Ref
    since: str | None
    place: Place
    is_attached: bool = False
    network: str = ""
    container: str = ""
    resource: ResourceName | None = None


def holders_on(
    *, pods: Iterable[WiredPod], files: NodeFiles | None, multus: Answer[Version]
) -> Iterator[Holder]:
    """Gather holders: what network-status says of each, joined with kubelet's PodResources.

    `multus` is its version on the node.
    """
    alive = [p for p in pods if p.pod.stage is not Stage.OVER]
    attached = {holder.address: holder for pod in alive for holder in _by_status(pod)}
    starts = {(p.pod.namespace, p.pod.metadata.name): _start(p.pod) for p in alive}
    held = {h.address: h for h in _by_pod_resources(files, starts)}
    for address, holder in attached.items():
        known = held.get(address)
        if known is None:
            yield holder
        else:
            yield msgspec.structs.replace(
                holder, container=known.container, resource=known.resource
            )
    meant = {
        address: attachment.full_name
        for pod in alive
        for address, attachment in functions_passed(
            pod, passed_to(pod, files=files, version=multus)
        )
    }
    for address, holder in held.items():
        if address not in attached:
            yield msgspec.structs.replace(holder, network=meant.get(address, ""))


def _by_status(wired: WiredPod) -> Iterator[Holder]:
    pod = wired.pod
    for interface in wired.interfaces or ():
        if interface.pci_address is not None:
            yield Holder(
                address=interface.pci_address,
                pod=pod.ref,
                since=_start(pod),
                is_attached=True,
                network=interface.network,
                place=pod.place("metadata", "annotations", NETWORK_STATUS),
            )


def _start(pod: PodView) -> str | None:
    return pod.status.start_time if pod.status else None


def _by_pod_resources(
    files: NodeFiles | None, starts: Mapping[tuple[str, str], str | None]
) -> Iterator[Holder]:
    held = files.held if files else None
    if not isinstance(held, Known):
        return
    place = held.places[0]
    for entry in held.value:
        pod = Ref(kind="Pod", name=entry.name, namespace=entry.namespace)
        since = starts.get((entry.namespace, entry.name))
        for container in entry.containers:
            for device in container.devices:
                for address in filter(None, map(PciAddress.maybe, device.ids)):
                    yield Holder(
                        address=address,
                        pod=pod,
                        since=since,
                        place=place,
                        container=container.name,
                        resource=ResourceName.maybe(device.resource_name),
                    )


def away_at(started: str | None, *, holders: Iterable[Holder]) -> Answer[frozenset[PciAddress]]:
    """Give the functions whose net device was in a pod when a plugin started.

    Only pods that still run are in sight; one that held a function then and ended since is
    not known of, and its function is back on the host.
    """
    attached = [h for h in holders if h.is_attached]
    if attached and (started is None or any(h.since is None for h in attached)):
        return Unknown(
            reason="when the device plugin's container and the pods that hold VFs started",
            give="kubectl get pods -A -o json",
        )
    return Known(
        value=frozenset(
            h.address for h in attached if started and h.since is not None and h.since < started
        )
    )


def at_home(functions: tuple[Function, ...], *, holders: Iterable[Holder]) -> tuple[Function, ...]:
    """Give each VF that a pod has attached its net device back, as if no pod held one.

    A VF's port is its PF's, so the device is of the PF's kind.
    """
    held = {h.address for h in holders if h.is_attached}
    devices = {f.address: f.netdevs[0] for f in functions if f.netdevs}
    return tuple(
        msgspec.structs.replace(f, netdevs=(_like(devices[f.physfn]),))
        if f.address in held and not f.netdevs and f.physfn in devices
        else f
        for f in functions
    )


def _like(pf: NetDevice) -> NetDevice:
    return NetDevice(name=f"{pf.name} (a VF of it)", attributes=pf.attributes)
