"""What rules ask of a NAD: who uses it, what its CNI does without a device."""

import difflib
import enum

from podwire.facts.objects import Network
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers import ib_sriov
from podwire.peers.multus import CniConfig, Plugin, Unreadable, read_network_config
from podwire.wire.joined.images import IB_SRIOV
from podwire.wire.joined.pods import Attachment, WiredPod
from podwire.wire.picture import Picture


def config_of(nad: Network) -> CniConfig | None:
    """Read its CNI configuration; None where it cannot be read (a finding of its own)."""
    config = read_network_config(nad.spec.config)
    return config if isinstance(config, CniConfig) else None


def main_plugin(nad: Network) -> Plugin | None:
    """Give the plugin that makes the interface: the first of a chain."""
    config = config_of(nad)
    return config.plugins[0] if config else None


def needs_device(nad: Network) -> Answer[bool]:
    """Say whether its CNI refuses to work without a device."""
    if isinstance(read_network_config(nad.spec.config), Unreadable):
        return Known(value=False)  # It never comes so far: that is a finding of its own.
    plugin = main_plugin(nad)
    if plugin is None:
        return Unknown(reason=f"the CNI type of {nad.ref} cannot be read from spec.config")
    return ib_sriov.needs_device(plugin)


def pods_on(nad: Network, picture: Picture) -> tuple[WiredPod, ...]:
    """Give the pods and templates that name it and have not ended."""
    return picture.by_network.get((nad.metadata.namespace, nad.metadata.name), ())


class Use(enum.Enum):
    """Who uses a network."""

    WAITING = "pods that have yet to attach it, or nobody knows"
    ATTACHED = "pods that have it attached"
    NOBODY = "no pod"


def use_of(nad: Network, picture: Picture) -> Use:
    """Say who uses it; that nobody does needs all pods."""
    pods = pods_on(nad, picture)
    if pods:
        return Use.ATTACHED if all(p.is_attached for p in pods) else Use.WAITING
    return Use.NOBODY if picture.facts.pods.is_complete() else Use.WAITING


def network_resources(picture: Picture) -> frozenset[ResourceName]:
    """Give the resources that are for networks: a NAD names them or a pool of NICs makes them."""
    return picture.network_resources


def meant_resource(resource: ResourceName, picture: Picture) -> ResourceName | None:
    """Say which name that something makes was meant by one that nothing makes.

    The domain is what people guess; a slip of the name counts within one domain only.
    """
    made = sorted(picture.all_made - {resource})
    for other in made:
        if other.name == resource.name:
            return other
    beside = {other.name: other for other in made if other.prefix == resource.prefix}
    near = difflib.get_close_matches(resource.name, list(beside), n=1, cutoff=0.7)
    return beside[near[0]] if near else None


def meant_by(pod: WiredPod, resource: ResourceName, picture: Picture) -> ResourceName | None:
    """Say the same of a request, by its name or by what the pod's networks take in vain."""
    near = meant_resource(resource, picture)
    if near is not None:
        return near
    wanted = (a.resource.value for a in pod.attachments if isinstance(a.resource, Known))
    lacking = {r for r in wanted if r is not None and r not in pod.resources}
    beside = [r for r in lacking if r.prefix == resource.prefix and r in picture.all_made]
    return beside[0] if len(beside) == 1 else None


def no_device_sentence(nad: Network, picture: Picture) -> str:
    """Quote what its CNI says without a device: by version, else what all versions share."""
    plugin = main_plugin(nad)
    kind = plugin.type if plugin else ""
    sentence = ib_sriov.no_device_sentence(kind, picture.version(IB_SRIOV))
    if isinstance(sentence, Known):
        return f'FailedCreatePodSandBox, ending "{sentence.value}"'
    return f"FailedCreatePodSandBox, {ib_sriov.no_device_any(kind)}"


def spare_resources(pods: tuple[WiredPod, ...], picture: Picture) -> tuple[ResourceName, ...]:
    """List what is for networks and pods request, but attach to none."""
    requested = {r for pod in pods for r in pod.resources if not pod.attaching(r)}
    return tuple(sorted(requested & network_resources(picture)))


def no_device_event(attachment: Attachment, picture: Picture) -> str:
    """Quote the same for one network of a pod."""
    network = attachment.network
    if isinstance(network, Unknown) or network.value is None:
        return "FailedCreatePodSandBox"
    return no_device_sentence(network.value, picture)
