"""Where ib-sriov's rdmaIsolation meets a node whose RDMA devices are shared."""

from collections.abc import Mapping

from podwire.facts.objects import Network
from podwire.model.evidence import Answer, Known, Place, Unknown, joined
from podwire.peers import ib_sriov
from podwire.peers.multus import Plugin
from podwire.wire.networks.links import may_run
from podwire.wire.networks.nads import config_of, pods_on
from podwire.wire.picture import Picture

_SHARED = "shared"


def isolating(nad: Network, picture: Picture) -> Plugin | None:
    """Give the plugin of a NAD that is told to move RDMA devices into pods."""
    config = config_of(nad, picture)
    main = config.main if config else None
    is_isolating = main and main.type == ib_sriov.IB_SRIOV and main.value("rdmaIsolation") is True
    return main if is_isolating else None


def shared_nodes(nad: Network, picture: Picture) -> Answer[Mapping[str, Place]]:
    """Give the nodes that share RDMA devices and may get pods of a NAD.

    Where no pod is in sight, all nodes have to share them: nobody knows where pods to come go.
    """
    pods = pods_on(nad, picture)
    modes = {
        name: files.rdma_mode
        for name, files in picture.facts.node_files.items()
        if not pods or any(may_run(pod, name, picture) for pod in pods)
    }
    known = {name: mode for name, mode in modes.items() if isinstance(mode, Known)}
    shared = {name: mode.places[0] for name, mode in known.items() if mode.value == _SHARED}
    if shared and (pods or len(shared) == len(modes)):
        return Known(value=shared)
    gaps = [mode for mode in modes.values() if isinstance(mode, Unknown)]
    if gaps or not modes:
        return joined(gaps or [_NO_MODE])
    return Known(value={})


_NO_MODE = Unknown(
    reason="whether nodes share RDMA devices (rdma system show) was not collected",
    give="rdma system show",
    fact="the mode of the RDMA subsystem of nodes",
)
