"""Where a pod may run, before resources are counted."""

from typing import Any

import msgspec
import pytest

from podwire.facts.objects import Node, PodSpec, Taint, Toleration
from podwire.peers.scheduler import Obstacle, daemon_tolerations, obstacles, tolerates


def node(
    name: str = "gpu-1",
    *,
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    is_cordoned: bool = False,
) -> Node:
    tree = {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"taints": taints or [], "unschedulable": is_cordoned},
    }
    return msgspec.convert(tree, Node)


def spec(**fields: object) -> PodSpec:
    return msgspec.convert(fields, PodSpec)


def required(*terms: dict[str, Any]) -> PodSpec:
    selector = {"nodeSelectorTerms": list(terms)}
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    return spec(affinity={"nodeAffinity": {key: selector}})


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def kinds(found: tuple[Obstacle, ...]) -> list[str]:
    return [obstacle.kind for obstacle in found]


def test_a_pod_that_asks_for_nothing_passes() -> None:
    assert obstacles(spec(), node()) == ()


def test_a_named_node_keeps_all_others_away() -> None:
    found = obstacles(spec(nodeName="gpu-2"), node())
    assert found == (Obstacle(kind="node-name", text="the pod names node gpu-2, this is gpu-1"),)
    assert obstacles(spec(nodeName="gpu-1"), node()) == ()


def test_a_selector_names_the_label_that_differs() -> None:
    wants = spec(nodeSelector={"a": "1", "b": "2"})
    found = obstacles(wants, node(labels={"a": "0"}))
    assert [o.text for o in found] == [
        "the pod wants a=1, node gpu-1 has a=0",
        "the pod wants b=2, node gpu-1 has no label b",
    ]
    assert obstacles(wants, node(labels={"a": "1", "b": "2"})) == ()


@pytest.mark.parametrize(
    ("operator", "values", "passes", "fails"),
    [
        ("In", ("a", "b"), {"k": "b"}, {"k": "c"}),
        ("NotIn", ("a",), {}, {"k": "a"}),
        ("Exists", (), {"k": ""}, {}),
        ("DoesNotExist", (), {}, {"k": ""}),
        ("Gt", ("7",), {"k": "8"}, {"k": "7"}),
        ("Lt", ("7",), {"k": "-6"}, {"k": "7"}),
    ],
)
def test_each_operator_of_an_expression(
    operator: str, values: tuple[str, ...], passes: dict[str, str], fails: dict[str, str]
) -> None:
    wants = required(expression("k", operator, *values))
    assert obstacles(wants, node(labels=passes)) == ()
    assert kinds(obstacles(wants, node(labels=fails))) == ["node-affinity"]


@pytest.mark.parametrize(
    ("term", "label"),
    [
        (expression("k", "In"), "a"),
        (expression("k", "Gt", "7"), "many"),
        (expression("k", "Gt", "7", "8"), "9"),
        (expression("k", "Like", "a"), "a"),
        ({}, "a"),
    ],
)
def test_a_term_that_nothing_can_meet(term: dict[str, Any], label: str) -> None:
    assert kinds(obstacles(required(term), node(labels={"k": label}))) == ["node-affinity"]


def test_no_term_at_all_selects_nothing() -> None:
    (found,) = obstacles(required(), node())
    assert "nothing that exists" in found.text


def test_one_term_is_enough_and_all_of_its_parts_have_to_hold() -> None:
    both = {
        "matchExpressions": [
            {"key": "a", "operator": "Exists"},
            {"key": "b", "operator": "Exists"},
        ]
    }
    wants = required(both, expression("c", "Exists"))
    assert obstacles(wants, node(labels={"c": ""})) == ()
    assert obstacles(wants, node(labels={"a": "", "b": ""})) == ()
    (found,) = obstacles(wants, node(labels={"a": ""}))
    assert found.text == ("the pod wants a Exists and b Exists or c Exists, node gpu-1 is not so")


@pytest.mark.parametrize(
    ("operator", "values", "want"),
    [
        ("In", ["gpu-1"], []),
        ("In", ["gpu-2"], ["node-affinity"]),
        ("NotIn", ["gpu-2"], []),
        ("In", ["gpu-1", "gpu-2"], ["node-affinity"]),
        ("Exists", [], ["node-affinity"]),
    ],
)
def test_fields_know_the_name_with_one_value(
    operator: str, values: list[str], want: list[str]
) -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": operator, "values": values}]}
    assert kinds(obstacles(required(term), node())) == want


GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def test_a_taint_keeps_out_who_does_not_tolerate_it() -> None:
    assert obstacles(spec(), node(taints=[GPU_TAINT])) == (
        Obstacle(
            kind="taint",
            text="node gpu-1 has the taint nvidia.com/gpu=present:NoSchedule, "
            "which the pod does not tolerate",
            taint=Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule"),
        ),
    )
    tolerant = spec(tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists"}])
    assert obstacles(tolerant, node(taints=[GPU_TAINT])) == ()


def test_a_preference_keeps_nobody_out() -> None:
    taint = {"key": "a", "effect": "PreferNoSchedule"}
    assert obstacles(spec(), node(taints=[taint])) == ()


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        (Toleration(operator="Exists"), True),
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", value="v", effect="NoSchedule"), True),
        (Toleration(key="k", operator="", value="v"), True),
        (Toleration(key="k", value="w"), False),
        (Toleration(key="k"), False),
        (Toleration(key="x", operator="Exists"), False),
        (Toleration(key="k", operator="Exists", effect="NoExecute"), False),
        (Toleration(key="k", operator="Like", value="v"), False),
    ],
)
def test_a_toleration_covers_key_value_and_effect(toleration: Toleration, want: bool) -> None:  # noqa: FBT001 - a table's column
    assert tolerates(toleration, Taint(key="k", value="v", effect="NoSchedule")) is want


def test_numbers_are_compared_where_the_api_took_the_operator() -> None:
    taint = Taint(key="k", value="5", effect="NoSchedule")
    assert tolerates(Toleration(key="k", operator="Gt", value="4"), taint)
    assert not tolerates(Toleration(key="k", operator="Lt", value="4"), taint)


CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def test_a_cordon_is_said_once() -> None:
    cordoned = node(is_cordoned=True, taints=[CORDON])
    assert kinds(obstacles(spec(), cordoned)) == ["cordoned"]


def test_a_cordon_may_be_tolerated() -> None:
    tolerant = spec(tolerations=[{**CORDON, "operator": "Exists"}])
    assert obstacles(tolerant, node(is_cordoned=True)) == ()


def test_a_pod_with_a_node_has_passed_by_the_scheduler() -> None:
    evicting = {"key": "a", "effect": "NoExecute"}
    busy = node(is_cordoned=True, taints=[CORDON, GPU_TAINT, evicting])
    found = obstacles(spec(nodeName="gpu-1"), busy)
    assert [o.text for o in found] == [
        "node gpu-1 has the taint a:NoExecute, which the pod does not tolerate"
    ]


def test_daemons_tolerate_what_their_controller_adds() -> None:
    pods = spec()
    sick = node(
        is_cordoned=True,
        taints=[CORDON, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}],
    )
    assert obstacles(pods, sick, also_tolerates=daemon_tolerations(pods)) == ()
    assert kinds(obstacles(pods, sick)) == ["taint", "cordoned"]


def test_daemons_of_the_host_network_tolerate_its_absence() -> None:
    cut_off = node(
        taints=[{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}]
    )
    on_host = spec(hostNetwork=True)
    assert obstacles(on_host, cut_off, also_tolerates=daemon_tolerations(on_host)) == ()
    assert kinds(obstacles(spec(), cut_off, also_tolerates=daemon_tolerations(spec()))) == ["taint"]


@pytest.mark.parametrize(
    ("key", "want"),
    [
        ("node.kubernetes.io/not-ready", True),
        ("nvidia.com/gpu", False),
        ("example.com/node.kubernetes.io", False),
    ],
)
def test_taints_of_the_cluster_pass_by_themselves(key: str, want: object) -> None:
    (found,) = obstacles(spec(), node(taints=[{"key": key, "effect": "NoExecute"}]))
    assert found.passes_by_itself == want


def test_a_cordon_passes_and_a_selector_does_not() -> None:
    (cordon,) = obstacles(spec(), node(is_cordoned=True))
    (selector,) = obstacles(spec(nodeSelector={"node.kubernetes.io/x": "y"}), node())
    assert (cordon.passes_by_itself, selector.passes_by_itself) == (True, False)
