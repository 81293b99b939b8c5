"""Which resource was meant by a name that nothing makes: of a request, of a network."""

import msgspec

from podwire.facts.objects import Network
from podwire.model.evidence import Known, Path, Unknown
from podwire.model.names import ResourceName
from podwire.peers.multus import RESOURCE_NAME, near_miss_key
from podwire.wire.joined.made_names import only
from podwire.wire.joined.pods import WiredPod
from podwire.wire.joined.supply import NO_OTHER
from podwire.wire.picture import Picture


class UnreadResource(msgspec.Struct, frozen=True, gc=False):
    """A NAD's resource where Multus does not look: under a misspelt key, or among labels."""

    key: str
    path: Path
    value: str

    @property
    def is_label(self) -> bool:
        """It stands among the labels."""
        return "labels" in self.path


def unread_resource(nad: Network) -> UnreadResource | None:
    """Find the resource that a NAD names in vain."""
    for key, value in nad.metadata.annotations.items():
        if near_miss_key(key) == RESOURCE_NAME:
            return UnreadResource(key=key, path=("metadata", "annotations", key), value=value)
    if RESOURCE_NAME not in nad.metadata.labels:
        return None
    return UnreadResource(
        key=RESOURCE_NAME,
        path=("metadata", "labels", RESOURCE_NAME),
        value=nad.metadata.labels[RESOURCE_NAME],
    )


def meant_by(pod: WiredPod, resource: ResourceName, picture: Picture) -> ResourceName | None:
    """Say the same of a request, by its name or by what the pod's networks take in vain.

    The second only where the nodes were read: pools alone do not tell that nothing else (a
    GPU's plugin) makes what the pod requests.
    """
    near = picture.made_names.meant(resource)
    made = picture.makes(resource)
    if near is not None or isinstance(made, Unknown) or NO_OTHER in made.assumes:
        return near
    wanted = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    lacking = {r for r in wanted if r is not None and r not in pod.resources}
    return only([r for r in lacking if r.prefix == resource.prefix and r in picture.all_made])


def meant_by_network(nad: Network, picture: Picture) -> ResourceName | None:
    """Say which resource that something makes a NAD means by what it says, and wherever."""
    unread = unread_resource(nad)
    text = nad.metadata.annotations.get(RESOURCE_NAME) or (unread.value if unread else "")
    resource = ResourceName.maybe(text)
    if resource is None:
        return only([r for r in picture.made_names.named(text) if r in picture.pools_of])
    return resource if resource in picture.all_made else picture.made_names.meant(resource)


def candidates(
    nad: Network, pods: tuple[WiredPod, ...], picture: Picture
) -> tuple[ResourceName, ...]:
    """List what a NAD can mean: what it says comes first, and is all where its pods request it.

    Else what they request for networks, but for what another network of theirs means.
    """
    meant = meant_by_network(nad, picture)
    spare = _spare_resources(nad, pods, picture)
    if meant is None:
        return spare
    return (meant,) if meant in spare else (meant, *spare)


def _spare_resources(
    nad: Network, pods: tuple[WiredPod, ...], picture: Picture
) -> tuple[ResourceName, ...]:
    requested = {r for pod in pods for r in pod.resources if not pod.attaching(r)}
    networks = (a.network for pod in pods for a in pod.attachments)
    others = {n.value.ref: n.value for n in networks if isinstance(n, Known) and n.value}
    claimed = {meant_by_network(n, picture) for ref, n in others.items() if ref != nad.ref}
    ours = {r for r in requested - claimed if r in picture.network_resources}
    return tuple(sorted(r for r in ours if r in picture.all_made))
