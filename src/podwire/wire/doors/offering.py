"""Whether the device plugin itself gives a GPU to whoever requests one."""

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.peers import hami
from podwire.peers.nvidia_plugin import GPU, physical
from podwire.wire.doors.records import Opening, Reserved, in_order
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.judging import names_of
from podwire.wire.gpu.records import PluginOnNode
from podwire.wire.gpu.registrants import Registrant
from podwire.wire.gpu.uses import own_use

# What the spec's `servedBy` names when podwire itself leaves reserved GPUs out.
_BY_PODWIRE = frozenset({"nvidia-plugin", "podwire-agent"})
_CLOSED: Known[Opening | None] = Known(value=None)

Found = Answer[Opening | None]


def by_the_plugin(gpus: Gpus, wanted: tuple[GpuUuid, ...], reserved: Reserved) -> Found:
    """Say which GPUs pods get by a plain request.

    What kubelet or HAMi was told comes first, then what a plugin sees in its own container.
    """
    node = gpus.node(reserved.node)
    told = _told_kubelet(gpus, reserved.node, wanted) or _told_hami(gpus, reserved.node, wanted)
    if told is not None:
        return told
    capacity = node.node.status.capacity if node.node else None
    if capacity is not None and str(capacity.get(str(GPU), "0")) == "0":
        return _CLOSED
    count = _number(capacity)
    cards = node.cards.value if isinstance(node.cards, Known) else ()
    for at in gpus.plugins.by_node.get(reserved.node, ()) if cards else ():
        if at.is_running and at.plugin.serves(GPU) and not at.plugin.is_hami:
            total = _total(at.plugin, cards)
            if count is None or (total is not None and count >= total):
                return _by_sight(gpus, at, wanted)
    if reserved.served_by in _BY_PODWIRE:
        return _CLOSED
    return Unknown(
        reason=f"which GPUs the device plugin of {reserved.node} offers",
        give="nodes/<node>/podresources-allocatable.json in a bundle",
        fact="which GPUs a device plugin offers",
    )


def _total(plugin: Registrant, cards: tuple[Card, ...]) -> int | None:
    """Count the units that a plugin would offer that leaves nothing out; None: not known."""
    if isinstance(plugin.settings, Unknown):
        return None
    settings = plugin.settings.value
    shares = (share.replicas for share in settings.shares if share.resource == str(GPU))
    return len(tuple(names_of(cards, GPU, settings))) * next(shares, 1)


def _number(capacity: "dict[str, str | int | float] | None") -> int | None:
    text = str((capacity or {}).get(str(GPU), ""))
    return int(text) if text.isdigit() else None


def _opening(plugin: str, gpus: tuple[GpuUuid, ...], places: tuple[Place, ...]) -> Found:
    if not gpus:
        return _CLOSED
    return Known(
        value=Opening(
            by=f"a request for {GPU}",
            through=plugin,
            gpus=gpus,
            opens=tuple((place, f"offered as {GPU}") for place in places),
        )
    )


def _told_kubelet(gpus: Gpus, node: str, wanted: tuple[GpuUuid, ...]) -> Found | None:
    """Read kubelet's own list of devices; None where nobody collected it, or it has no UUIDs."""
    files = gpus.node(node).files
    if files is None or isinstance(files.allocatable, Unknown):
        return None
    ids = [
        physical(each)
        for device in files.allocatable.value
        if device.resource_name.startswith(f"{GPU.prefix}/")
        for each in device.ids
    ]
    if not all(map(GpuUuid.maybe, ids)):
        return None
    found = in_order(wanted, filter(None, map(GpuUuid.maybe, ids)))
    return _opening("the device plugin", found, files.allocatable.places[:1])


def _told_hami(gpus: Gpus, name: str, wanted: tuple[GpuUuid, ...]) -> Found | None:
    """Read the list that HAMi's plugin keeps on the node, where it serves there."""
    node = gpus.node(name).node
    units = hami.registered(node.metadata.annotations) if node else None
    here = gpus.plugins.by_node.get(name, ())
    if node is None or units is None or not any(e.is_running and e.plugin.is_hami for e in here):
        return None
    found = in_order(wanted, filter(None, (GpuUuid.maybe(unit.uuid) for unit in units)))
    place = node.place("metadata", "annotations", hami.REGISTERED)
    return _opening("HAMi's device plugin", found, (place,))


def _by_sight(gpus: Gpus, at: PluginOnNode, wanted: tuple[GpuUuid, ...]) -> Found:
    """Say which of the GPUs a plugin finds in its own container, and so hands out."""
    if at.plugin.is_privileged:
        path = ("securityContext", "privileged")
        return _opening(at.plugin.text, wanted, (at.plugin.place(*path),))
    if at.pod is None or not at.own_view:
        return _CLOSED
    way = gpus.way(own_use(at.pod, at.own_view[0], at.node))
    if isinstance(way, Unknown):
        return way
    found = way.value.outcome.gpus if way.value.outcome else Known(value=())
    if isinstance(found, Unknown):
        return found
    own = at.plugin.own_list
    place = own.place if own else at.plugin.place("env")
    return _opening(at.plugin.text, in_order(wanted, found.value), (place,))
