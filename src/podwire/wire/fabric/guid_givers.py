"""Who gives VFs their GUID and link state at attach: then a free VF may have none."""

from collections.abc import Iterator

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Unknown, derived
from podwire.model.names import Ref, ResourceName
from podwire.peers.ib_sriov import IB_SRIOV
from podwire.peers.multus import CniConfig, Plugin
from podwire.wire.fabric.offered import resources_of
from podwire.wire.picture import Picture

_RAISED = frozenset({"auto", "enable"})


def gives_guids(picture: Picture) -> Answer[bool]:
    """Say whether ib-kubernetes hands out GUIDs when a pod is attached.

    Known only where networks were given.
    """
    return derived(
        picture.facts.networks.all_given(),
        lambda _: any(bool(p.value("ibKubernetesEnabled")) for _, p in _attaching(picture)),
    )


def raises_links(picture: Picture) -> Answer[bool]:
    """Say whether every ib-sriov network in sight sets the link state itself."""
    return derived(
        picture.facts.networks.all_given(), lambda _: is_attached(picture) and _all_raise(picture)
    )


def raises_link(vf: PciAddress, node: str, picture: Picture) -> Answer[bool]:
    """Say whether every ib-sriov network that can attach a VF sets the link state itself.

    Where some do and others do not, it depends on the pool that the VF is in.
    """
    every = raises_links(picture)
    is_mixed = len({_is_raised(plugin) for _, plugin in _attaching(picture)}) > 1
    if isinstance(every, Unknown) or not is_mixed:
        return every
    return derived(resources_of(vf, node, picture), lambda found: _is_raised_by(found, picture))


def _is_raised_by(resources: frozenset[ResourceName], picture: Picture) -> bool:
    """A VF that no network attaches is raised by all of them."""
    mine = {nad.ref for name in resources for nad in picture.networks_of.get(name, ())}
    return all(_is_raised(plugin) for ref, plugin in _attaching(picture) if ref in mine)


def is_attached(picture: Picture) -> bool:
    """Say whether any network in sight attaches VFs by ib-sriov."""
    return next(_attaching(picture), None) is not None


def _all_raise(picture: Picture) -> bool:
    return all(_is_raised(plugin) for _, plugin in _attaching(picture))


def _is_raised(plugin: Plugin) -> bool:
    return str(plugin.value("link_state") or "") in _RAISED


def _attaching(picture: Picture) -> Iterator[tuple[Ref, Plugin]]:
    for network in picture.facts.networks.items:
        cni = picture.cni(network)
        if isinstance(cni, CniConfig) and cni.main.type == IB_SRIOV:
            yield network.ref, cni.main
