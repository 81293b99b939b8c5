"""A network calls a CNI plugin that no node has, mostly a misspelt one.

What you see
    Pods that name the network stay in ContainerCreating. The event
    FailedCreatePodSandBox ends with "failed to find plugin ... in path".

Why
    The type in spec.config is the name of a program in the folder of CNI
    plugins on each node. The programs are called ib-sriov and sriov, not
    like the projects, images or kinds that they come from.

Fix
    Correct the type, or install the plugin on the nodes.
"""

from collections.abc import Iterator

from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.peers import ib_sriov
from podwire.peers.event_texts import sandbox_event
from podwire.peers.multus import Plugin
from podwire.wire.joined.pods import resource_named_by
from podwire.wire.networks.cni_folder import FOLDER, folder_place, plugin_folders
from podwire.wire.networks.nads import config_of, pods_on
from podwire.wire.networks.uses import pods_hang, use_of
from podwire.wire.picture import Picture


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Look each type up in the folders that were listed, and among the names of plugins."""
    config = config_of(nad, picture)
    if config is None or any(p.is_attached for p in pods_on(nad, picture)):
        return  # It cannot be read, or it was found.
    folders = plugin_folders(picture)
    for plugin in config.plugins:
        meant = ib_sriov.near_miss_type(plugin.type)
        lacking = tuple(n for n, names in sorted(folders.items()) if plugin.type not in names)
        if folders and (meant is None or len(lacking) < len(folders)):
            lacking = tuple(n for n in lacking if _is_needed(nad, n, picture))
        if lacking or (meant and not folders):
            yield _finding(nad, plugin, meant=meant, lacking=lacking, picture=picture)


def _is_needed(nad: Network, node: str, picture: Picture) -> bool:
    """Pods on the network run there, or the node offers its devices."""
    if any(p.pod.spec.node_name == node for p in pods_on(nad, picture)):
        return True
    resource = resource_named_by(nad)
    offer = picture.offer(resource, node) if resource else None
    return isinstance(offer, Known) and offer.value.is_any


def _finding(
    nad: Network, plugin: Plugin, *, meant: str | None, lacking: tuple[str, ...], picture: Picture
) -> Finding:
    where = f"/{FOLDER} of {', '.join(lacking[:3])}" if lacking else "the nodes"
    pods = pods_on(nad, picture)
    name = nad.metadata.name
    return Finding(
        severity=Severity.ERROR if use_of(nad, picture).may_wait else Severity.WARNING,
        message=f"network {nad.ref.full_name} calls the CNI plugin {plugin.type!r}, which is not "
        + (f"in {where}" if lacking else "the name of one")
        + (f"; {meant} is" if meant else ""),
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:1]),
            Evidence(at=nad.place("spec", "config", inner=(*plugin.path, "type")), saw=plugin.type),
            *(Evidence(at=folder_place(n, picture), saw=f"no {plugin.type}") for n in lacking[:3]),
        ),
        sees=f"{pods_hang(nad, picture)}: "
        + sandbox_event(
            # libcni names the plugin of a list (cni v1.3.0 libcni/api.go, seen with Multus 4.2.2)
            (f'plugin type="{plugin.type}" failed (add): ' if plugin.path else "")
            + f'failed to find plugin "{plugin.type}" in path [...]',
            network=name,
            namespace=nad.metadata.namespace,
            pod="",
        ),
        fix=tuple(_fixes(plugin, meant)),
        assumes=(f"Multus looks for plugins in /{FOLDER}",)
        if lacking
        else (f"no CNI plugin is called {plugin.type!r} (/{FOLDER} of the nodes was not listed)",),
        also=tuple(pod.ref for pod in pods),
    )


def _fixes(plugin: Plugin, meant: str | None) -> Iterator[Fix]:
    if meant:
        yield Fix(text=f'write "type": "{meant}" in spec.config')
    else:
        yield Fix(text=f"install {plugin.type} in /{FOLDER} of the nodes")


RULE = Rule(
    id="PW110",
    slug="cni-type-misspelt",
    title="Network calls a CNI plugin that the nodes do not have",
    since="0.1",
    joint=Joint.CNI,
    refs=(
        "containernetworking/cni v1.3.1 pkg/invoke/find.go FindInPath",
        "multus-cni v4.2.2 pkg/multus/multus.go DelegateAdd",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
    shows_as=("cni-plugin-missing",),
)
