"""The device plugin leaves a function out because it carries the default route.

What you see
    A function that fits a pool is never advertised, and nothing says so but
    a line in the plugin's log.

Why
    The plugin protects the host: a function whose net device carries an
    IPv4 default route is not listed, whatever the selectors say. For a
    selector that names only the vendor this is a blessing; where the pool
    has nothing else, its resource is missing.

Fix
    Nothing, where the host needs the port. Else move the default route to
    another device and restart the plugin's pod there.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Known, Place
from podwire.peers.sriovdp.fates import Exclusion, Fate
from podwire.wire.picture import Picture
from podwire.wire.pools.on_nodes import Found, PoolNode, found_at, pool_nodes


def check(at: PoolNode, picture: Picture) -> Iterator[Finding]:
    """Look for functions that would fit, were it not for the route."""
    found = found_at(at, picture, as_started=False).need()
    if found.value is None:
        return
    kept = [fate for fate in found.value.filled.fates.values() if _fits(fate, found.value)]
    if not kept:
        return
    emptiness = found.value.pool.is_empty
    empty = isinstance(emptiness, Known) and emptiness.value
    function = kept[0].function
    device = function.netdevs[0].name
    yield Finding(
        severity=Severity.WARNING if empty else Severity.NOTE,
        message=f"pool {at.resource} on {at.node} lacks {function.address}: its net device "
        f"{device} carries the default route, so the plugin does not list it"
        + ("; the pool has no other" if empty else ""),
        evidence=(
            Evidence(at=at.pool.place("selectors"), saw="fits the function"),
            Evidence(at=function.place("net"), saw=device),
            *(Evidence(at=p, saw=device) for p in _route(at, picture)),
        ),
        sees=f"{at.node} has no {at.resource}"
        if empty
        else f"{at.resource} of {at.node} counts one function less",
        fix=(
            Fix(
                text="move the default route to another device, then restart the plugin's pod "
                f"on {at.node}",
                breaks="pods take the port, and whatever the host does over it ends",
            ),
        ),
        assumes=found.assumes,
        also=(at.node_ref.whole,),
        group=str(at.pool.ref) + at.pool.ref.part,
        explains=(Symptom(slug="pool-empty", of=at.ref),) if empty else (),
    )


def _fits(fate: Fate, found: Found) -> bool:
    trials = fate.trials_of(found.pool.entry)
    return fate.excluded is Exclusion.DEFAULT_ROUTE and any(t.outcome.is_passed for t in trials)


def _route(at: PoolNode, picture: Picture) -> tuple[Place, ...]:
    files = picture.files(at.node)
    routes = files.default_routes if files else None
    return routes.places[:1] if isinstance(routes, Known) else ()


RULE = Rule(
    id="PW708",
    slug="function-carries-default-route",
    title="Function of a pool is left out because it carries the default route",
    since="0.1",
    joint=Joint.POOL,
    refs=("sriov-network-device-plugin v3.11.0 pkg/netdevice/netDeviceProvider.go",),
    over=pool_nodes,
    check=check,
)
