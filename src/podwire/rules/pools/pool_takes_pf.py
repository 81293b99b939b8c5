"""A pool holds a whole PF, because the PF has no VFs.

What you see
    The node offers a device or a few more than nobody counted on. A pod
    that gets one takes the port away from the host, and from everybody who
    used it; ib-sriov refuses it with "PF device ... requires vfioPciMode to
    be enabled". host-device takes it, and where a network of the pool is of
    that type, whole ports are what it is for.

Why
    A PF with VFs is never listed, but one without is an ordinary function
    to the plugin, and a selector that only names the vendor fits it. That
    is so after a boot on which VFs were not created.

Fix
    Create the VFs before the plugin starts, or select what only VFs have:
    their id, or their PF's name.
"""

from collections.abc import Iterator

from podwire.facts.node import Function
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers import ib_sriov, pci_ids
from podwire.peers.sriovdp.records import Selector
from podwire.wire.networks.nads import needs_vfs, takes_ports
from podwire.wire.picture import Picture
from podwire.wire.pools.on_nodes import Found, PoolNode, found_at, pool_nodes, seen_at


def check(at: PoolNode, picture: Picture) -> Iterator[Finding]:
    """Look for PFs among the functions that the pool surely takes."""
    if takes_ports(at.resource, picture):
        return  # host-device and virtual machines take ports on purpose.
    offer = seen_at(at, picture)
    if offer is not None and not offer.is_any and at.pool.plugin.is_applied:
        return  # The node does not hand it out.
    found = found_at(at, picture, as_started=False).need()
    if found.value is None:
        return
    taken = [(f, s) for f, s in _taken(found.value, at) if pci_ids.can_have_vfs(f)]
    if not taken:
        return
    first = taken[0][0]
    meant = all(_is_meant(function, selector) for function, selector in taken)
    names = ", ".join(_name(function) for function, _ in taken[:3])
    more = f" and {len(taken) - 3} more" if len(taken) > 3 else ""
    yield Finding(
        severity=Severity.NOTE if meant else Severity.WARNING,
        message=f"pool {at.resource} on {at.node} takes PF {names}{more} whole: "
        f"{'it has' if len(taken) == 1 else 'they have'} no VFs",
        evidence=(
            Evidence(at=at.pool.place("selectors"), saw="fits the PF"),
            *(Evidence(at=f.place("sriov_numvfs"), saw=_count(f)) for f, _ in taken[:3]),
        ),
        sees=_sees(first, needs_vfs(at.resource, picture)),
        fix=(
            Fix(text="create VFs on it (sriov_numvfs), then restart the plugin's pod there"),
            Fix(
                text=f"select what VFs have: devices{_vf_id(first)}, or pfNames",
                breaks="pods that were given the whole port by intent get none",
            ),
        ),
        assumes=found.assumes,
        also=(at.node_ref.whole,),
        group=str(at.pool.ref) + at.pool.ref.part,
    )


def _sees(function: Function, types: tuple[str, ...]) -> str:
    """Say what its pods meet: by the CNI plugins of its networks, where those are in sight."""
    refusals = {
        ib_sriov.IB_SRIOV: f'ib-sriov refuses it: "PF device {function.address} requires '
        'vfioPciMode to be enabled"',
        ib_sriov.SRIOV: "sriov refuses it, for it looks for a VF",
    }
    refused = " and ".join(refusals[cni_type] for cni_type in types)
    if refused:
        return f"a pod that gets it stays in ContainerCreating: {refused}"
    return (
        "a pod that gets it takes the whole port, and the host loses its interface; ib-sriov and "
        "sriov refuse it"
    )


def _taken(found: Found, at: PoolNode) -> Iterator[tuple[Function, Selector]]:
    for address, index in found.pool.taken.items():
        yield found.filled.fates[address].function, at.pool.entry.selectors[index]


def _is_meant(function: Function, selector: Selector) -> bool:
    return str(function.address) in selector.pci_addresses or function.device_id in selector.devices


def _name(function: Function) -> str:
    names = f" ({function.netdevs[0].name})" if function.netdevs else ""
    return f"{function.address}{names}"


def _count(function: Function) -> str:
    return function.attributes.values.get("sriov_numvfs", "no virtfn*")


def _vf_id(function: Function) -> str:
    vf = pci_ids.vf_id_of(function.device_id)
    return f' ["{vf}"]' if vf else " by id"


RULE = Rule(
    id="PW707",
    slug="pool-takes-pf",
    title="Pool holds a whole PF",
    since="0.1",
    joint=Joint.POOL,
    refs=("sriov-network-device-plugin v3.11.0 pkg/netdevice/netDeviceProvider.go",),
    over=pool_nodes,
    check=check,
)
