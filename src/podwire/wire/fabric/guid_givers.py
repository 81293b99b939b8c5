"""Who gives VFs their GUID and link state at attach: then a free VF may have none."""

from collections.abc import Iterator

from podwire.model.evidence import Answer, derived
from podwire.peers.ib_sriov import IB_SRIOV
from podwire.peers.multus import CniConfig, Plugin
from podwire.wire.picture import Picture

_RAISED = frozenset({"auto", "enable"})


def gives_guids(picture: Picture) -> Answer[bool]:
    """Say whether ib-kubernetes hands out GUIDs when a pod is attached.

    Known only where networks were given.
    """
    return derived(
        picture.facts.networks.all_given(),
        lambda _: any(bool(p.value("ibKubernetesEnabled")) for p in _attaching(picture)),
    )


def raises_links(picture: Picture) -> Answer[bool]:
    """Say whether every ib-sriov network in sight sets the link state itself."""
    return derived(
        picture.facts.networks.all_given(),
        lambda _: bool(states := _link_states(picture)) and states <= _RAISED,
    )


def is_attached(picture: Picture) -> bool:
    """Say whether any network in sight attaches VFs by ib-sriov."""
    return next(_attaching(picture), None) is not None


def _link_states(picture: Picture) -> frozenset[str]:
    return frozenset(str(p.value("link_state") or "") for p in _attaching(picture))


def _attaching(picture: Picture) -> Iterator[Plugin]:
    for network in picture.facts.networks.items:
        cni = picture.cni(network)
        if isinstance(cni, CniConfig) and cni.main.type == IB_SRIOV:
            yield cni.main
