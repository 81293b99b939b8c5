"""The symptoms of a resource that is not there, or too small, and of a plugin that ends."""

from collections.abc import Iterable, Iterator

from podwire.findings.model import Symptom
from podwire.model.names import ResourceName
from podwire.peers.multus import RESOURCE_NAME
from podwire.wire.joined.plugins import Plugin
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture
from podwire.wire.pools.on_nodes import node_part, waiting
from podwire.wire.pools.plugin_state import siblings

_SLUGS = ("resource-nowhere", "resource-exhausted")


def starving(pods: Iterable[WiredPod], resource: ResourceName) -> tuple[Symptom, ...]:
    """Account for what is said of pods that wait for a resource."""
    return tuple(
        Symptom(slug=slug, of=pod.ref.at(str(resource))) for pod in pods for slug in _SLUGS
    )


def of_ended(plugin: Plugin, picture: Picture) -> Iterator[Symptom]:
    """Account for all that follows when a plugin ends: each of its resources is gone."""
    for resource in siblings(plugin, picture):
        yield from of_lost(resource, picture)


def of_lost(resource: ResourceName, picture: Picture) -> Iterator[Symptom]:
    """Account for what follows when nothing makes a resource: pods wait, networks get none."""
    yield from starving(waiting(resource, picture), resource)
    for node in picture.node_names:
        if node in picture.on_node:
            yield Symptom(slug="pods-hold-more-than-offered", of=node_part(node, resource))
    for nad in picture.facts.networks.items:
        if nad.metadata.annotations.get(RESOURCE_NAME) == str(resource):
            yield Symptom(slug="nad-resource-unadvertised", of=nad.ref)
