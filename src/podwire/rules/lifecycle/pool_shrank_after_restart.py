"""A pool lost the functions that pods held when the device plugin restarted.

What you see
    The node has all its VFs, and its capacity for the resource fell to the
    number that was free at the plugin's last start. The pods that hold the
    others keep running; new ones stay Pending, although functions are free.

Why
    The plugin looks at functions once, at its start. A VF that a pod holds
    has its net device in the pod's network namespace, and before v3.6.0 a
    linkTypes selector needs that device on the host: the VF is dropped from
    the pool until the plugin starts again.

Fix
    Select by what stays on the host, pfNames or devices, or run a plugin
    that takes the link type from the PF; then restart the plugin's pod.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import starving
from podwire.model.evidence import Known
from podwire.peers.sriovdp.start import LINK_TYPE_OF_PF
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import written_at
from podwire.wire.pools.node_resources import NodePool, do_wait, node_pools, stuck
from podwire.wire.pools.plugin_state import workload_of
from podwire.wire.pools.restarts import Shrunk, shrunk

_SINCE = LINK_TYPE_OF_PF.rows[-1][0]  # the first version that asks the PF


def check(at: NodePool, picture: Picture) -> Iterator[Finding]:
    """Look for functions that the node lacks because pods held them at the plugin's start."""
    found = shrunk(at, picture)
    if found is None:
        return
    keys, pods = ", ".join(found.keys), stuck(at, picture, most=len(found.every))
    yield Finding(
        severity=Severity.ERROR if do_wait(pods) else Severity.WARNING,
        message=f"{at.node} has {len(found.every)} functions for {at.resource} and advertises "
        f"{found.capacity}: the device plugin restarted while pods held {len(found.lost)}, and "
        f"its {keys} selector drops a function whose net device is in a pod",
        evidence=tuple(_evidence(at, found, picture)),
        sees=f"pods that hold them keep running; to the scheduler the node has {found.capacity} of "
        f"{at.resource}, so others stay Pending although functions are free",
        cause=Cause(text=_cause(at, keys), proven=True),
        fix=(
            Fix(text=f"select by pfNames or devices in place of {keys}, then restart the plugin"),
            Fix(text=f"run device plugin {_SINCE} or newer, which takes the link type from the PF"),
        ),
        assumes=found.assumes,
        also=(
            at.pool.ref.whole,
            *workload_of(at.pool.plugin),
            *dict.fromkeys(h.pod for h in found.holders),
            *(pod.ref for pod in pods),
        ),
        group=str(at.resource),
        explains=(
            *starving(pods, at.resource),
            Symptom(slug="pods-hold-more-than-offered", of=at.node_ref),
        ),
    )


def _evidence(at: NodePool, found: Shrunk, picture: Picture) -> Iterator[Evidence]:
    for holder in found.holders[:3]:
        since = f" since {holder.since}" if holder.since else ""
        yield Evidence(at=holder.place, saw=f"holds {holder.address}{since}")
    node = picture.node(at.node)
    if node is not None:
        place = node.place("status", "capacity", str(at.resource))
        yield Evidence(at=place, saw=str(found.capacity))
    pod = at.pool.plugin.pods.get(at.node)
    if pod is not None:
        started = at.pool.plugin.started_at(at.node)
        yield Evidence(at=pod.place("status", "containerStatuses"), saw=f"started {started}")
    for path in found.wanted:
        place = at.pool.text.place_at(path)
        yield Evidence(at=place, saw=written_at(at.pool.text.text, path))
    yield Evidence(at=found.empty, saw="no net device on the host")


def _cause(at: NodePool, keys: str) -> str:
    version = at.pool.plugin.version
    which = f"device plugin {version.value}" if isinstance(version, Known) else "the device plugin"
    return f"{which} reads {keys} off the function's own net device, once, at its start"


RULE = Rule(
    id="PW1001",
    slug="pool-shrank-after-restart",
    title="Pool lost the functions that pods held when its plugin restarted",
    since="0.1",
    joint=Joint.OFFER,
    refs=(
        "sriov-network-device-plugin v3.5.1 and v3.6.0 pkg/devices/gen_net.go NewGenNetDevice",
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go",
    ),
    over=node_pools,
    check=check,
)
