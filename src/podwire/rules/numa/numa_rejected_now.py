"""Kubelet rejected a pod for its NUMA nodes, and the empty node would admit it.

What you see
    The pod is Failed with the reason TopologyAffinityError. Another one like
    it may run on the same node later, or on another node now.

Why
    The scheduler counts free devices on the node, wherever they are. Kubelet
    wants those of one pod on the NUMA nodes that its policy allows, and there
    other pods held some of them. A rejected pod is never tried again.

Fix
    Let a controller make pods of this kind, wait for the pods that hold the
    devices, or move them.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.wire.numa.holdings import holdings
from podwire.wire.numa.judging import Judged, Outcome
from podwire.wire.numa.machines import held_on
from podwire.wire.numa.setups import STRICT
from podwire.wire.numa.subjects import REJECTED, NumaPod, rejected_pods
from podwire.wire.picture import Picture


def check(of: NumaPod, picture: Picture) -> Iterator[Finding]:
    """Ask whether the empty node would admit it, and see who holds what now."""
    node = of.nodes[0]
    judged = of.judge.judge(of.pod, node)
    if judged.outcome is Outcome.UNDECIDED and not judged.fits_empty and judged.missing:
        judged.missing.need()
    setup = judged.setup
    if judged.outcome in {Outcome.NEVER, Outcome.SHORT}:
        return
    if setup is None or setup.policy not in STRICT:
        return  # It was rejected under another policy than kubelet has now.
    held = _held(judged)
    owners = sorted(dict.fromkeys(owner for owner, _ in held))
    yield Finding(
        severity=Severity.WARNING if of.is_remade else Severity.ERROR,
        message=f"kubelet of {node} rejected {of.pod}: devices for it were not free together on "
        f"NUMA nodes as {setup.policy} wants them; the empty node would admit it",
        evidence=(
            Evidence(at=of.pod.pod.place("status", "reason"), saw=REJECTED),
            *(Evidence(at=place, saw=f"policy {setup.policy}") for place in judged.places[:1]),
            *_holders(node, held, picture),
        ),
        sees="the pod stays Failed until it is deleted"
        + ("; its controller makes another" if of.is_remade else "; nothing makes it again"),
        cause=_cause(held),
        fix=(
            Fix(
                text=f"make the pod again once enough of {', '.join(owners[:3]) or 'the others'} "
                "ended"
                + ("" if of.is_remade else ", or let a Job or a StatefulSet make such pods"),
            ),
        ),
        assumes=judged.assumes,
        group=f"{node} {picture.kin(of.pod.pod)}",
    )


def _holders(node: str, held: tuple[tuple[str, str], ...], picture: Picture) -> Iterator[Evidence]:
    answer = held_on(node, picture)
    if isinstance(answer, Known) and answer.places:
        for owner, words in held[:3]:
            yield Evidence(at=answer.places[0], saw=f"{owner} holds {words}")


def _held(judged: Judged) -> tuple[tuple[str, str], ...]:
    """Say who holds what now, of what stands in the way where kubelet would reject it still."""
    if judged.machine is None:
        return ()
    is_still = judged.outcome is Outcome.NOT_NOW and judged.verdict is not None
    blockers = [b.resource for b in judged.verdict.blockers] if is_still and judged.verdict else []
    return tuple(holdings(judged.machine, blockers or judged.wanted))


def _cause(held: tuple[tuple[str, str], ...]) -> Cause:
    """Name who holds what now; at that moment it may have been others."""
    listed = "; ".join(f"{owner} holds {words}" for owner, words in held[:4])
    text = f"these were in the way: {listed}" if listed else "others held devices at that moment"
    return Cause(text=text, proven=False)


RULE = Rule(
    id="PW302",
    slug="numa-rejected-now",
    title="Topology Manager rejected a pod that the empty node would admit",
    since="0.1",
    joint=Joint.PLACEMENT,
    refs=(
        "kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/policy.go",
        "kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/scope.go",
    ),
    over=rejected_pods,
    check=check,
)
