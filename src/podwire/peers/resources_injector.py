"""network-resources-injector: whether it completes a pod, and with what.

A webhook on pod creation. For each network of the pod's annotation that names a resource it
adds one unit of it to the first container, so that a bare annotation is enough. It refuses a
pod whose network does not exist.
Source: network-resources-injector v1.9.0 pkg/webhook/webhook.go, deployments/webhook.yaml;
sriov-network-operator 293b841 bindata/manifests/webhook/003-webhook.yaml.
"""

from collections.abc import Mapping

import msgspec

from podwire.facts.inventory import Objects
from podwire.facts.objects import (
    LabelSelector,
    MutatingWebhookConfiguration,
    Namespace,
    PodSpec,
    Requirement,
    Webhook,
)
from podwire.model.evidence import Answer, Known, Place, Unknown, any_of
from podwire.model.names import ResourceName
from podwire.peers.scheduler import holds

NOT_LISTED = "no network-resources-injector completes pods (the webhooks were not listed)"
NOT_HONORING = "network-resources-injector runs without --honor-resources"

# In the names of the configuration, the webhook or its service: the manifest's, the
# operator's, the older installer's (...-mutating-config) and KubeVirt's (cnv-...).
_MARK = "network-resources-injector"
_NAME_LABEL = "kubernetes.io/metadata.name"  # the API server sets it on every namespace


class Injector(msgspec.Struct, frozen=True, gc=False):
    """The injector's webhook."""

    webhook: Webhook
    place: Place


def injectors_of(webhooks: Objects[MutatingWebhookConfiguration]) -> tuple[Injector, ...]:
    """Find the injector among the webhooks in sight that are called for new pods."""
    return tuple(
        Injector(webhook=webhook, place=config.place("webhooks", index))
        for config in webhooks.items
        for index, webhook in enumerate(config.webhooks)
        if _is_injector(config, webhook) and sees_new_pods(webhook)
    )


def completes(
    namespace: str,
    *,
    labels: Mapping[str, str],
    webhooks: Objects[MutatingWebhookConfiguration],
    namespaces: Objects[Namespace],
) -> Answer[bool]:
    """Say whether new pods of a namespace with these labels go through the injector.

    kube-system is exempt where the selector says so; the operator's manifest has none.
    """
    found = injectors_of(webhooks)
    if found:
        return any_of(
            reaches(i.webhook, i.place, namespace, labels=labels, namespaces=namespaces)
            for i in found
        )
    if webhooks.is_complete():
        return Known(value=False)
    return Known(value=False, assumes=(NOT_LISTED,))


def added(
    spec: PodSpec, *, wanted: Mapping[ResourceName, int]
) -> Known[Mapping[ResourceName, int]]:
    """Say what the injector adds to the first container.

    `wanted` has the units that the pod's networks ask for. A resource that any container
    names is left alone; with --honor-resources it would be added on top of that.
    """
    named = {
        name
        for container in spec.containers
        for name in (*container.resources.limits, *container.resources.requests)
    }
    missing = {resource: n for resource, n in wanted.items() if str(resource) not in named}
    assumes = () if len(missing) == len(wanted) else (NOT_HONORING,)
    return Known(value=missing, assumes=assumes)


def _is_injector(config: MutatingWebhookConfiguration, webhook: Webhook) -> bool:
    service = (webhook.client_config.service or {}).get("name", "")
    return any(_MARK in name for name in (config.metadata.name, webhook.name, str(service)))


def sees_new_pods(webhook: Webhook) -> bool:
    """Whether the API server asks a webhook about new pods."""
    return any(
        {"CREATE", "*"}.intersection(rule.operations)
        and {"", "*"}.intersection(rule.api_groups)
        and {"pods", "*", "*/*"}.intersection(rule.resources)
        for rule in webhook.rules
    )


def reaches(
    webhook: Webhook,
    place: Place,
    namespace: str,
    *,
    labels: Mapping[str, str],
    namespaces: Objects[Namespace],
) -> Answer[bool]:
    """Say whether a webhook's selectors let pods of a namespace with these labels through."""
    if not _selects(webhook.object_selector, labels, is_whole=True):
        return Known(value=False, places=(place,))
    found = namespaces.by_name.get(("", namespace))
    have = dict(found.metadata.labels) if found else {}
    have[_NAME_LABEL] = namespace
    selects = _selects(webhook.namespace_selector, have, is_whole=found is not None)
    if selects is None:
        return Unknown(
            reason=f"the labels of namespace {namespace} were not read",
            give=f"kubectl get namespace {namespace} -o json",
            fact="the labels of a namespace",
        )
    return Known(value=selects, places=(place,))


def _selects(selector: LabelSelector, labels: Mapping[str, str], *, is_whole: bool) -> bool | None:
    """Evaluate a selector; None where it turns on a label that nobody read."""
    equal = (
        Requirement(key=key, operator="In", values=(value,))
        for key, value in selector.match_labels.items()
    )
    answers = [
        holds(requirement, labels) if is_whole or requirement.key in labels else None
        for requirement in (*equal, *selector.match_expressions)
    ]
    if False in answers:
        return False
    return None if None in answers else True
