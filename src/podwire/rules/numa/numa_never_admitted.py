"""Kubelet's Topology Manager can never admit a pod on any node that it may run on.

What you see
    The scheduler binds the pod, and kubelet rejects it at once: phase
    Failed, reason TopologyAffinityError, on an empty node as well. It is not
    Pending. A controller makes one pod after the other, each Failed.

Why
    Kubelet asks which sets of NUMA nodes could serve each resource, and
    prefers the smallest that ever could. `single-numa-node` wants one node
    for all of them, `restricted` one set that all prefer. Eight GPUs need
    both sockets where a VF prefers its own: the sets have nothing in common.
    With a static CPU or memory manager CPUs and memory are such resources.
    The scheduler knows nothing of NUMA nodes. Nodes whose kubelet's
    configuration is not in sight are taken to have the default, none.

Fix
    Use best-effort on nodes for pods that span them, or take the pools of
    VFs out with excludeTopology, or make pods that fit one NUMA node, with
    their CPUs and memory. `podwire numa policy` compares policies.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Joint, Rule, Severity
from podwire.findings.numa_fixes import fixes
from podwire.model.names import Ref
from podwire.wire.numa.cures import cures_of
from podwire.wire.numa.judging import Judged
from podwire.wire.numa.subjects import REJECTED, Nowhere, NumaPod, nowhere, numa_pods
from podwire.wire.numa.words import fitting, is_alike, listed, needs, verdict_when_empty
from podwire.wire.picture import Picture


def check(of: NumaPod, picture: Picture) -> Iterator[Finding]:
    """Ask the Topology Manager of every node that the pod may go to."""
    found = nowhere(of, picture).need().value
    if found is None:
        return
    first = found.nodes[0]
    names = listed([judged.node for judged in found.nodes if is_alike(judged, first)])
    others = listed([judged.node for judged in found.nodes if not is_alike(judged, first)])
    yield Finding(
        severity=Severity.ERROR,
        message=_message(of, first, names) + (f"; nor can that of {others}" if others else ""),
        evidence=(
            *(Evidence(at=r.place, saw=f"{r.count}") for r in of.pod.requests[:6]),
            *_of_own(of, first),
            *_of_node(first),
        ),
        sees=f"the scheduler binds the pod, kubelet rejects it: phase Failed, {REJECTED}, not "
        "Pending; waiting does not help, for it is so on an empty node"
        + ("; a controller makes the next one, which fails alike" if of.is_remade else ""),
        fix=tuple(fixes(cures_of(first, picture), names)),
        assumes=tuple(dict.fromkeys((*of.assumes, *first.assumes, *_alike(found)))),
        also=tuple(Ref(kind="Node", name=judged.node) for judged in found.nodes),
        group=f"{picture.kin(of.pod.pod)} {names} {others}",
    )


def _message(of: NumaPod, first: Judged, names: str) -> str:
    """Name the policy and the sets of NUMA nodes, as many as a message has room for."""
    setup, verdict = first.setup, verdict_when_empty(first)
    policy = f"{setup.policy} (scope {setup.scope})" if setup else "its policy"
    is_one = setup is not None and setup.policy == "single-numa-node"
    step = verdict.steps[-1] if verdict and verdict.steps else None
    is_each = step and setup and setup.scope == "container" and len(first.requests) > 1
    devices = f"all devices of container {step.container}" if step and is_each else "all devices"
    wants = f"{devices} on one NUMA node" if is_one else f"one set of NUMA nodes for {devices}"
    start = f"kubelet of {names} can never admit {of.pod}: {policy} wants {wants}"
    return f"{start}, but {fitting(needs(step, first) if step else ())}"


def _of_own(of: NumaPod, judged: Judged) -> Iterator[Evidence]:
    """Show CPUs and memory that a static manager of kubelet gives to one container alone."""
    wants = {r.container: dict((*r.wants, *r.memory)) for r in judged.requests}
    for view in of.pod.pod.containers():
        for name in wants.get(view.container.name, {}):
            if not name.prefix and str(name) in view.container.resources.limits:
                at = of.pod.pod.place(*view.path, "resources", "limits", str(name))
                yield Evidence(at=at, saw=str(view.container.resources.limits[str(name)]))


def _of_node(judged: Judged) -> Iterator[Evidence]:
    setup, machine = judged.setup, judged.machine
    if setup is not None and machine is not None and judged.places:
        yield Evidence(at=judged.places[0], saw=f"{setup.policy}, scope {setup.scope}")
        saw = f"devices on NUMA nodes {', '.join(map(str, machine.numa))}"
        yield from (Evidence(at=place, saw=saw) for place in judged.places[1:2])


def _alike(found: Nowhere) -> Iterator[str]:
    if found.alike:
        yield (
            f"what was not read of {listed(found.alike)} is as on {found.nodes[0].node}, which has "
            "as many devices"
        )


RULE = Rule(
    id="PW301",
    slug="numa-never-admitted",
    title="Topology Manager can never admit a pod",
    since="0.1",
    joint=Joint.PLACEMENT,
    refs=(
        "kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/policy.go",
        "kubernetes v1.37.2 pkg/kubelet/cm/devicemanager/topology_hints.go",
        "kubernetes v1.37.2 pkg/kubelet/cm/cpumanager/policy_static.go",
        "kubernetes v1.37.2 pkg/kubelet/cm/memorymanager/policy_static.go",
    ),
    over=numa_pods,
    check=check,
)
