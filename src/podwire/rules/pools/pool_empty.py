"""A pool takes no function of a node, so the node lacks its resource.

What you see
    The node's capacity does not have the resource at all, and pods that
    request it stay Pending. The plugin's log says "no devices in device
    pool, skipping creating resource server for ..." at a level that looks
    harmless.

Why
    A function is in the pool when it fits every key of a selector, value
    by value: ids, names and drivers are compared exactly, and of the
    function itself, so a VF's id and not its PF's. A pool without members
    is not registered. In a mixed cluster a pool may be meant for other
    nodes: while a node in sight has the resource, an empty pool elsewhere
    is a fault only where the node has what the pool names and that lacks
    its VFs, their driver or their RDMA devices. While not all nodes are in
    sight, a pool that no pod wants there may be meant for the others.

Fix
    Select what the node has, then restart the plugin's pod there: it looks
    at functions and configuration once, at its start.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import starving
from podwire.model.evidence import Answer, Known
from podwire.peers.event_texts import unschedulable_event
from podwire.peers.sriovdp.never import flaws_of, is_dead
from podwire.wire.joined.pods import Request, WiredPod
from podwire.wire.picture import Picture
from podwire.wire.pools.emptiness import Why, why
from podwire.wire.pools.on_nodes import PoolNode, elsewhere, found_at, pool_nodes, seen_at, waiting

_ROOM = 280  # characters of reasons in a message


def check(at: PoolNode, picture: Picture) -> Iterator[Finding]:
    """Ask the model, unless the node says that it has the resource."""
    offer = seen_at(at, picture)
    if offer is not None and offer.is_any and at.pool.plugin.is_applied:
        return
    found = found_at(at, picture).need()
    if found.value is None or not found.value.pool.is_empty.need().value:
        return
    others, reasons = elsewhere(at, picture), why(found.value)
    pods = waiting(at.resource, picture, node=at.node)
    is_elsewhere = isinstance(others, Known) and others.value
    if is_elsewhere:
        reasons = tuple(reason for reason in reasons if reason.is_state)
        if not reasons:
            return  # It is meant for nodes with other functions.
    elif not pods and not any(reason.is_here for reason in reasons):
        if {reason.key for reason in reasons} == {"vendors"}:
            return  # It is meant for nodes with other cards.
        if not is_dead(at.pool.entry, flaws_of(at.pool.entry)):
            others.need()
    yield Finding(
        severity=(Severity.WARNING if pods else Severity.NOTE) if is_elsewhere else Severity.ERROR,
        message=f"pool {at.resource} is empty on {at.node}: {_because(reasons)}",
        evidence=(
            *(Evidence(at=r.place, saw=str(r.count)) for p in pods[:1] for r in _asks(p, at)),
            *(e for reason in reasons[:2] for e in _of(reason, at)),
        ),
        sees=f"{at.node} has no {at.resource}; pods that request it "
        f"{'run on other nodes, and once those are full ' if is_elsewhere else ''}stay Pending: "
        f"{unschedulable_event(str(at.resource))}",
        fix=tuple(Fix(text=text) for text in dict.fromkeys(r.fix for r in reasons[:2] if r.fix)),
        assumes=(*found.assumes, *_meant_for(at, others)),
        also=(at.node_ref.whole, *(pod.ref for pod in pods)),
        group=f"{at.pool.ref} {at.pool.ref.part} {' '.join(r.kind for r in reasons[:2])}",
        explains=(
            *starving(pods, at.resource),
            Symptom(slug="pods-hold-more-than-offered", of=at.node_ref),
        ),
    )


def _because(reasons: tuple[Why, ...]) -> str:
    texts = [reason.text for reason in reasons[:2]]
    shown = texts[: 1 if sum(map(len, texts)) > _ROOM else 2]
    return "; ".join(shown) or "it has no network function"


def _asks(pod: WiredPod, at: PoolNode) -> Iterator[Request]:
    yield from (r for r in pod.requests if r.resource == at.resource)


def _of(reason: Why, at: PoolNode) -> Iterator[Evidence]:
    """Show what the pool wants, then what the function has."""
    selectors = at.pool.entry.selectors
    if reason.key and reason.selector < len(selectors):
        selector = selectors[reason.selector]
        yield Evidence(at=at.pool.text.place_at(selector.at(reason.key)), saw=reason.key)
    else:
        yield Evidence(at=at.pool.place("selectors"), saw="what the pool takes")
    yield Evidence(at=reason.place, saw=reason.saw)


def _meant_for(at: PoolNode, others: Answer[bool]) -> tuple[str, ...]:
    if isinstance(others, Known):
        return others.assumes
    return (f"{at.resource} is meant for nodes like {at.node}: not all nodes could be judged",)


RULE = Rule(
    id="PW705",
    slug="pool-empty",
    title="Pool takes no function of a node",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go initServers",
        "sriov-network-device-plugin v3.11.0 pkg/resources/deviceSelectors.go",
    ),
    over=pool_nodes,
    check=check,
    is_symptom=True,
)
