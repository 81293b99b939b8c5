"""What rules ask of a NAD: who names it, what its CNI does without a device."""

from podwire.facts.objects import Network
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers import ib_sriov
from podwire.peers.multus import CniConfig, Plugin
from podwire.wire.joined import cnis
from podwire.wire.joined.images import IB_SRIOV
from podwire.wire.joined.pods import Attachment, WiredPod
from podwire.wire.picture import Picture

_HOST_DEVICE = "host-device"


def config_of(nad: Network, picture: Picture) -> CniConfig | None:
    """Give its CNI configuration; None where it cannot be read (a finding of its own)."""
    config = picture.cni(nad)
    return config if isinstance(config, CniConfig) else None


def main_plugin(nad: Network, picture: Picture) -> Plugin | None:
    """Give the plugin that makes the interface: the first of a chain."""
    config = config_of(nad, picture)
    return config.main if config else None


def needs_device(nad: Network, picture: Picture) -> Answer[bool]:
    """Say whether its CNI refuses to work without a device."""
    return cnis.needs_device(nad.ref, picture.cni(nad))


def pods_on(nad: Network, picture: Picture) -> tuple[WiredPod, ...]:
    """Give the pods and templates that name it and have not ended."""
    return picture.by_network.get(nad.ref, ())


def takes_ports(resource: ResourceName, picture: Picture) -> bool:
    """Tell whether a network takes whole ports of a resource, and none needs a VF.

    host-device moves any function; ib-sriov takes a PF for virtual machines alone.
    """
    takes = [_takes_ports(nad, picture) for nad in picture.networks_of.get(resource, ())]
    return True in takes and False not in takes


def needs_vfs(resource: ResourceName, picture: Picture) -> tuple[str, ...]:
    """Name the CNI plugins that the networks of a resource use and that refuse a PF."""
    nads = (n for n in picture.networks_of.get(resource, ()) if _takes_ports(n, picture) is False)
    plugins = (main_plugin(nad, picture) for nad in nads)
    return tuple(sorted({plugin.type for plugin in plugins if plugin}))


def _takes_ports(nad: Network, picture: Picture) -> bool | None:
    """Say whether a network takes a PF; None where podwire does not know its CNI plugin."""
    plugin = main_plugin(nad, picture)
    if plugin is None or plugin.type not in {ib_sriov.IB_SRIOV, ib_sriov.SRIOV, _HOST_DEVICE}:
        return None
    is_for_machines = plugin.type == ib_sriov.IB_SRIOV and bool(plugin.value("vfioPciMode"))
    return plugin.type == _HOST_DEVICE or is_for_machines


def no_device_sentence(nad: Network, picture: Picture) -> str:
    """Quote what its CNI says without a device: by version, else what all versions share."""
    plugin = main_plugin(nad, picture)
    kind = plugin.type if plugin else ""
    sentence = ib_sriov.no_device_sentence(kind, picture.version(IB_SRIOV))
    if isinstance(sentence, Known):
        return f'FailedCreatePodSandBox, ending "{sentence.value}"'
    return f"FailedCreatePodSandBox, {ib_sriov.no_device_any(kind)}"


def no_device_event(attachment: Attachment, picture: Picture) -> str:
    """Quote the same for one network of a pod."""
    network = attachment.network
    if isinstance(network, Unknown) or network.value is None:
        return "FailedCreatePodSandBox"
    return no_device_sentence(network.value, picture)
