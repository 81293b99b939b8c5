"""Whether the injector completes a pod, and with what."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from podwire.facts.inventory import Objects
from podwire.facts.objects import MutatingWebhookConfiguration, Namespace, PodSpec
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.resources_injector import (
    NOT_HONORING,
    NOT_LISTED,
    added,
    completes,
    injectors_of,
)

IB = ResourceName.parse("example.com/ib_vf")
ETH = ResourceName.parse("example.com/eth_vf")
POD_RULE = {"operations": ["CREATE"], "apiGroups": ["apps", ""], "resources": ["pods"]}
NOT_KUBE_SYSTEM = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]}
    ]
}


def webhooks(
    *, is_whole: bool = True, name: str = "network-resources-injector-config", **webhook: object
) -> Objects[MutatingWebhookConfiguration]:
    entry = {"name": "injector.k8s.io", "rules": [POD_RULE], **webhook}
    config = msgspec.convert(
        {
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [entry],
        },
        MutatingWebhookConfiguration,
    )
    return listed((config,), is_whole=is_whole)


def listed(
    items: tuple[MutatingWebhookConfiguration, ...], *, is_whole: bool
) -> Objects[MutatingWebhookConfiguration]:
    return Objects.of(
        "MutatingWebhookConfiguration",
        items,
        plural="mutatingwebhookconfigurations",
        is_whole=is_whole,
    )


def namespaces(**labels: Mapping[str, str]) -> Objects[Namespace]:
    items = tuple(
        msgspec.convert({"kind": "Namespace", "metadata": {"name": name, "labels": of}}, Namespace)
        for name, of in labels.items()
    )
    return Objects.of("Namespace", items, plural="namespaces")


def asked(
    hooks: Objects[MutatingWebhookConfiguration],
    namespace: str = "train",
    *,
    of: Objects[Namespace] | None = None,
    **labels: str,
) -> Answer[bool]:
    return completes(namespace, labels=labels, webhooks=hooks, namespaces=of or namespaces())


def value(answer: Answer[bool]) -> bool:
    assert isinstance(answer, Known), answer
    return answer.value


def test_the_injector_in_sight_completes_pods() -> None:
    assert asked(webhooks()) == Known(value=True, places=(injectors_of(webhooks())[0].place,))


@pytest.mark.parametrize(
    "webhook",
    [
        {"name": "network-resources-injector-config.k8s.io"},
        {"clientConfig": {"service": {"name": "network-resources-injector-service"}}},
    ],
)
def test_it_is_known_by_its_own_name_or_its_service(webhook: dict[str, Any]) -> None:
    config = "sriov-operator-webhooks"
    assert value(asked(webhooks(**{"name": config, **webhook})))


def test_it_is_known_by_its_service_alone() -> None:
    service = {"service": {"name": "network-resources-injector-service", "namespace": "x"}}
    assert value(asked(webhooks(name="other", clientConfig=service)))


def test_listed_webhooks_without_it_assume_nothing() -> None:
    assert asked(webhooks(name="gpu-webhook")) == Known(value=False)


def test_webhooks_that_were_not_listed_are_an_assumption() -> None:
    assert asked(listed((), is_whole=False)) == Known(value=False, assumes=(NOT_LISTED,))


def test_one_that_was_given_counts_without_a_list() -> None:
    assert value(asked(webhooks(is_whole=False)))


@pytest.mark.parametrize(
    "rule",
    [
        {**POD_RULE, "operations": ["UPDATE"]},
        {**POD_RULE, "resources": ["deployments"]},
        {**POD_RULE, "apiGroups": ["apps"]},
    ],
)
def test_a_webhook_that_is_not_called_for_new_pods_completes_nothing(rule: object) -> None:
    assert not value(asked(webhooks(rules=[rule])))


def test_kube_system_is_exempt_as_the_manifest_says_without_its_labels() -> None:
    hooks = webhooks(namespaceSelector=NOT_KUBE_SYSTEM)
    assert not value(asked(hooks, "kube-system"))
    assert value(asked(hooks, "train"))


def test_kube_system_is_not_exempt_where_no_selector_says_so() -> None:
    assert value(asked(webhooks(), "kube-system"))


@pytest.mark.parametrize(
    ("labels", "want"), [({"inject": "on"}, True), ({"inject": "off"}, False), ({}, False)]
)
def test_a_selector_is_evaluated_on_the_namespace(labels: dict[str, str], want: bool) -> None:  # noqa: FBT001 - a table's column
    hooks = webhooks(namespaceSelector={"matchLabels": {"inject": "on"}})
    assert value(asked(hooks, of=namespaces(train=labels))) is want


def test_a_selector_on_labels_that_nobody_read_is_undecided() -> None:
    hooks = webhooks(namespaceSelector={"matchLabels": {"inject": "on"}})
    assert asked(hooks) == Unknown(
        reason="the labels of namespace train were not read",
        give="kubectl get namespace train -o json",
        fact="the labels of a namespace",
    )


@pytest.mark.parametrize(
    ("operator", "want"), [("Exists", True), ("DoesNotExist", False), ("Odd", False)]
)
def test_an_object_selector_looks_at_the_pod(operator: str, want: bool) -> None:  # noqa: FBT001 - a table's column
    selector = {"matchExpressions": [{"key": "app", "operator": operator}]}
    assert value(asked(webhooks(objectSelector=selector), app="x")) is want


def spec(*limits: Mapping[str, object]) -> PodSpec:
    containers = [{"name": f"c{i}", "resources": {"limits": of}} for i, of in enumerate(limits)]
    return msgspec.convert({"containers": containers}, PodSpec)


def test_it_adds_one_unit_for_each_attachment() -> None:
    assert added(spec({}), wanted={IB: 2}) == Known(value={IB: 2})


def test_a_resource_that_any_container_names_is_left_alone() -> None:
    found = added(spec({}, {"example.com/ib_vf": 1}), wanted={IB: 2, ETH: 1})
    assert found == Known(value={ETH: 1}, assumes=(NOT_HONORING,))
