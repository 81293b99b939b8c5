"""Where a pod may run, before resources are counted: name, labels, taints, cordon.

Source: kubernetes v1.37.2 pkg/scheduler/framework/plugins (nodename, nodeaffinity,
nodeunschedulable, tainttoleration), component-helpers v0.37.2 scheduling/corev1,
api v0.37.2 core/v1/toleration.go. Preferences keep no pod away and are not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from podwire.facts.objects import (
    Node,
    NodeSelector,
    NodeSelectorTerm,
    PodSpec,
    Requirement,
    Taint,
    Toleration,
)

Kind: TypeAlias = Literal["node-name", "node-selector", "node-affinity", "taint", "cordoned"]

_CORDON = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
_PASSING = "node.kubernetes.io/"
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")


class Obstacle(msgspec.Struct, frozen=True, gc=False):
    """What keeps a pod from a node; `text` names both sides, `taint` is the node's."""

    kind: Kind
    text: str
    taint: Taint | None = None

    @property
    def passes_by_itself(self) -> bool:
        """The cluster sets it and takes it away, or somebody is at work on the node."""
        is_passing = self.taint is not None and self.taint.key.startswith(_PASSING)
        return self.kind == "cordoned" or is_passing


def written_taint(taint: Taint) -> str:
    """Write a taint as kubectl does: `key=value:effect`."""
    return (
        f"{taint.key}={taint.value}:{taint.effect}"
        if taint.value
        else (f"{taint.key}:{taint.effect}")
    )


def obstacles(
    spec: PodSpec, node: Node, *, also_tolerates: Sequence[Toleration] = ()
) -> tuple[Obstacle, ...]:
    """List all that keeps a pod from a node; nothing means that it passes.

    `also_tolerates` is what a controller adds (`daemon_tolerations`). A pod with a nodeName
    has passed by the scheduler: there only kubelet looks, at labels and NoExecute taints
    (v1.37.2 pkg/kubelet/lifecycle/predicate.go generalFilter).
    """
    tolerations = (*spec.tolerations, *also_tolerates)
    name = node.metadata.name
    if spec.node_name and spec.node_name != name:
        text = f"the pod names node {spec.node_name}, this is {name}"
        return (Obstacle(kind="node-name", text=text),)
    effects = {"NoExecute"} if spec.node_name else {"NoSchedule", "NoExecute"}
    return (
        *_selector_obstacles(spec, node),
        *_affinity_obstacles(spec, node),
        *_taint_obstacles(node, tolerations, effects),
        *(() if spec.node_name else _cordon_obstacles(node, tolerations)),
    )


def daemon_tolerations(spec: PodSpec) -> tuple[Toleration, ...]:
    """List what the DaemonSet controller adds to each of its pods.

    Source: v1.37.2 pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations.
    """
    pairs = [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ]
    if spec.host_network:
        pairs.append(("network-unavailable", "NoSchedule"))
    return tuple(
        Toleration(key=f"node.kubernetes.io/{name}", operator="Exists", effect=effect)
        for name, effect in pairs
    )


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Say whether one toleration covers one taint; an empty key or effect covers all."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "Exists":
            return True
        case "" | "Equal":
            return toleration.value == taint.value
        case "Gt" | "Lt" as operator:
            # Alpha in 1.35 (TaintTolerationComparisonOperators); without it the API refuses them.
            return _is_beyond(taint.value, toleration.value, operator)
        case _:
            return False


def holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Say whether labels meet one requirement; a requirement nobody knows is not met."""
    have = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return have in requirement.values
        case "NotIn":
            return have not in requirement.values
        case "Exists":
            return have is not None
        case "DoesNotExist":
            return have is None
        case "Gt" | "Lt" as operator:
            values = requirement.values
            return have is not None and len(values) == 1 and _is_beyond(have, values[0], operator)
        case _:
            return False


def _selector_obstacles(spec: PodSpec, node: Node) -> Iterator[Obstacle]:
    labels = node.metadata.labels
    for key, wanted in sorted(spec.node_selector.items()):
        if labels.get(key) != wanted:
            text = f"the pod wants {key}={wanted}, node {node.metadata.name} has "
            have = f"{key}={labels[key]}" if key in labels else f"no label {key}"
            yield Obstacle(kind="node-selector", text=text + have)


def _affinity_obstacles(spec: PodSpec, node: Node) -> Iterator[Obstacle]:
    required = spec.affinity.node_affinity.required
    if required is None or _is_selected(required, node):
        return
    terms = " or ".join(_written_term(t) for t in required.node_selector_terms)
    text = f"the pod wants {terms or 'nothing that exists'}, node {node.metadata.name} is not so"
    yield Obstacle(kind="node-affinity", text=text)


def _taint_obstacles(
    node: Node, tolerations: Sequence[Toleration], effects: set[str]
) -> Iterator[Obstacle]:
    for taint in node.spec.taints:
        # A cordon is a taint as well; it is said once.
        is_cordon = node.spec.unschedulable and taint.key == _CORDON.key
        if taint.effect not in effects or (is_cordon and taint.effect == _CORDON.effect):
            continue
        if not any(tolerates(t, taint) for t in tolerations):
            text = f"node {node.metadata.name} has the taint {written_taint(taint)}"
            text += ", which the pod does not tolerate"
            yield Obstacle(kind="taint", text=text, taint=taint)


def _cordon_obstacles(node: Node, tolerations: Sequence[Toleration]) -> Iterator[Obstacle]:
    if node.spec.unschedulable and not any(tolerates(t, _CORDON) for t in tolerations):
        yield Obstacle(kind="cordoned", text=f"node {node.metadata.name} is cordoned")


def _is_selected(selector: NodeSelector, node: Node) -> bool:
    """One term is enough; an empty term selects nothing."""
    fields = {"metadata.name": node.metadata.name}
    return any(
        (term.match_expressions or term.match_fields)
        and all(holds(r, node.metadata.labels) for r in term.match_expressions)
        and all(_field_holds(r, fields) for r in term.match_fields)
        for term in selector.node_selector_terms
    )


def _field_holds(requirement: Requirement, fields: Mapping[str, str]) -> bool:
    """Fields know In and NotIn, with exactly one value."""
    if requirement.operator not in {"In", "NotIn"} or len(requirement.values) != 1:
        return False
    return holds(requirement, fields)


def _is_beyond(have: str, bound: str, operator: str) -> bool:
    if not (_INTEGER.fullmatch(have) and _INTEGER.fullmatch(bound)):
        return False
    return int(have) > int(bound) if operator == "Gt" else int(have) < int(bound)


def _written_term(term: NodeSelectorTerm) -> str:
    every = (*term.match_expressions, *term.match_fields)
    return " and ".join(_written(r) for r in every) or "an empty term"


def _written(requirement: Requirement) -> str:
    values = f" ({', '.join(requirement.values)})" if requirement.values else ""
    return f"{requirement.key} {requirement.operator}{values}"
