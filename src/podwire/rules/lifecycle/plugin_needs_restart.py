"""A node advertises fewer devices than its plugin's pool would have now.

What you see
    sysfs shows all VFs, the configuration fits them, and the node counts
    fewer, or none. Pods stay Pending.

Why
    The plugin looks at functions and reads its configuration once, at its
    start. VFs that were created later, a VF that was being rebound at that
    moment, and a changed ConfigMap are not seen until it starts again. The
    same shows where it serves and kubelet never called it, because kubelet's
    folders are not mounted where kubelet has them.

Fix
    Restart the plugin's pod on the node. Where the count stays, read its log
    for "registered"; create VFs before kubelet starts.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import starving
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import NodePool, do_wait, node_pools, stuck
from podwire.wire.pools.plugin_state import workload_of
from podwire.wire.pools.restarts import Missed, missed


def check(at: NodePool, picture: Picture) -> Iterator[Finding]:
    """Compare what the plugin would surely find with what the node counts."""
    found = missed(at, picture)
    if found is None:
        return
    plugin = at.pool.plugin
    pod, started = plugin.pods[at.node], plugin.started_at(at.node)
    pods = stuck(at, picture, most=len(found.taken))
    since = f", {started}," if started else ""
    yield Finding(
        severity=Severity.ERROR if do_wait(pods) or not found.capacity else Severity.WARNING,
        message=f"{at.node} advertises {found.capacity} of {at.resource}, and "
        f"{len(found.taken)} functions fit its pool now: the selectors are right, the plugin knows "
        "fewer",
        evidence=tuple(_evidence(at, found, picture)),
        sees=f"sysfs of {at.node} shows the functions, the node does not count them; pods "
        + (f"beyond its {found.capacity} of" if found.capacity else "that request")
        + f" {at.resource} stay Pending",
        cause=Cause(
            text="VFs were created or rebound, or the configuration changed, after the plugin's "
            f"start{since} or it never registered with kubelet",
            proven=False,
        ),
        fix=(
            Fix(
                text=f"restart needed: kubectl delete pod -n {pod.metadata.namespace} "
                f"{pod.metadata.name}",
                breaks="for some seconds the node offers nothing of this plugin; where linkTypes "
                "selects before v3.6.0, functions in pods drop out",
            ),
        ),
        assumes=found.assumes,
        also=(at.pool.ref.whole, pod.ref, *workload_of(plugin), *(p.ref for p in pods)),
        group=str(at.resource),
        explains=(
            *starving(pods, at.resource),
            Symptom(slug="pods-hold-more-than-offered", of=at.node_ref),
        ),
    )


def _evidence(at: NodePool, found: Missed, picture: Picture) -> Iterator[Evidence]:
    node, pod = picture.node(at.node), at.pool.plugin.pods[at.node]
    if node is not None:
        place = node.place("status", "capacity", str(at.resource))
        yield Evidence(at=place, saw=str(found.capacity))
    started = at.pool.plugin.started_at(at.node)
    saw = f"runs since {started}" if started else "runs"
    yield Evidence(at=pod.place("status", "containerStatuses"), saw=saw)
    yield Evidence(at=at.pool.place("selectors"), saw=f"{len(found.taken)} functions fit")
    missing = ", ".join(map(str, found.missing[:3]))
    yield Evidence(at=found.place, saw=f"kubelet lacks {missing}" if missing else "fits the pool")


RULE = Rule(
    id="PW1002",
    slug="plugin-needs-restart",
    title="Node advertises fewer devices than its pool would have now",
    since="0.1",
    joint=Joint.OFFER,
    refs=(
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go",
        "sriov-network-device-plugin v3.11.0 pkg/resources/server.go",
    ),
    over=node_pools,
    check=check,
)
