"""The pieces of one pod's wire with their real names: networks, then each resource."""

from collections.abc import Iterator

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.multus import CniConfig, Unreadable
from podwire.present.lines import counted, wrapped
from podwire.present.subjects import natural
from podwire.present.trace_devices import offered, own_devices, pool_devices
from podwire.present.trace_gpus import gpu_lines
from podwire.wire.joined.pods import Attachment, WiredPod
from podwire.wire.picture import Picture

_LABEL = 10
_MOST_NODES = 3


def piece_lines(pod: WiredPod, *, picture: Picture) -> Iterator[str]:
    """Draw every attachment, then everything behind each resource."""
    yield "  networks"
    if isinstance(pod.networks, Unreadable):
        yield from _labelled("?", [f"cannot be read: {pod.networks.message}"])
    elif not pod.attachments:
        yield from _labelled("none", [""])
    for attachment in pod.attachments:
        yield from _labelled(attachment.interface, [_attachment(attachment)])
    for resource in _resources(pod):
        yield from wrapped(_resource(resource, pod), first="  ", rest="    ")
        yield from _behind(resource, pod, picture)


def _labelled(label: str, texts: list[str]) -> Iterator[str]:
    """Put a label before the first text; one that is long has a line of its own."""
    indent = " " * (4 + _LABEL)
    start = f"    {label:<{_LABEL}}"
    if len(start) > len(indent):
        yield from wrapped(start)
        start = indent
    for index, text in enumerate(texts):
        yield from wrapped(text, first=start if index == 0 else indent, rest=indent + "  ")


def _attachment(attachment: Attachment) -> str:
    name = attachment.full_name
    if isinstance(attachment.network, Unknown):
        return f"{name}: {attachment.network.reason}"
    if attachment.network.value is None:
        return f"{name}, which does not exist"
    resource = attachment.resource
    wanted = resource.value if isinstance(resource, Known) else None
    return f"{name}, CNI {_cni(attachment)}, {wanted or 'takes no device'}"


def _cni(attachment: Attachment) -> str:
    config = attachment.cni
    value = config.value if isinstance(config, Known) else None
    if isinstance(value, Unreadable):
        return f"cannot be read ({value.message})"
    if isinstance(value, CniConfig):
        return " + ".join(value.types)
    return "in a file of the node"


def _resources(pod: WiredPod) -> list[ResourceName]:
    """Give what networks ask for, in their order, then what is requested beside them."""
    asked = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    return list(dict.fromkeys((*filter(None, asked), *sorted(pod.resources))))


def _resource(resource: ResourceName, pod: WiredPod) -> str:
    asking = len(pod.attaching(resource))
    ask = f", {counted(asking, 'network')} {'asks' if asking == 1 else 'ask'} for it"
    return f"{resource}: {pod.demand(resource)} requested{ask if asking else ''}"


def _behind(resource: ResourceName, pod: WiredPod, picture: Picture) -> Iterator[str]:
    pools = picture.pools_of.get(resource, ())
    if pools:
        made = [f"entry {pool.entry.index} of {pool.text.owner}" for pool in pools]
        yield from _labelled("pool", made)
    elif pod.attaching(resource):
        yield from _labelled("pool", ["none in sight makes it"])
    nodes, doubt = _nodes(pod, picture)
    offers = [offered(resource, node, picture=picture) for node in nodes]
    yield from _labelled("node", [*doubt, *offers])
    for label, texts in gpu_lines(pod, resource, picture=picture):
        yield from _labelled(label, texts)
    own = list(own_devices(pod, resource, picture=picture))
    others = (t for node in nodes for t in pool_devices(pools, node, picture=picture))
    yield from _labelled("VF", own or (list(others) if pools else []))


def _nodes(pod: WiredPod, picture: Picture) -> tuple[list[str], list[str]]:
    """Give the nodes to show, and what to say about those that are not shown."""
    if pod.pod.spec.node_name:
        return [pod.pod.spec.node_name], []
    candidates = picture.candidates(pod.pod)
    names = sorted(candidates.names, key=natural)
    doubt = [] if candidates.rest is None else [f"perhaps others: {candidates.rest.reason}"]
    if not names and not doubt:
        doubt = ["none may take the pod"]
    if len(names) > _MOST_NODES:
        doubt.append(f"{len(names)} may take the pod; the first {_MOST_NODES}:")
    return names[:_MOST_NODES], doubt
