"""A node counts devices of a network resource that it does not give out.

What you see
    The Node's allocatable for the resource is below its capacity, or 0. Pods
    beyond it stay Pending; running ones keep their devices. Where it is 0,
    the capacity may be gone too five minutes later.

Why
    Unhealthy devices count as capacity only. The SR-IOV device plugin (up to
    v3.11.0) never calls a device unhealthy, not even with its port down:
    kubelet does, with all devices of a plugin whose connection ended. After
    five minutes it drops them. Up to 1.36 the end of an old instance's
    connection also takes the devices of the new one along.

Fix
    See why the plugin's pod on the node ended, and restart it. Where the pod
    runs, restart it once more, so that it registers anew.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import starving
from podwire.model.evidence import Unknown
from podwire.peers.sriovdp.health import is_silent
from podwire.wire.joined.plugins import Plugin
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import (
    NodeResource,
    node_resources,
    offer_at,
    shown,
    status_of,
    stuck,
)
from podwire.wire.pools.on_nodes import holding


def check(at: NodeResource, picture: Picture) -> Iterator[Finding]:
    """Compare the two counts of the Node."""
    node = picture.node(at.node)
    if node is None or str(at.resource) not in (node.status.capacity or {}):
        return
    if node.status.allocatable is None:
        Unknown(reason=f"allocatable of node {at.node}", give="kubectl get nodes -o json").need()
    offer = offer_at(at, picture).need().value
    capacity, left = offer.capacity or 0, offer.allocatable
    if left >= capacity:
        return
    every = (pool.plugin for pool in picture.pools_of.get(at.resource, ()))
    plugins = tuple(plugin for plugin in every if plugin.is_for(at.node))
    is_gone = bool(plugins) and not left and all(is_silent(p.version) for p in plugins)
    holders = holding(at.resource, picture, node=at.node)
    pods = stuck(at, picture, most=capacity)
    names = ", ".join(p.ref.full_name for p in holders[:3])
    yield Finding(
        severity=Severity.WARNING if left else Severity.ERROR,
        message=f"{at.node} has {capacity} of {at.resource} and {left or 'none'} of them can be "
        "allocated" + (": its device plugin is gone from kubelet" if is_gone else ""),
        evidence=(
            *(Evidence(at=place, saw=count) for place, count in shown(at, node)),
            *(e for plugin in plugins[:1] for e in _of_plugin(plugin, at)),
        ),
        sees=f"pods {f'beyond {left} of' if left else 'that request'} {at.resource} stay Pending "
        f"on {at.node}"
        + (f"; {names} keep{'s' if len(holders) == 1 else ''} running" if holders else "")
        + ("" if left else "; within five minutes the node may lack the resource altogether"),
        cause=_cause(left, is_gone=is_gone),
        fix=(Fix(text=_fix(plugins, at)),),
        also=(*(p.workload for p in plugins if p.workload), *(p.ref for p in (*holders, *pods))),
        group=f"{at.node} {' '.join(str(p.ref) for p in plugins) or at.resource}",
        explains=(
            *starving(pods, at.resource),
            Symptom(slug="pods-hold-more-than-offered", of=at.ref),
        ),
    )


def _of_plugin(plugin: Plugin, at: NodeResource) -> Iterator[Evidence]:
    pod = plugin.pods.get(at.node)
    if pod is not None:
        status = status_of(plugin, pod)
        waiting_for = status.state.waiting.reason if status and status.state.waiting else ""
        place = pod.place("status", "containerStatuses")
        yield Evidence(at=place, saw=waiting_for or f"started {plugin.started_at(at.node)}")
    elif plugin.template is not None and plugin.are_pods_listed:
        yield Evidence(at=plugin.template.place(), saw=f"no pod of it on {at.node}")


def _cause(left: int, *, is_gone: bool) -> Cause:
    if is_gone:
        text = "the plugin's connection to kubelet ended: it never calls a device unhealthy itself"
        return Cause(text=text, proven=True)
    earlier, anew = ("earlier ", " after it had registered anew") if left else ("", "")
    text = f"the plugin's {earlier}connection to kubelet ended{anew}, or it reports health"
    return Cause(text=text, proven=False)


def _fix(plugins: tuple[Plugin, ...], at: NodeResource) -> str:
    for plugin in plugins:
        pod = plugin.pods.get(at.node)
        if pod is not None:
            name = f"-n {pod.metadata.namespace} {pod.metadata.name}"
            return f"read kubectl logs --previous {name}, then kubectl delete pod {name}"
    return f"start the device plugin's pod on {at.node}, or restart it"


RULE = Rule(
    id="PW1003",
    slug="allocatable-below-capacity",
    title="Node has network devices that cannot be allocated",
    since="0.1",
    joint=Joint.OFFER,
    refs=(
        "kubernetes v1.36.2 pkg/kubelet/cm/devicemanager/manager.go GetCapacity",
        "sriov-network-device-plugin v3.11.0 pkg/resources/pool_stub.go Probe",
    ),
    over=node_resources,
    check=check,
)
