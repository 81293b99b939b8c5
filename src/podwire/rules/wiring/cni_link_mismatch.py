"""A network's CNI is for another link layer than its devices have.

What you see
    Pods that name the network stay in ContainerCreating: an Ethernet
    function has no GUID for ib-sriov, InfiniBand no MAC address for sriov.

Why
    ib-sriov is for InfiniBand, sriov for Ethernet. Which of the two a
    function is, its card's firmware decides for each port (LINK_TYPE);
    nothing else looks at it, unless the pool selects by linkTypes.

Fix
    Take the CNI of the link layer, or point the network to a resource of
    the other one.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known, Unknown, joined
from podwire.model.names import ResourceName
from podwire.peers import ib_sriov
from podwire.peers.multus import RESOURCE_NAME, Plugin
from podwire.wire.joined.fills import no_functions
from podwire.wire.joined.pods import resource_named_by
from podwire.wire.networks.links import fixed_layers, links_for
from podwire.wire.networks.nads import main_plugin, pods_on
from podwire.wire.networks.uses import pods_hang, use_of
from podwire.wire.picture import Picture

_REST = "everything else on that port"
_NAMES = {"infiniband": "InfiniBand", "ether": "Ethernet"}


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Compare the plugin's link layer with that of the pool, then of each node's devices."""
    plugin, resource = main_plugin(nad, picture), resource_named_by(nad)
    wanted = ib_sriov.device_link(plugin.type) if plugin else None
    if plugin is None or resource is None or wanted is None:
        return
    pools = picture.pools_of.get(resource, ())
    if not pools and resource not in picture.on_nodes:
        return  # Nothing makes it: that is a finding of its own.
    layers = [(pool, fixed_layers(pool)) for pool in pools]
    if pools and all(fixed and wanted not in fixed for _, fixed in layers):
        pool, fixed = layers[0]
        seen = (Evidence(at=pool.place(), saw=f"linkTypes {', '.join(sorted(fixed))}"),)
        yield _finding(nad, plugin, picture, where="by the pool's linkTypes", seen=seen)
    elif not pools or any(fixed != {wanted} for _, fixed in layers):
        yield from _on_nodes(nad, plugin, resource, picture)


def _on_nodes(
    nad: Network, plugin: Plugin, resource: ResourceName, picture: Picture
) -> Iterator[Finding]:
    wanted = ib_sriov.device_link(plugin.type)
    wrong: dict[str, tuple[Evidence, ...]] = {}
    found = links_for(pods := pods_on(nad, picture), resource, picture)
    for node, links in found.items():
        others = [o for o in links.value if o.layer != wanted] if isinstance(links, Known) else []
        if others:
            wrong[node] = tuple(
                Evidence(at=o.place, saw=f"{o.address} is {_NAMES[o.layer]}") for o in others[:2]
            )
    assumes = dict.fromkeys(x for a in found.values() if isinstance(a, Known) for x in a.assumes)
    if wrong and (pods or len(wrong) == len(found)):  # Nobody knows where pods to come go.
        seen = tuple(e for evidence in list(wrong.values())[:2] for e in evidence)
        names = ", ".join(list(wrong)[:3])
        finding = _finding(nad, plugin, picture, where=f"on {names}", seen=seen)
        yield replace(finding, assumes=tuple(assumes))
    else:
        gaps = [links for links in found.values() if isinstance(links, Unknown)]
        if gaps or not picture.node_names:
            joined(gaps or [no_functions()]).need()


def _finding(
    nad: Network, plugin: Plugin, picture: Picture, *, where: str, seen: tuple[Evidence, ...]
) -> Finding:
    resource, pods = resource_named_by(nad), pods_on(nad, picture)
    mine, theirs, other = "Ethernet", "InfiniBand", ib_sriov.IB_SRIOV
    says = "an error of sriov about the VF's address"
    if plugin.type == ib_sriov.IB_SRIOV:
        mine, theirs, other = theirs, mine, ib_sriov.SRIOV
        says = "VF ... GUID is not valid"
    return Finding(
        severity=Severity.ERROR if use_of(nad, picture).may_wait else Severity.WARNING,
        message=f"network {nad.ref.full_name} calls {plugin.type}, which is for {mine}, and its "
        f"resource {resource} has {theirs} devices {where}",
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:1]),
            Evidence(at=nad.place("spec", "config", inner=(*plugin.path, "type")), saw=plugin.type),
            Evidence(at=nad.place("metadata", "annotations", RESOURCE_NAME), saw=str(resource)),
            *seen,
        ),
        sees=f"{pods_hang(nad, picture)}: {says}",
        fix=(
            Fix(text=f"call {other}, or name a resource of {mine} devices"),
            Fix(text=f"set the port to {mine} (mstconfig LINK_TYPE_P1, cold boot)", breaks=_REST),
        ),
        also=tuple(pod.ref for pod in pods),
    )


RULE = Rule(
    id="PW112",
    slug="cni-link-mismatch",
    title="Network's CNI is for another link layer than its devices have",
    since="0.1",
    joint=Joint.CNI,
    refs=(
        "ib-sriov-cni v1.3.0 cmd/ib-sriov-cni/main.go cmdAdd",
        "sriov-cni v2.10.0 pkg/sriov/sriov.go ApplyVFConfig",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
)
