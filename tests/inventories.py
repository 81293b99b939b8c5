"""Inventories for tests that need no files: objects in, an inventory out."""

from collections.abc import Iterable
from typing import Any

from podwire.facts.inventory import Inventory, Objects
from podwire.facts.objects import ApiObject


def inventory(objects: Iterable[ApiObject] = (), *, whole: Iterable[str] = ()) -> Inventory:
    """Sort objects by kind; `whole` names the kinds that were listed for the cluster."""
    items = list(objects)
    complete = frozenset(whole)

    def of(kind: str, plural: str) -> Objects[Any]:
        return Objects.of(
            kind,
            [item for item in items if item.kind == kind],
            plural=plural,
            is_whole=kind in complete,
        )

    workloads = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob")
    return Inventory(
        pods=of("Pod", "pods"),
        nodes=of("Node", "nodes"),
        networks=of("NetworkAttachmentDefinition", "net-attach-def"),
        config_maps=of("ConfigMap", "configmaps"),
        workloads={kind: of(kind, kind.lower() + "s") for kind in workloads},
        events=of("Event", "events"),
        webhooks=of("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
        device_classes=of("DeviceClass", "deviceclasses"),
        namespaces=of("Namespace", "namespaces"),
    )
