"""Whose pods HAMi takes, and which GPUs it chose."""

import json

import pytest

from podwire.facts.inventory import Objects
from podwire.facts.objects import (
    Container,
    LabelSelector,
    Meta,
    MutatingWebhookConfiguration,
    Namespace,
    PodSpec,
    Requirement,
    Resources,
    SecurityContext,
    Webhook,
    WebhookRule,
)
from podwire.model.evidence import Known, Unknown
from podwire.model.versions import Version
from podwire.peers import hami

A, B = "GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000", "GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001"
DEFAULT = hami.Setup()
V2_10 = Known(value=Version.parse("v2.10.0"))
IGNORE = LabelSelector(
    match_expressions=(Requirement(key="hami.io/webhook", operator="NotIn", values=("ignore",)),)
)


def spec(*, privileged: bool = False, scheduler: str = "", node: str = "") -> PodSpec:
    container = Container(
        name="main",
        resources=Resources(limits={"nvidia.com/gpu": "1"}),
        security_context=SecurityContext(privileged=privileged),
    )
    return PodSpec(containers=(container,), scheduler_name=scheduler, node_name=node)


def configured() -> Objects[MutatingWebhookConfiguration]:
    webhook = Webhook(
        name="vgpu.hami.io",
        rules=(WebhookRule(operations=("CREATE",), api_groups=("",), resources=("pods",)),),
        namespace_selector=IGNORE,
        object_selector=IGNORE,
    )
    config = MutatingWebhookConfiguration(metadata=Meta(name="hami-webhook"), webhooks=(webhook,))
    return Objects.of(config.kind, [config], plural="mutatingwebhookconfigurations", is_whole=True)


def spaces(**labels: dict[str, str]) -> Objects[Namespace]:
    items = [Namespace(metadata=Meta(name=name, labels=own)) for name, own in labels.items()]
    return Objects.of("Namespace", items, plural="namespaces", is_whole=True)


def takes(
    of: PodSpec,
    *,
    labels: dict[str, str] | None = None,
    space: str = "train",
    setup: hami.Setup = DEFAULT,
) -> object:
    answer = hami.takes(
        of,
        space,
        labels or {},
        webhooks=configured(),
        namespaces=spaces(train={}, system={"hami.io/webhook": "ignore"}),
        setup=setup,
    )
    return answer.value if isinstance(answer, Known) else answer


def test_a_pod_with_a_gpu_is_taken_from_the_default_scheduler() -> None:
    assert takes(spec()) is True
    assert takes(spec(scheduler="default-scheduler")) is True


def test_a_pod_of_another_scheduler_or_without_a_gpu_is_left_alone() -> None:
    assert takes(spec(scheduler="volcano")) is False
    assert takes(PodSpec(containers=(Container(name="main"),))) is False


def test_labels_of_the_pod_and_of_its_namespace_exempt_it() -> None:
    assert takes(spec(), labels={"hami.io/webhook": "ignore"}) is False
    assert takes(spec(), space="system") is False


def test_without_force_the_default_schedulers_pods_are_left_alone() -> None:
    setup = hami.read_setup({}, "false")
    assert takes(spec(), setup=setup) is False
    assert takes(spec(scheduler="hami-scheduler"), setup=setup) is True


def test_resources_of_another_name_leave_nvidias_pods_alone() -> None:
    names = {"resourceCountName": "example.com/vgpu", "resourceMemoryName": "example.com/mem"}
    setup = hami.read_setup({"nvidia": names}, None)
    assert setup.resources == {"example.com/vgpu", "example.com/mem"}
    assert takes(spec(), setup=setup) is False


@pytest.mark.parametrize("tree", [None, [], {"nvidia": None}, {"nvidia": {}}])
def test_what_is_not_written_has_the_charts_default(tree: object) -> None:
    assert hami.read_setup(tree, None) == DEFAULT


def test_without_a_webhook_nothing_is_taken_and_that_is_assumed_where_none_was_listed() -> None:
    none = Objects[MutatingWebhookConfiguration].of("MutatingWebhookConfiguration", plural="x")
    answer = hami.takes(
        spec(), "train", {}, webhooks=none, namespaces=spaces(train={}), setup=DEFAULT
    )
    assert answer == Known(value=False, assumes=(hami.NOT_LISTED,))


@pytest.mark.parametrize(
    ("of", "says"),
    [
        (spec(), ""),
        (spec(privileged=True), "container main is privileged"),
        (spec(node="gpu-a"), "pod has node assigned"),
    ],
)
def test_it_refuses_privileged_and_pinned_pods(of: PodSpec, says: str) -> None:
    answer = hami.denial(of, V2_10)
    assert isinstance(answer, Known)
    assert answer.value == says


def test_what_an_older_version_refuses_is_not_known() -> None:
    older = Known(value=Version.parse("v2.6.1"))
    assert isinstance(hami.denial(spec(privileged=True), older), Unknown)
    assert isinstance(hami.denial(spec(), older), Known)


def test_a_node_registers_its_gpus_in_an_annotation() -> None:
    new = {hami.REGISTERED: json.dumps([{"id": A, "count": 10}, {"id": B, "count": 10}])}
    old = {hami.REGISTERED: f"{A},10,143771,100,NVIDIA-H200,0,true:"}
    assert [u.uuid for u in hami.registered(new) or ()] == [A, B]
    assert [u.uuid for u in hami.registered(old) or ()] == [A]
    assert hami.registered({hami.REGISTERED: "[]"}) is None
    assert hami.registered({}) is None


def test_the_choice_is_written_container_by_container() -> None:
    text = f";{A},NVIDIA,20000,0:{B},NVIDIA,20000,0:;"
    assert hami.chosen({hami.ALLOCATED: text}) == ((), (A, B))
    assert hami.chosen({}) is None
