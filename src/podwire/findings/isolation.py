"""What is said where RDMA devices are to be moved into pods in a way that does not work."""

from collections.abc import Iterator

import msgspec

from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Fix
from podwire.peers import ib_sriov
from podwire.wire.networks.isolation import isolating, shared_nodes
from podwire.wire.networks.nads import config_of
from podwire.wire.picture import Picture

_SAYS = (
    "RDMA subsystem namespace awareness mode is set to shared, expecting it to be set to "
    "exclusive, invalid system configurations"
)
_FIXES = (
    Fix(
        text="boot the nodes with ib_core.netns_mode=0",
        breaks="pods that share RDMA devices, without a device of their own",
    ),
    Fix(text="drop rdmaIsolation", breaks="pods see the RDMA devices of all"),
)


class Refused(msgspec.Struct, frozen=True):
    """What a plugin refuses of a network; `says` are its words, where they are known."""

    message: str
    evidence: tuple[Evidence, ...]
    says: str
    fix: tuple[Fix, ...]


def isolation_refused(nad: Network, picture: Picture) -> Iterator[Refused]:
    """Look for rdma behind ib-sriov, and for rdmaIsolation on nodes that share RDMA devices."""
    yield from _chained(nad, picture)
    plugin = isolating(nad, picture)
    shared = shared_nodes(nad, picture).need().value if plugin else {}
    if plugin and shared:
        place = nad.place("spec", "config", inner=(*plugin.path, "rdmaIsolation"))
        yield Refused(
            message=f"ib-sriov refuses rdmaIsolation of network {nad.ref.full_name} on "
            f"{', '.join([*shared][:3])}, where RDMA devices are shared",
            evidence=(
                Evidence(at=place, saw="true"),
                *(Evidence(at=at, saw="netns shared") for at in [*shared.values()][:2]),
            ),
            says=_SAYS,
            fix=_FIXES,
        )


def _chained(nad: Network, picture: Picture) -> Iterator[Refused]:
    """Look for rdma in the chain: rdma-cni gave up working with ib-sriov (its pull request 21)."""
    config = config_of(nad, picture)
    is_infiniband = config is not None and config.main.type == ib_sriov.IB_SRIOV
    for plugin in config.plugins[1:] if config and is_infiniband else ():
        if plugin.type == "rdma":
            place = nad.place("spec", "config", inner=(*plugin.path, "type"))
            yield Refused(
                message=f"network {nad.ref.full_name} chains rdma behind ib-sriov: moving the RDMA "
                "device takes away the interface that ib-sriov has just set up",
                evidence=(Evidence(at=place, saw="rdma"),),
                says="",
                fix=(Fix(text="drop rdma from the chain and set rdmaIsolation: true of ib-sriov"),),
            )
